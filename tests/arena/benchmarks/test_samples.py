"""Our own sample problems: whole, correct by our own scorers, with figures that can be read."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from arena.benchmarks import BENCHMARKS, sample_path
from arena.benchmarks import SAMPLES as SAMPLE_FOLDER
from arena.benchmarks.base import ProblemRecord
from arena.benchmarks.coin_flip import count_flips
from arena.services.figures import read_figure
from scoring.registry import SCORERS
from scoring.rubric import score_awards
from scoring.sample import Sample


def sample_problems(slug: str) -> tuple[ProblemRecord, ...]:
    return BENCHMARKS[slug].read(sample_path(slug)).problems


def write_reference_reply(slug: str, problem: ProblemRecord) -> str:
    """The shortest reply in the form that the prompt asks for, with the reference answers in it."""
    values = [answer.value for answer in problem.answers]
    if slug == "hipho":
        return f"<think>Known.</think>\n<answer>\n[{', '.join(values)}]\n</answer>"
    if slug == "phybench":
        return f"Thus \\boxed{{{values[0].strip('$')}}}"
    if slug == "phyx_oe":
        return f"Step by step, the answer is \\boxed{{{values[0]}}}"
    return values[0] if slug == "phyx_mc" else f"ANSWER: {values[0]}"


SAMPLES = [(slug, problem) for slug in BENCHMARKS for problem in sample_problems(slug) if problem.split != "test_mini"]


@pytest.mark.parametrize(("slug", "problem"), SAMPLES, ids=lambda v: v.external_id if hasattr(v, "origin") else v)
def test_each_reference_answer_gets_full_marks(slug: str, problem: ProblemRecord) -> None:
    score = SCORERS[BENCHMARKS[slug].scorer].load()(problem.reference, Sample(write_reference_reply(slug, problem)))
    assert score.points == problem.max_points, score


def test_the_samples_have_their_promised_sizes() -> None:
    sizes = Counter((slug, problem.subset) for slug, problem in SAMPLES if problem.split == "test")
    assert sizes["hipho", "Sample_2026_en"] == sizes["hipho", "Sample_2026_zh"] == 4
    assert sizes["coin_flip", "default"] == 20
    assert len({key for key in sizes if key[0] == "phyx_mc"}) == len({k for k in sizes if k[0] == "phybench"}) == 6
    for slug, total in (("phyx_oe", 8), ("phyx_mc", 8), ("phybench", 8), ("arc_indic", 66)):
        assert sum(n for key, n in sizes.items() if key[0] == slug) == total


def test_full_awards_add_up_to_each_problem_in_every_scheme() -> None:
    problems = sample_problems("hipho")
    for problem in problems:
        awards = [[criterion.max_points for criterion in scheme] for scheme in problem.schemes]
        assert score_awards(problem.schemes, awards).points == problem.max_points
    assert {len(problem.schemes) for problem in problems} == {1, 2}
    assert sum(problem.max_points for problem in problems) == 24


def test_half_of_the_exam_problems_are_chinese_and_all_have_figures() -> None:
    problems = sample_problems("hipho")
    assert Counter(problem.language for problem in problems) == {"en": 4, "zh": 4}
    assert all(problem.figures for problem in problems)
    assert {p.modality.partition("+")[2] for p in problems} == {"illustration figure", "variable figure", "data figure"}


def test_each_language_asks_the_same_questions_with_the_same_keys() -> None:
    problems = sample_problems("arc_indic")
    keys = {language: {} for language in {problem.subset for problem in problems}}
    for problem in problems:
        keys[problem.subset][problem.cluster] = problem.answers[0].value
        assert len({option.text for option in problem.choices}) == 4
    assert len(keys) == 11
    assert all(own == keys["en"] and len(own) == 6 for own in keys.values())


def test_each_language_is_written_in_its_own_script() -> None:
    first_letters = {
        "bn": "ক",
        "gu": "ક",
        "hi": "क",
        "mr": "क",
        "kn": "ಕ",
        "ml": "ക",
        "or": "କ",
        "pa": "ਕ",
        "ta": "க",
        "te": "క",
    }
    for problem in sample_problems("arc_indic"):
        text = problem.statement + "".join(option.text for option in problem.choices)
        blocks = {ord(c) >> 7 for c in text if c.isalpha()}
        assert blocks == {ord(first_letters.get(problem.subset, "k")) >> 7}, problem.external_id


def test_coins_agree_with_their_labels_and_are_balanced() -> None:
    problems = sample_problems("coin_flip")
    for problem in problems:
        counted = count_flips(problem.statement)
        assert counted is not None and counted[1] == problem.answers[0].value
    assert Counter(p.answers[0].value for p in problems if p.split == "test") == {"YES": 10, "NO": 10}
    assert len({problem.statement for problem in problems}) == 24


@pytest.mark.parametrize("slug", ["hipho", "phyx_oe"])
def test_figures_are_ours_and_small(slug: str) -> None:
    for problem in sample_problems(slug):
        for path in problem.figures:
            figure = read_figure(path, sample_path(slug))
            assert figure.mime == "image/png"
            assert figure.width >= 500
            assert figure.n_bytes < 20_000


def test_the_drawing_script_draws_every_committed_figure(tmp_path: Path) -> None:
    package = tmp_path / "samples"
    package.mkdir()
    for name in ("__init__.py", "sheet.py", "draw.py"):
        shutil.copy(SAMPLE_FOLDER / name, package / name)
    subprocess.run([sys.executable, "-m", "samples.draw"], cwd=tmp_path, check=True, timeout=120)
    drawn = {path.relative_to(package): Image.open(path).size for path in package.rglob("*.png")}
    committed = {path.relative_to(SAMPLE_FOLDER): Image.open(path).size for path in SAMPLE_FOLDER.rglob("*.png")}
    assert drawn == committed
    assert len(drawn) == 14
