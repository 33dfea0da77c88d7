"""The page of methods: each formula with live numbers, whose steps can be followed and end in the number of a board."""

from __future__ import annotations

import re
from html import unescape
from math import comb, sqrt

import pytest
from django.test import Client
from django.utils.html import escape
from scipy import stats

from arena.signals import scores_changed
from leaderboard.models import Standing
from leaderboard.worked import COMPARISONS, EXAMPLES, Worked, work_examples
from tests.leaderboard.boards.scenes import give, give_all, make_board, make_run

pytestmark = pytest.mark.django_db
QUOTIENT = re.compile(r"(?<![\d.+×(\-] )(?<![\d.])(\d+(?:\.\d+)?) / (\d+(?:\.\d+)?) = (\d+(?:\.\d+)?)")


def tell(*runs: object) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs], inline=True)  # type: ignore[attr-defined]


@pytest.fixture
def flips() -> None:
    """CoinFlip: F1, Wilson, three models that are ranked by bootstrap error."""
    revision = make_board("coin_flip", {"default": 60}, answers=("YES", "NO"))
    answers = ["YES", "NO"] * 30
    for name, wrong in (("Alpha", 4), ("Beta", 12), ("Gamma", 30)):
        run = make_run(revision, name)
        said = [("NO" if a == "YES" else "YES") if i < wrong else a for i, a in enumerate(answers)]
        give_all(run, [float(i >= wrong) for i in range(60)], answers=said)
        tell(run)


@pytest.fixture
def formulas() -> None:
    """PHYBench with four attempts: means of repeats, bootstrap, EED, pass@2, votes, and what is not scored."""
    revision = make_board("phybench", {"mechanics": 20, "optics": 10}, max_points=100)
    for name, shift in (("Alpha", 0), ("Beta", 7)):
        run = make_run(revision, name, repeats=4)
        for repeat in range(4):
            for i, entry in enumerate(revision.entries.select_related("problem__subset").order_by("position")):
                is_right = (i + shift + repeat) % 3 > 0
                edits = {} if is_right else {"details": {"distance": 3.0, "size": 20}}
                said = "a" if is_right else "b"
                give(run, entry, 100.0 if is_right else 45.0, repeat=repeat, answer=said, details=edits)
        tell(run)
    part = make_run(revision, "Half")
    give_all(part, [100.0] * 15 + [None] * 15)
    tell(part)


@pytest.fixture
def exams() -> None:
    """HiPhO: two exams of nine problems in three sittings, and one run with a single sitting."""
    revision = make_board(
        "hipho", {"IPhO_2025": 9, "IPhO_2024": 9}, kind="exam", max_points=2, marks=(15.0, 11.0, 7.0), parts=3
    )
    for name, sittings in (("Alpha", 3), ("Beta", 1)):
        run = make_run(revision, name, repeats=sittings)
        for repeat in range(sittings):
            give_all(run, [round(0.1 * ((7 * i + 3 * repeat + len(name)) % 21), 1) for i in range(18)], repeat=repeat)
        tell(run)


@pytest.fixture
def letters() -> None:
    """PhyX: single attempts right or wrong, for McNemar's test."""
    revision = make_board("phyx_mc", {"optics": 40})
    for name, step in (("Alpha", 5), ("Beta", 3)):
        run = make_run(revision, name)
        give_all(run, [float(i % step != 0) for i in range(40)])
        tell(run)
    nothing = make_run(revision, "Nothing", shots=1)
    give_all(nothing, [0.0] * 40)
    tell(nothing)


def check_quotients(example: Worked) -> int:
    """Every `a / b = c` of the steps holds; returns how many there are."""
    found = [match for step in example.steps for match in QUOTIENT.findall(step.replace("−", "-"))]
    for top, bottom, value in found:
        digits = len(value.partition(".")[2])
        assert float(value) == pytest.approx(float(top) / float(bottom), abs=0.6 * 10**-digits + 2e-5), example.steps
    return len(found)


