"""import_benchmark and import_run: what lands, what is refused, and that refusing stores nothing."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from arena.errors import ImportRefused
from arena.models import Answer, Benchmark, Criterion, DatasetRevision, Figure, Image, Problem, Reply, Run
from arena.services.packed_files import unpack
from tests.factories import import_samples

pytestmark = pytest.mark.django_db


def run_import(slug: str, *options: object) -> str:
    out = io.StringIO()
    call_command("import_benchmark", slug, *map(str, options), stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_hipho_lands_whole(shared: Path) -> None:
    run_import("hipho", "--path", shared / "data/hipho")
    assert Problem.objects.count() == 403
    assert Figure.objects.count() == 413 and Image.objects.count() == 129  # two pairs of files are the same picture
    assert Answer.objects.count() == 601 and Criterion.objects.count() == 1037
    exams = {s.slug: s for s in Benchmark.objects.get(slug="hipho").subsets.exclude(slug="overall")}
    assert len(exams) == 14 and float(exams["IPhO_2025"].gold) == 19.7 and exams["CPhO_2025"].gold is None


@pytest.mark.parametrize(
    ("slug", "path", "problems", "answers"),
    [
        ("phybench", "phybench", 500, 100),
        ("phyx_oe", "phyx/phyx_cards_7.jsonl", 7, 7),
        ("arc_indic", "arc_indic", 9224, 9224),
        ("arc_indic", "arc/arc_challenge_en_test_full1172_hf_shape.jsonl", 1172, 1172),
        ("coin_flip", "coin_flip/coin_flip.json", 500, 500),
    ],
)
def test_real_files_land_whole(shared: Path, slug: str, path: str, problems: int, answers: int) -> None:
    run_import(slug, "--path", shared / "data" / path)
    assert (Problem.objects.count(), Answer.objects.count()) == (problems, answers)


def test_importing_the_same_data_twice_changes_nothing(shared: Path) -> None:
    path = shared / "data/coin_flip/coin_flip_official_shape_500.jsonl"
    run_import("coin_flip", "--path", path)
    before = list(DatasetRevision.objects.values())
    assert "nothing changed" in run_import("coin_flip", "--path", path)
    assert list(DatasetRevision.objects.values()) == before


def test_a_further_language_extends_a_named_revision_once(shared: Path) -> None:
    english = shared / "data/arc/arc_challenge_en_test_full1172_hf_shape.jsonl"
    for _ in range(2):
        run_import("arc_indic", "--path", english, "--revision", "R")
        run_import("arc_indic", "--path", shared / "data/arc_indic", "--revision", "R")
    assert DatasetRevision.objects.get().entries.count() == 1172 + 9224


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans without statistics")
def test_joins_after_an_import_are_planned_for_what_it_stored(shared: Path) -> None:
    """An import that failed leaves pages of dead rows; statistics taken then promise that the tables stay empty."""
    with transaction.atomic():
        run_import("coin_flip")
        transaction.set_rollback(True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        run_import("coin_flip", "--path", shared / "data/coin_flip/coin_flip_official_shape_500.jsonl")
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [Problem._meta.db_table])
        assert cursor.fetchone() == (500,)


def test_two_sets_of_coin_flips_are_two_revisions_and_the_newest_is_current(shared: Path) -> None:
    run_import("coin_flip", "--path", shared / "data/coin_flip/coin_flip_official_shape_500.jsonl", "--revision", "A")
    run_import("coin_flip", "--path", shared / "data/coin_flip/coin_flip_wei_2022_500.jsonl", "--revision", "B")
    assert dict(DatasetRevision.objects.values_list("label", "is_current")) == {"A": False, "B": True}


def test_samples_never_become_current_beside_real_data(shared: Path) -> None:
    run_import("coin_flip", "--path", shared / "data/coin_flip/coin_flip_official_shape_500.jsonl", "--revision", "A")
    run_import("coin_flip")
    assert dict(DatasetRevision.objects.values_list("label", "is_current")) == {"A": True, "sample": False}


def test_multiple_choice_without_options_is_refused_by_record_and_stores_nothing(shared: Path) -> None:
    errors = io.StringIO()
    with pytest.raises(CommandError, match="nothing was stored") as refused:
        call_command(
            "import_benchmark", "phyx_mc", "--path", str(shared / "data/phyx/phyx_cards_7.jsonl"), stderr=errors
        )
    assert refused.value.returncode == 2 and "correct-1" in errors.getvalue()
    assert not Problem.objects.exists() and not Benchmark.objects.exists()


def test_one_broken_figure_refuses_the_whole_import(shared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exam"
    folder.mkdir()
    shutil.copy(shared / "data/hipho/data/EuPhO_2024.json", folder)
    shutil.copytree(shared / "data/hipho/data/image_question", folder / "image_question")
    figure = folder / "image_question/EuPhO_2024_3_1_1.png"
    figure.write_bytes(figure.read_bytes()[:4000])
    errors = io.StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("import_benchmark", "hipho", "--path", str(folder), stderr=errors)
    assert refused.value.returncode == 2 and "EuPhO_2024_3_1_1.png" in errors.getvalue()
    assert not Problem.objects.exists()


def test_unknown_benchmark_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="hippo") as refused:
        call_command("import_benchmark", "hippo")
    assert refused.value.returncode == 2


def test_real_replies_without_ids_are_matched_by_question_and_score_as_published(shared: Path) -> None:
    run_import("coin_flip", "--path", shared / "data/coin_flip/coin_flip_wei_2022_500.jsonl")
    out = io.StringIO()
    path = shared / "data/replies/coin_flip_gpt3_zero_shot_cot.jsonl"
    call_command("import_run", "--path", str(path), "--benchmark", "coin_flip", "--model", "GPT-3", stdout=out)
    assert "accuracy = 0.914" in out.getvalue()
    run = Run.objects.get()
    assert run.provenance == Run.Provenance.UPLOADED and run.published_at


def lines(*items: object) -> bytes:
    return b"\n".join(item if isinstance(item, bytes) else json.dumps(item).encode() for item in items)


def test_every_bad_line_of_a_predictions_file_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    import_samples("coin_flip")
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(
        lines(
            {"id": 0, "reply": "ANSWER: YES"},
            {"id": "0", "reply": "again"},
            {"id": 999, "reply": "x"},
            b"{not json",
            b'{"id": 1, "reply": "\xff"}',
            {"id": 2},
            {"reply": "whose?"},
            {"id": 3, "reply": "x", "repeat": -1},
            [1],
        )
    )
    errors = io.StringIO()
    with pytest.raises(CommandError):
        call_command("import_run", "--path", str(path), "--benchmark", "coin_flip", "--model", "m", stderr=errors)
    told = errors.getvalue().splitlines()
    assert [line.split(":")[0] for line in told] == [f"line {n}" for n in (2, 3, 4, 5, 6, 7, 8, 9)]
    assert "stands in line 1" in told[0] and "999" in told[1] and "UTF-8" in told[3]
    assert not Run.objects.exists() and not Reply.objects.exists()


def test_gzip_is_read_and_a_bomb_is_refused(tmp_path: Path) -> None:
    assert unpack(gzip.compress(b"abc"), "a.gz") == b"abc"
    with pytest.raises(ImportRefused, match="unpacks to more"):
        unpack(gzip.compress(b"0" * 40_000_000), "bomb.gz")


def test_missing_predictions_lower_the_coverage_and_are_no_zero(tmp_path: Path) -> None:
    import_samples("coin_flip")
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(lines(*({"id": n, "reply": "ANSWER: YES"} for n in range(5))))
    out = io.StringIO()
    call_command("import_run", "--path", str(path), "--benchmark", "coin_flip", "--model", "m", stdout=out)
    assert "5 scored of 20 planned" in out.getvalue() and Run.objects.get().partial
