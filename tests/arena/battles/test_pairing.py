"""Who fights whom: seeded, new models first, the uncertain pairs more often, problems and sides in balance."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from arena.models import Battle, BattleServing, Benchmark, Pool, Problem, Run, Vote, Withdrawal
from arena.services.battles import cast_vote, serve_battle
from arena.services.leaks import MASK
from arena.services.pairing import NEW_BELOW, Filters, PairCounts, is_same_text, measure_style, order_pairs, uncertainty
from tests.arena.battles.scenes import publish_run, visitor
from tests.factories import make_user

ALL = Filters()


def counts(pairs: dict[tuple[int, int], tuple[int, float]]) -> PairCounts:
    """pair -> (battles, points of the first)."""
    votes: Counter[int] = Counter()
    points: Counter[int] = Counter()
    for (a, b), (n, won) in pairs.items():
        votes[a] += n
        votes[b] += n
        points[a] += won  # type: ignore[assignment]
        points[b] += n - won  # type: ignore[assignment]
    return PairCounts({pair: n for pair, (n, _) in pairs.items()}, votes, points)


def test_a_close_pair_is_more_uncertain_than_a_settled_one() -> None:
    known = counts({(1, 2): (200, 100), (1, 3): (200, 190), (2, 3): (200, 190)})
    assert uncertainty((1, 2), known) > 10 * uncertainty((1, 3), known)


def test_battles_already_fought_make_a_pair_less_urgent() -> None:
    few = counts({(1, 2): (40, 20), (1, 3): (400, 200), (2, 3): (400, 200)})
    assert uncertainty((1, 2), few) > uncertainty((1, 3), few)


def test_every_pair_with_a_new_model_goes_before_the_others() -> None:
    known = counts({(1, 2): (100, 50), (1, 3): (NEW_BELOW - 2, 10)})
    for seed in range(20):
        order = order_pairs([(1, 2), (1, 3), (2, 3), (3, 4)], known, random.Random(seed))
        assert order[-1] == (1, 2)


def test_the_same_seed_gives_the_same_order() -> None:
    known = counts({(1, 2): (100, 50), (1, 3): (100, 60), (2, 3): (100, 50)})
    pairs = [(1, 2), (1, 3), (2, 3)]
    assert order_pairs(pairs, known, random.Random(5)) == order_pairs(pairs, known, random.Random(5))
    firsts = {order_pairs(pairs, known, random.Random(seed))[0] for seed in range(40)}
    assert len(firsts) > 1


def test_white_space_makes_no_second_reply() -> None:
    assert is_same_text("a  b\n", " a b") and not is_same_text("ab", "a b")


def test_style_counts_length_formulas_and_list_items() -> None:
    assert measure_style("- one $x$\n- two\n1. three $$y$$ \\(z\\)") == [36, 3, 3]


@pytest.mark.django_db
def test_a_voter_never_meets_the_same_pair_on_the_same_problem_twice() -> None:
    for name in ("Alder", "Birch"):
        publish_run(name)
    voter, seen = visitor("v1"), set()
    for _ in range(20):  # the sample set has twenty problems
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "left")
        seen.add(serving.battle.problem_id)
    assert len(seen) == 20
    assert serve_battle(voter, ALL) is None


@pytest.mark.django_db
def test_sides_and_problems_stay_in_balance_over_voters() -> None:
    for name in ("Alder", "Birch"):
        publish_run(name)
    for number in range(40):
        voter = visitor(f"v{number}")
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "tie")
    assert BattleServing.objects.filter(swapped=True).count() == 20
    fought = Counter(Battle.objects.values_list("problem", flat=True))
    assert len(fought) == 20


@pytest.mark.django_db
def test_identical_replies_never_fight() -> None:
    for name in ("Alder", "Birch"):
        publish_run(name, words=lambda name, problem: "ANSWER: YES")
    assert serve_battle(visitor("v1"), ALL) is None


@pytest.mark.django_db
def test_many_identical_replies_do_not_hide_the_one_that_differs() -> None:
    for name in ("Alder", "Birch"):
        publish_run(
            name,
            "arc_indic",
            words=lambda name, problem: f"{len(name) * ord(name[0])} so B" if problem.pk % 20 == 0 else "ANSWER: A",
        )
    n = sum(problem.pk % 20 == 0 for problem in Problem.objects.all())
    voter = visitor("v1")
    for _ in range(n):
        serving = serve_battle(voter, ALL)
        assert serving is not None
        cast_vote(voter, serving.battle.uuid, "tie")
    assert n > 1 and serve_battle(voter, ALL) is None


@pytest.mark.django_db
def test_replies_that_differ_by_their_name_alone_never_fight() -> None:
    for name in ("Alderwood", "Birchwood"):
        publish_run(name, words=lambda name, problem: f"I am {name}. ANSWER: YES")
    assert serve_battle(visitor("v1"), ALL) is None


@pytest.mark.django_db
def test_names_are_masked_in_what_fights() -> None:
    from arena.services.battles import shown_texts

    for name in ("Alderwood", "Birchwood"):
        publish_run(name, words=lambda name, problem: f"I am {name}. Variant {len(name) + ord(name[0])}.")
    serving = serve_battle(visitor("v1"), ALL)
    assert serving is not None and (serving.battle.leaks_a, serving.battle.leaks_b) == (1, 1)
    for text in shown_texts(serving.battle):
        assert MASK in text and "wood" not in text


@pytest.mark.django_db
def test_only_published_runs_of_public_benchmarks_fight() -> None:
    publish_run("Alder")
    publish_run("Birch", published_at=None)
    assert serve_battle(visitor("v1"), ALL) is None
    Run.objects.filter(entrant__name="Birch").update(published_at="2026-01-01T00:00Z")
    Benchmark.objects.update(is_public=False)
    assert serve_battle(visitor("v1"), ALL) is None
    Benchmark.objects.update(is_public=True)
    assert serve_battle(visitor("v1"), ALL) is not None


@pytest.mark.django_db
def test_an_open_battle_goes_when_its_run_is_withdrawn() -> None:
    publish_run("Alder")
    run = publish_run("Birch")
    voter = visitor("v1")
    assert serve_battle(voter, ALL) is not None
    Withdrawal.objects.create(run=run, reason="wrong model", by=make_user("maintainer"))
    assert serve_battle(voter, ALL) is None


@pytest.mark.django_db
def test_nobody_judges_their_own_model() -> None:
    from arena.services.voters import identify

    owner = make_user("submitter")
    publish_run("Alder")
    publish_run("Birch", owner=owner)
    assert serve_battle(identify(owner, "c", ""), ALL) is None
    assert serve_battle(identify(make_user("other"), "c", ""), ALL) is not None


@pytest.mark.django_db
def test_a_new_model_fights_before_the_known_ones() -> None:
    for name in ("Alder", "Birch"):
        publish_run(name)
    first = serve_battle(visitor("v0"), ALL)
    assert first is not None
    for number in range(NEW_BELOW):
        Vote.objects.create(battle=first.battle, voter=f"old-{number}", pool=Pool.ANONYMOUS, outcome="tie")
    from django.core.cache import cache

    cache.clear()
    publish_run("Cedar")
    for number in range(10):
        serving = serve_battle(visitor(f"v{number + 1}"), ALL)
        assert serving is not None
        assert "Cedar" in (serving.battle.entrant_a.name, serving.battle.entrant_b.name)


@pytest.mark.django_db
def test_filters_narrow_what_is_served() -> None:
    for slug in ("coin_flip", "arc_indic"):
        for name in ("Alder", "Birch"):
            publish_run(name, slug)
    hindi = serve_battle(visitor("v1"), Filters(language="hi"))
    assert hindi is not None and hindi.battle.language == "hi"
    coin = serve_battle(visitor("v1"), Filters(benchmark="coin_flip"))
    assert coin is not None and coin.battle.benchmark.slug == "coin_flip"
    assert serve_battle(visitor("v1"), Filters(field="no such field")) is None
