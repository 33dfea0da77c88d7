"""HiPhO: the 14 official exams whole, and every irregularity of a record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import FigurePart, ImportFault, ProblemRecord, TextPart
from arena.benchmarks.hipho import published_marks

HIPHO = BENCHMARKS["hipho"]
# The benchmark's page at evalscope: problems, then mean, least and most code points of the filled prompts.
SEED_TABLE = {
    "APhO_2025": (45, 4624.02, 2496, 8787),
    "CPhO_2025": (43, 2041.81, 960, 3745),
    "EuPhO_2024": (7, 1924.29, 1468, 2051),
    "EuPhO_2025": (6, 1646.33, 1422, 1856),
    "F=MA_2024": (25, 1598.76, 1279, 1957),
    "F=MA_2025": (25, 1721.2, 1395, 2513),
    "IPhO_2024": (37, 4152.57, 2201, 6701),
    "IPhO_2025": (39, 6359.74, 3362, 9336),
    "NBPhO_2024": (24, 2305.25, 1317, 4486),
    "NBPhO_2025": (20, 2677.7, 1359, 4808),
    "PanMechanics_2024": (29, 878.55, 653, 1283),
    "PanMechanics_2025": (23, 874.87, 667, 1150),
    "PanPhO_2024": (33, 2820.55, 1448, 3880),
    "PanPhO_2025": (47, 3526.47, 1561, 6209),
}


def problem_record(**changes: Any) -> dict[str, Any]:
    record = {
        "id": "Test_2026_1_A_1",
        "context": "",
        "question": "Find $x$.",
        "marking": [["Award 0.4 pt if right.", "Award 0.6 pt if $x = 2$. Otherwise, award 0 pt."]],
        "answer": ["\\boxed{2}"],
        "answer_type": ["Numerical Value"],
        "unit": [None],
        "points": [1.0],
        "modality": "text-only",
        "field": "Mechanics",
        "source": "Test_2026",
        "image_question": [],
    }
    return record | changes


def read_one(write: Callable[..., Path], **changes: Any) -> ProblemRecord:
    return HIPHO.read(write("Test_2026.json", [{"information": "None."}, problem_record(**changes)])).problems[0]


def fault_of(write: Callable[..., Path], **changes: Any) -> str:
    with pytest.raises(ImportFault) as caught:
        read_one(write, **changes)
    return str(caught.value)


def prompt_text(problem: ProblemRecord) -> str:
    first = HIPHO.prompt(problem, ())[0]
    assert isinstance(first, TextPart)
    return first.text


def test_the_official_exams_are_read_whole(official: Callable[[str], Path]) -> None:
    data = HIPHO.read(official("hipho/data"))
    problems = data.problems
    assert len(problems) == 403
    assert sum(len(problem.figures) for problem in problems) == 413
    assert len({figure for problem in problems for figure in problem.figures}) == 131
    assert sum(len(problem.answers) for problem in problems) == 601
    assert sum(len(scheme) for problem in problems for scheme in problem.schemes) == 1037
    assert sum(not problem.schemes for problem in problems) == 179
    assert Counter(len(problem.schemes) for problem in problems if problem.schemes) == {1: 209, 2: 14, 3: 1}
    assert [subset.slug for subset in data.subsets] == list(SEED_TABLE)


def test_the_parent_folder_gives_the_same_problems(official: Callable[[str], Path]) -> None:
    assert HIPHO.read(official("hipho")) == HIPHO.read(official("hipho/data"))


def test_filled_prompts_have_the_published_lengths(official: Callable[[str], Path]) -> None:
    problems = HIPHO.read(official("hipho")).problems
    lengths = [len(prompt_text(problem)) for problem in problems]
    assert (round(sum(lengths) / len(lengths), 2), min(lengths), max(lengths)) == (3020.35, 653, 9336)
    for exam, row in SEED_TABLE.items():
        own = [length for length, problem in zip(lengths, problems) if problem.subset == exam]
        assert (len(own), round(sum(own) / len(own), 2), min(own), max(own)) == row


def test_exam_totals_are_the_published_full_marks(official: Callable[[str], Path]) -> None:
    subsets = {subset.slug: subset for subset in HIPHO.read(official("hipho")).subsets}
    assert len(published_marks()) == 13
    for exam, marks in published_marks().items():
        assert subsets[exam].full_mark == marks["full_mark_model"]
        assert subsets[exam].gold == marks["gold"]
    assert subsets["CPhO_2025"].full_mark == 320
    assert subsets["CPhO_2025"].gold is None
    assert subsets["IPhO_2025"].full_mark == 29.4
    assert subsets["IPhO_2025"].full_mark_human == 30
    assert subsets["IPhO_2025"].best_human == 29.2


def test_only_cpho_and_panmechanics_are_chinese(official: Callable[[str], Path]) -> None:
    data = HIPHO.read(official("hipho"))
    chinese = {"CPhO_2025", "PanMechanics_2024", "PanMechanics_2025"}
    assert {problem.subset for problem in data.problems if problem.language == "zh"} == chinese
    assert {subset.slug for subset in data.subsets if subset.language == "zh"} == chinese


def test_problems_of_one_stem_share_a_cluster(official: Callable[[str], Path]) -> None:
    problems = HIPHO.read(official("hipho")).problems
    assert {p.cluster for p in problems if p.external_id.startswith("IPhO_2025_1_")} == {"IPhO_2025_1"}
    assert next(p.cluster for p in problems if p.external_id == "F=MA_2024_01") == "F=MA_2024_01"


def test_real_records_with_a_short_unit_list_or_no_answer_are_read(official: Callable[[str], Path]) -> None:
    problems = {problem.external_id: problem for problem in HIPHO.read(official("hipho")).problems}
    assert [answer.unit for answer in problems["PanPhO_2025_5_2"].answers] == [""] * 3
    assert problems["EuPhO_2024_3_1"].answers[0].value == ""
    assert len(problems["PanPhO_2025_6_10"].schemes) == 1  # its marking is a flat list
    assert problems["CPhO_2025_7_6"].answers[0].value.startswith("\\boxed{")  # a box that never closes


def test_the_constants_sheet_is_sent_as_it_stands(write: Callable[..., Path]) -> None:
    text = prompt_text(read_one(write))
    assert "(formulas, constants, units, if applicable):\nNone.\nContext (if applicable):\n\nQuestion" in text
    assert text.endswith("Find $x$.")


def test_braces_and_field_names_in_a_question_stay_literal(write: Callable[..., Path]) -> None:
    assert prompt_text(read_one(write, question=r"{context} $\frac{1}{2}$")).endswith(r"{context} $\frac{1}{2}$")


def test_figures_follow_the_text_in_order(write: Callable[..., Path], draw: Callable[..., Path]) -> None:
    names = ["image_question/b.png", "image_question/a.png"]
    paths = [draw(name) for name in names]
    problem = read_one(write, image_question=names)
    assert problem.figures == tuple(paths)
    assert HIPHO.prompt(problem, ())[1:] == (FigurePart(0), FigurePart(1))


def test_missing_empty_flat_and_nested_markings_are_read(write: Callable[..., Path]) -> None:
    record = problem_record()
    del record["marking"]
    assert HIPHO.read(write("x.json", [{"information": "None."}, record])).problems[0].schemes == ()
    assert read_one(write, marking=[]).schemes == ()
    flat = read_one(write, marking=["Award 0.4 pts if so.", "Award 0.6 pts if so. Otherwise, award 0.0 pts."])
    assert [criterion.max_points for criterion in flat.schemes[0]] == [0.4, 0.6]
    chinese = read_one(write, points=[3.0], marking=[["如果解答正确，则得 3 分。否则得 0 分。"]])
    assert chinese.schemes[0][0].max_points == 3


def test_points_are_added_as_decimals(write: Callable[..., Path]) -> None:
    fields = {"answer": ["1"] * 3, "answer_type": ["Expression"] * 3, "unit": [None], "points": [0.67, 0.67, 0.66]}
    assert read_one(write, **fields, marking=[]).max_points == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"marking": [["Award 0.4 pt if so."]]}, "marking scheme 0"),
        ({"marking": [["Award 1.0 pt if so."], ["Award 0.9 pt if so."]]}, "marking scheme 1"),
        ({"marking": [["Well done."]]}, "states no points"),
        ({"marking": "Award 1.0 pt"}, "marking"),
        ({"answer": []}, "answer"),
        ({"answer": ["1", "2"]}, "answer_type"),
        ({"answer_type": ["Guess"]}, "answer_type"),
        ({"points": [-1.0]}, "points"),
        ({"points": ["1"]}, "points"),
        ({"points": [0.0], "marking": []}, "points add up to 0"),
        ({"unit": [None, "m"]}, "unit"),
        ({"question": "  "}, "question is missing or blank"),
        ({"question": 7}, "question is int, not text"),
        ({"context": ["a"]}, "context is list, not text"),
        ({"source": "Other_2026"}, "id does not start with its source"),
        ({"image_question": "a.png"}, "image_question is not a list of texts"),
        ({"image_question": ["image_question/none.png"]}, "figure image_question/none.png is missing"),
        ({"image_question": ["../outside.png"]}, "leads out of the imported folder"),
        ({"image_question": ["/etc/hostname"]}, "not a relative path"),
        ({"question": "a\0b"}, "NUL"),
    ],
)
def test_a_bad_record_is_named_with_its_place_and_reason(
    write: Callable[..., Path], changes: dict[str, Any], reason: str
) -> None:
    fault = fault_of(write, **changes)
    assert fault.startswith("Test_2026.json record 1, id Test_2026_1_A_1: ")
    assert reason in fault


def test_a_figure_behind_a_link_out_of_the_folder_is_refused(
    write: Callable[..., Path], draw: Callable[..., Path], tmp_path: Path
) -> None:
    outside = draw("outside.png")
    (tmp_path / "exam").mkdir()
    (tmp_path / "exam" / "link.png").symlink_to(outside)
    file = write("exam/x.json", [{"information": "None."}, problem_record(image_question=["link.png"])])
    with pytest.raises(ImportFault, match="link.png leads out"):
        HIPHO.read(file)


def test_every_bad_record_is_listed_not_only_the_first(write: Callable[..., Path]) -> None:
    bad = [problem_record(id=f"Test_2026_{n}", question="") for n in range(3)]
    with pytest.raises(ImportFault) as caught:
        HIPHO.read(write("x.json", [{"information": "None."}, *bad, 7]))
    assert len(caught.value.faults) == 4
    assert any(fault == "x.json record 4: not a JSON object" for fault in caught.value.faults)


def test_an_id_that_stands_twice_is_refused_with_both_places(write: Callable[..., Path]) -> None:
    with pytest.raises(ImportFault, match="record 2, id Test_2026_1_A_1: id stands twice, first in x.json record 1"):
        HIPHO.read(write("x.json", [{"information": "None."}, problem_record(), problem_record()]))


def test_an_exam_without_its_header_is_refused(write: Callable[..., Path]) -> None:
    with pytest.raises(ImportFault, match="x.json record 0: is no header"):
        HIPHO.read(write("x.json", [problem_record()]))


def test_a_published_exam_must_add_up_to_its_full_mark(write: Callable[..., Path]) -> None:
    record = problem_record(id="IPhO_2025_1_A_1", source="IPhO_2025")
    with pytest.raises(ImportFault, match="IPhO_2025: the points sum to 1, the published full mark is 29.4"):
        HIPHO.read(write("IPhO_2025.json", [{"information": "None."}, record]))


def test_a_folder_without_exams_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ImportFault):
            HIPHO.read(path)


def test_worked_examples_are_refused(write: Callable[..., Path]) -> None:
    problem = read_one(write)
    with pytest.raises(ValueError, match="without worked examples"):
        HIPHO.prompt(problem, [problem])


def test_broken_json_is_named_with_its_line(tmp_path: Path) -> None:
    text = json.dumps([{"information": "None."}, problem_record()], indent=1)
    (tmp_path / "x.json").write_text(text[:-40], encoding="utf-8")
    with pytest.raises(ImportFault, match=r"x.json: not JSON: .* \(line \d+ column \d+\)"):
        HIPHO.read(tmp_path)