def numbers_of(text: str) -> list[float]:
    return [float(value) for value in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def test_quotients_hold_and_results_stand_where_they_lead(
    flips: None, formulas: None, exams: None, letters: None, client: Client
) -> None:
    found = work_examples()
    expected = {*EXAMPLES, *COMPARISONS} - {"gap", "correction", "rating", "macro", "unanimous", "jackknife"}
    assert expected <= set(found)
    assert sum(check_quotients(example) for example in found.values()) >= 5
    for key, example in found.items():
        response = client.get(example.url.partition("#")[0])
        assert response.status_code == 200, (key, example.url)
        page = unescape(response.content.decode())
        if key not in ("mcnemar", "paired_t", "normal"):
            first = numbers_of(example.result.partition("=")[2] or example.result)[0]
            assert re.search(rf"(?<![\d.]){re.escape(f'{first:.1f}')}", page) or f"{first:g}" in page, (key, example)


def test_wilsons_steps_give_the_boards_bounds(letters: None) -> None:
    example = work_examples()["wilson"]
    right, n = numbers_of(example.steps[0])[:2]
    low, high = stats.binomtest(int(right), int(n)).proportion_ci(method="wilson")
    assert numbers_of(example.steps[3])[-2:] == [round(100 * low, 1), round(100 * high, 1)]
    assert f"{100 * low:.1f}" in example.result and f"{100 * high:.1f}" in example.result


def test_the_steps_of_t_and_of_the_bootstrap_hold_the_stored_error(exams: None, formulas: None) -> None:
    found = work_examples()
    for key, kind in (("t", "t"), ("bootstrap", "cluster bootstrap")):
        se = numbers_of(found[key].steps[1])[-1]
        stored = Standing.objects.filter(interval_kind=kind).values_list("se", flat=True)
        assert any(abs(se - (value or 0)) < 1e-5 for value in stored), key
    g, less, squares, n, se = numbers_of(found["t"].steps[1].partition("√")[2])
    assert se == pytest.approx(sqrt(g / less * squares) / n, abs=2e-4)


def test_a_medal_follows_from_the_points_of_the_problems(exams: None) -> None:
    example = work_examples()["exam"]
    parts = re.findall(r"IPhO_\d+_\d+ ([\d.]+) / ([\d.]+)", example.steps[0])
    total = sum(float(points) for points, _full in parts)
    assert total == pytest.approx(numbers_of(example.steps[1])[0], abs=1e-3)
    assert numbers_of(example.result)[0] == round(total, 1)
    medal = "gold" if total >= 15 else "silver" if total >= 11 else "bronze" if total >= 7 else "none"
    assert f"the medal is {medal}" in example.steps[2]


def test_sittings_give_their_mean_and_half_width(exams: None) -> None:
    example = work_examples()["sittings"]
    totals = numbers_of(example.steps[0].partition(":")[2])[:3]
    mean, half = sum(totals) / 3, numbers_of(example.steps[1])[-1]
    spread = sqrt(sum((total - mean) ** 2 for total in totals) / 2)
    assert half == pytest.approx(stats.t.ppf(0.975, 2) * spread / sqrt(3), abs=1e-3)
    assert numbers_of(example.result)[0] == round(mean, 1)


def test_the_counts_of_f1_give_the_boards_f1(flips: None) -> None:
    example = work_examples()["f1"]
    _n, tp, fp, fn, missing = numbers_of(example.steps[0].replace("F1", ""))
    value = 2 * tp / (2 * tp + fp + fn + missing)
    assert numbers_of(example.result)[0] == round(value, 3)


def test_mcnemars_counts_give_p_and_holm_corrects_it(letters: None, client: Client) -> None:
    example = work_examples()["mcnemar"]
    _n, x, y = (int(value) for value in numbers_of(example.steps[0]))
    p = min(1.0, 2 * stats.binom.cdf(min(x, y), x + y, 0.5))
    page = client.get(example.url).content.decode()
    said = numbers_of(example.steps[1])[-1]
    assert said == pytest.approx(p, abs=0.006) and f"{said:.2f}" in page


def test_the_distance_gives_the_eed(formulas: None) -> None:
    example = work_examples()["eed"]
    assert numbers_of(example.result) == [45.0] and "60 − 100 × 0.15 = 45" in example.steps[1]


def test_pass_at_2_of_a_problem_follows_from_its_counts(formulas: None, client: Client) -> None:
    example = work_examples()["pass"]
    c, n = re.findall(r": (\d+) of (\d+) attempts", example.steps[0])[0]
    value = 1 - comb(int(n) - int(c), 2) / comb(int(n), 2)
    assert f"= {value:.4f}".rstrip("0") in example.steps[1]
    assert f">{numbers_of(example.result.partition('=')[2])[0]:.1f}<" in client.get(example.url).content.decode()


def test_the_rank_interval_follows_from_who_is_better(flips: None) -> None:
    example = work_examples()["place"]
    m, better, worse = (int(value) for value in numbers_of(example.steps[0]))
    name = example.whose.split(",")[0]
    row = Standing.objects.get(entrant__name=name, metric="f1_score", basis="machine", subset__slug="overall")
    assert (row.rank_low, row.rank_high) == (1 + better, m - worse)


def test_two_ratings_say_how_often_one_wins(flips: None, client: Client) -> None:
    example = work_examples()["rating"]
    gap, _ten, _gap, _elo, odds, _one, share = numbers_of(example.steps[1])
    assert odds == pytest.approx(10 ** (gap / 400), rel=1e-2) and share == pytest.approx(
        100 * odds / (1 + odds), abs=0.1
    )
    page = client.get(example.url).content.decode()
    assert all(f">{rating:.0f}<" in page for rating in numbers_of(example.result))


def test_the_page_shows_every_example_and_stands_without_any(client: Client) -> None:
    assert client.get("/methodology/").status_code == 200
    revision = make_board("phyx_mc", {"optics": 40})
    run = make_run(revision, "Alpha")
    give_all(run, [float(i % 4 != 0) for i in range(40)])
    tell(run)
    page = client.get("/methodology/").content.decode()
    for example in work_examples().values():
        assert escape(example.whose) in page and all(escape(step) in page for step in example.steps)


def test_one_pair_needs_no_correction(formulas: None, flips: None) -> None:
    found = work_examples()
    assert found["paired_t"].steps[-1] == "This is the board's only pair: nothing is corrected."
    assert "Holm: of the board's 3 pairs" in found["normal"].steps[-2]
