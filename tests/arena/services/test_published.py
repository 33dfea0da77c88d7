"""Published numbers: read by their headers, stored once with source and date, never without."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from arena.benchmarks.base import PUBLISHED, ImportFault
from arena.benchmarks.published_numbers import PublishedNumber, is_rate
from arena.benchmarks.published_tables import read_published
from arena.errors import ImportRefused
from arena.models import Entrant, ReportedResult
from arena.services.published import SHIPPED, import_published, import_shipped

HEAD = "entrant,organisation,kind,split,subset,metric,value,low,high,setting,source,date\n"


def long_form(*rows: str) -> str:
    return HEAD + "\n".join(rows) + "\n"


def pick(numbers: tuple[PublishedNumber, ...], **wanted: object) -> list[float]:
    return [n.value for n in numbers if all(getattr(n, key) == value for key, value in wanted.items())]


def test_percent_becomes_a_rate_where_a_source_uses_it() -> None:
    numbers = read_published(
        "phybench",
        long_form(
            "A,,model,test,overall,acc,61.9,59.8,64.0,,a paper,2025-05",
            "B,,model,test,overall,accuracy,0.9,,,,a paper,2025-05",
            "C,,model,test,overall,accuracy,0.9,,,,another paper,2025-05",
            "D,,model,test,overall,accuracy,36.9%,,,,another paper,2025-05",
            "A,,model,test,overall,eed,70.4,,,,a paper,2025-05",
        ),
    )
    assert pick(numbers, entrant="A", metric="accuracy") == [0.619]
    assert (numbers[0].low, numbers[0].high) == (0.598, 0.64)
    assert pick(numbers, entrant="B") == [0.009], "a paper that gives percent gives percent in all its rows"
    assert pick(numbers, entrant="C") == [0.9]
    assert pick(numbers, entrant="D") == [pytest.approx(0.369)]
    assert pick(numbers, entrant="A", metric="eed") == [70.4]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("A,,model,test,overall,accuracy,high,,,,paper,2025", "value: 'high' is no number"),
        ("A,,model,test,overall,accuracy,nan,,,,paper,2025", "value: 'nan' is no number"),
        (",,model,test,overall,accuracy,0.5,,,,paper,2025", "entrant: a name is expected"),
        ("A,,model,test,overall,accuracy,0.5,,,,,2025", "source: say where"),
        ("A,,model,test,overall,accuracy,0.5,,,,paper,last May", "date: 'last May'"),
        ("A,,robot,test,overall,accuracy,0.5,,,,paper,2025", "kind: 'robot'"),
        ("A,,model,test,overall,exactness,0.5,,,,paper,2025", "metric: 'exactness' is unknown"),
        ("A,,model,test,overall,accuracy,120,,,,paper,2025", "more than 100 percent"),
        ("A,,model,test,overall,eed,120,,,,paper,2025", "out of range"),
        ("A,,model,test,overall,eed,12,,,,paper,2025,x,y,z", "more cells"),
    ],
)
def test_bad_line_is_named(row: str, words: str) -> None:
    with pytest.raises(ImportFault, match="line 3: ") as fault:
        read_published("phybench", long_form("Z,,model,test,overall,eed,1,,,,paper,2025", row))
    assert words in str(fault.value)


def test_a_source_is_linked_by_a_web_address_alone() -> None:
    head = HEAD.replace("date\n", "date,source_url\n")
    row = "A,,model,test,overall,eed,12,,,,paper,2025,"
    assert read_published("phybench", f"{head}{row}https://example.org/p\n")[0].source_url == "https://example.org/p"
    with pytest.raises(ImportFault, match="line 2: source_url: 'javascript:alert"):
        read_published("phybench", f"{head}{row}javascript:alert(1)\n")


def test_same_cell_twice_is_refused() -> None:
    row = "A,,model,test,overall,eed,12,,,,paper,2025"
    with pytest.raises(ImportFault, match="line 3: .* stands in line 2"):
        read_published("phybench", long_form(row, row))


def test_unknown_header_says_what_the_long_form_has() -> None:
    with pytest.raises(ImportFault, match="unknown columns: a, b; the long form has entrant"):
        read_published("phybench", "a,b\n1,2\n")
    with pytest.raises(ImportFault, match="no row"):
        read_published("phybench", "")


def test_missing_is_not_zero() -> None:
    text = "name,acc_all,acc_optics,eed_all,eed_optics\nHuman Expert,61.9,0,71.4,0\nM,-,0,10,\n"
    numbers = read_published("phybench", text)
    assert pick(numbers, entrant="Human Expert", subset="optics") == []
    assert pick(numbers, entrant="M", metric="accuracy", subset="overall") == []
    assert pick(numbers, entrant="M", metric="accuracy", subset="optics") == [0.0]
    assert {n.kind for n in numbers if n.entrant == "Human Expert"} == {"human"}


WIDE = [
    ("hipho", "hipho_table3_scores.csv"),
    ("hipho", "hipho_p1vl_table3_scores.csv"),
    ("hipho", "hipho_exam_reference.csv"),
    ("phybench", "phybench_leaderboard.csv"),
    ("phybench", "phybench_paper_fig3.csv"),
    ("phyx_oe", "phyx_leaderboard.csv"),
    ("phyx_oe", "phyx_paper_table2.csv"),
    ("phyx_oe", "phyx_paper_table3_domains.csv"),
    ("phyx_mc", "phyx_leaderboard.csv"),
    ("phyx_mc", "phyx_paper_table2.csv"),
    ("coin_flip", "coinflip_results.csv"),
    ("arc_indic", "arc_results.csv"),
]


@pytest.mark.parametrize(("slug", "name"), WIDE)
def test_shipped_numbers_are_those_of_the_wide_files(shared: Path, slug: str, name: str) -> None:
    def cells(numbers: tuple[PublishedNumber, ...]) -> set[tuple[object, ...]]:
        return {(n.entrant, n.split, n.subset, n.metric, n.style, n.value, n.source, n.date) for n in numbers}

    wide = read_published(slug, (shared / "data/results" / name).read_text(encoding="utf-8"))
    shipped = read_published(slug, (PUBLISHED / f"{slug}.csv").read_text(encoding="utf-8"))
    assert cells(wide) <= cells(shipped) and wide


NO_RESULT = {
    *("group", "name", "model", "id", "org", "note", "size", "date", "type", "link", "oe_source", "mc_source"),
    *("category", "setting", "source", "benchmark", "n", "exam"),
    *("full_mark_human", "full_mark_model", "top1_model", "gold", "silver", "bronze"),
}


@pytest.mark.parametrize("name", sorted({name for _slug, name in WIDE}))
def test_every_cell_of_the_published_tables_is_shipped(shared: Path, name: str) -> None:
    """Counted here without the reader of wide files: each number of a line stands at its entrant, neither more."""
    shipped = [
        number
        for slug in SHIPPED
        for number in read_published(slug, (PUBLISHED / f"{slug}.csv").read_text(encoding="utf-8"))
    ]
    rows = list(csv.DictReader((shared / "data/results" / name).open(encoding="utf-8")))
    assert rows
    for row in rows:
        entrant = " ".join((row.get("name") or row.get("model") or "Best contestant").split())
        found = {round(100 * n.value if is_rate(n.metric) else n.value, 6) for n in shipped if n.entrant == entrant}
        cells = {column: text for column, text in row.items() if column not in NO_RESULT and text not in ("", "-")}
        if "no_answer" in cells:  # a count there, a share here
            cells["no_answer"] = str(100 * float(cells["no_answer"]) / float(row["n"]))
        if entrant == "Human Expert":  # a field score of 0 for people means "not measured"
            cells = {column: text for column, text in cells.items() if float(text)}
        if name == "arc_results.csv" and "Indic" not in row["benchmark"]:
            continue  # the English benchmark
        missing = {column: text for column, text in cells.items() if round(float(text), 6) not in found}
        assert cells and not missing, (entrant, missing)


def test_exam_reference_is_the_published_one(shared: Path) -> None:
    name = "hipho_exam_reference.csv"
    assert (PUBLISHED / name).read_bytes() == (shared / "data/results" / name).read_bytes()


def test_wide_file_of_another_benchmark_is_refused(shared: Path) -> None:
    with pytest.raises(ImportFault, match="speaks of hipho"):
        read_published("phybench", (shared / "data/results/hipho_table3_scores.csv").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("slug", "wanted", "value"),
    [
        ("hipho", {"entrant": "Gemini-2.5-Pro", "subset": "IPhO_2025", "date": "2025-09-22"}, 22.7),
        ("hipho", {"entrant": "Gemini-3-Pro (high)", "metric": "gold"}, 13),
        ("phybench", {"entrant": "Human Expert", "metric": "eed"}, 71.4),
        ("phybench", {"entrant": "Human Experts", "metric": "eed"}, 70.4),
        ("phybench", {"entrant": "Human Experts, top quartile", "metric": "eed"}, 80.4),
        ("phybench", {"entrant": "Human Experts, top quartile", "metric": "accuracy"}, 0.714),
        ("phyx_oe", {"entrant": "GPT-4o", "style": "text-minimal", "date": "2025-07-21"}, 0.143),
        ("phyx_mc", {"entrant": "skywork-R1V3"}, 0.528),
        ("phyx_mc", {"entrant": "Random Choice", "style": "full-text"}, 0.25),
    ],
)
def test_published_number_stands_as_published(slug: str, wanted: dict[str, object], value: float) -> None:
    found = pick(read_published(slug, (PUBLISHED / f"{slug}.csv").read_text(encoding="utf-8")), **wanted)
    assert found == [pytest.approx(value)]


def test_each_table_has_all_its_models() -> None:
    numbers = read_published("hipho", (PUBLISHED / "hipho.csv").read_text(encoding="utf-8"))
    by_source = {
        source: {n.entrant for n in numbers if n.source == source and n.kind == "model"}
        for source in {n.source for n in numbers}
    }
    assert sorted(len(names) for names in by_source.values()) == [30, 43]
    assert {(n.judge, n.temperature, n.repeats) for n in numbers if n.kind == "model"} == {("Gemini-2.5-Flash", 0.6, 8)}


@pytest.mark.django_db
def test_shipped_tables_are_imported_once() -> None:
    n = import_shipped()
    assert n == ReportedResult.objects.count() > 2000
    assert import_shipped() == 0
    assert set(ReportedResult.objects.values_list("benchmark__slug", flat=True)) == set(SHIPPED)
    assert Entrant.objects.get(name="Best contestant").kind == "human"


@pytest.mark.django_db
def test_corrected_number_supersedes_and_nothing_is_overwritten() -> None:
    row = "A,,model,test,overall,eed,{},,,,paper,2025-05"
    assert import_published("phybench", long_form(row.format(12)).encode()).new == 1
    report = import_published("phybench", long_form(row.format(13)).encode())
    assert (report.new, report.corrected) == (1, 1)
    newest = ReportedResult.objects.get(value=13)
    assert newest.supersedes is not None and newest.supersedes.value == 12


@pytest.mark.django_db
def test_fault_stores_nothing() -> None:
    text = long_form("A,,model,test,overall,eed,12,,,,paper,2025", "B,,model,test,heraldry,eed,12,,,,paper,2025")
    with pytest.raises(ImportRefused, match="line 3: subset: 'heraldry'"):
        import_published("phybench", text.encode())
    with pytest.raises(ImportRefused, match="UTF-8"):
        import_published("phybench", b"\xff\xfe")
    assert not ReportedResult.objects.exists() and not Entrant.objects.exists()


@pytest.mark.django_db
def test_name_of_a_model_does_not_become_a_human() -> None:
    import_published("phybench", long_form("A,,model,test,overall,eed,12,,,,paper,2025").encode())
    with pytest.raises(ImportRefused, match="line 2: 'A' is a model here"):
        import_published("phybench", long_form("A,,human,test,overall,eed,12,,,,paper,2025").encode())


@pytest.mark.django_db
def test_command_exits_2_with_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(long_form("A,,model,test,overall,eed,x,,,,paper,2025"))
    with pytest.raises(CommandError) as error:
        call_command("import_published", "phybench", path=path)
    assert error.value.returncode == 2
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_published", "phybench", path=tmp_path / "none.csv")
