"""From votes in the database to the ratings page: hygiene, an attack, three tables, style, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import Battle, Benchmark, Entrant, Judgment, Pool, Vote, Withdrawal
from arena.services.battles import exclude_votes
from leaderboard.ballots import Scope, read_ballots
from leaderboard.models import Rating, RunVectors
from leaderboard.ratings import make_report, read_report, read_style, rebuild_ratings
from leaderboard.selectors.arena_scope import count_votes, list_filters
from leaderboard.standings import rebuild_board
from tests.arena.battles.scenes import publish_run
from tests.factories import make_user

pytestmark = pytest.mark.django_db

N_MODELS, N_HONEST, N_ATTACK, N_BOTS, PROMOTED = 20, 20_000, 1_000, 50, 8


def make_battles(n_models: int) -> tuple[list[Entrant], dict[tuple[int, int], Battle]]:
    """An imported battle of every pair: votes may then stand without replies."""
    entrants = Entrant.objects.bulk_create(Entrant(slug=f"m{i:02d}", name=f"Model {i:02d}") for i in range(n_models))
    battles = [
        Battle(
            key=f"test:{i}:{j}",
            origin=Battle.Origin.IMPORTED,
            entrant_a=entrants[i],
            entrant_b=entrants[j],
            question="q",
        )
        for i, j in combinations(range(n_models), 2)
    ]
    stored = Battle.objects.bulk_create(battles)
    return entrants, dict(zip(combinations(range(n_models), 2), stored, strict=True))


class Ballot:
    """Votes by position and voter name; a voter may vote on a pair once, so each has a battle of its own."""

    def __init__(self, n_models: int) -> None:
        self.entrants, _ = make_battles(n_models)
        self.battles: list[Battle] = []
        self.votes: list[tuple[str, str, bool, float]] = []

    def add(self, left: int, right: int, outcome: float, voter: str, seconds: float = 30.0) -> None:
        a, b = min(left, right), max(left, right)
        self.battles.append(
            Battle(
                key=f"v:{len(self.battles)}",
                origin=Battle.Origin.IMPORTED,
                entrant_a=self.entrants[a],
                entrant_b=self.entrants[b],
                question=str(len(self.battles)),
            )
        )
        first = {1.0: left, 0.0: right}.get(outcome)
        word = "tie" if first is None else "a" if first == a else "b"
        self.votes.append((voter, word, left != a, seconds))

    def store(self, pool: str = Pool.ANONYMOUS) -> None:
        battles = Battle.objects.bulk_create(self.battles, batch_size=2000)
        Vote.objects.bulk_create(
            (
                Vote(battle=battle, voter=voter, pool=pool, outcome=word, swapped=swapped, seconds=seconds)
                for battle, (voter, word, swapped, seconds) in zip(battles, self.votes, strict=True)
            ),
            batch_size=2000,
        )


def cast_attack(seed: int) -> Ballot:
    rng = np.random.default_rng(seed)
    strengths, ballot = np.linspace(-1, 1, N_MODELS), Ballot(N_MODELS)
    for _ in range(N_HONEST):
        i, j = (int(x) for x in rng.choice(N_MODELS, 2, replace=False))
        p = 1 / (1 + np.exp(strengths[j] - strengths[i]))
        outcome = 0.5 if rng.random() < 0.15 else float(rng.random() < p)
        ballot.add(i, j, outcome, f"cookie-{rng.integers(800):04d}")
    for n in range(N_ATTACK):
        other = int(rng.integers(N_MODELS - 1))
        other += other >= PROMOTED
        left = rng.random() < 0.5
        ballot.add(PROMOTED if left else other, other if left else PROMOTED, float(left), f"bot-{n % N_BOTS:02d}")
    return ballot


def test_an_attack_of_fifty_bots_moves_its_model_by_less_than_the_interval_and_is_shown() -> None:
    ballot = cast_attack(seed=0)
    ballot.store()
    report = make_report(Scope("anonymous"))
    honest = make_report_without_bots()
    place = report.entrants.index(ballot.entrants[PROMOTED].pk)
    before, after, unguarded = (t.ratings[place] for t in (honest, report.table, report.with_all))
    width = before.high - before.low
    assert abs(after.rating - before.rating) < width / 2
    assert unguarded.rating - before.rating > 2 * width
    held = {report.voters[score.voter] for score in report.held}
    assert len({voter for voter in held if voter.startswith("bot-")}) == N_BOTS
    assert len({voter for voter in held if voter.startswith("cookie-")}) <= 8
    client = Client()
    page = client.get("/arena/ratings/?pool=anonymous").content.decode()
    assert "votes in quarantine" in page and "With quarantined" in page
    client.force_login(make_user("maintainer", "maintainer"))
    page = client.get("/arena/voters/?pool=anonymous").content.decode()
    assert "votes for one model" in page and "Model 08" in page


def make_report_without_bots():  # type: ignore[no-untyped-def]
    from leaderboard.ratings import _rate

    ballots = read_ballots(Scope("anonymous"))
    is_bot = np.array([name.startswith("bot-") for name in ballots.voters])
    return _rate(Scope("anonymous"), ballots.votes.select(~is_bot[ballots.votes.unit]))


@pytest.fixture
def league() -> Ballot:
    """Three models, twelve voters, everybody beats somebody."""
    ballot = Ballot(3)
    for n in range(12):
        ballot.add(0, 1, 1.0 if n % 3 else 0.0, f"cookie-{n}")
        ballot.add(2, 1, 0.0 if n % 3 else 1.0, f"cookie-{n}")
        ballot.add(2, 0, 1.0 if n % 4 == 0 else 0.5, f"cookie-{n}")
    return ballot


def test_pools_are_rated_apart(league: Ballot) -> None:
    league.store(Pool.SIGNED_IN)
    assert read_report(Scope("signed-in")).n_votes == 36
    assert read_report(Scope("anonymous")).n_votes == 0
    assert read_report(Scope("people")).n_votes == 36
    assert read_report(Scope("judge")).n_votes == 0


def test_people_are_resampled_by_voter_and_judges_by_problem(league: Ballot) -> None:
    league.store(Pool.JUDGE)
    assert read_report(Scope("judge")).table.n_units == 36
    assert read_report(Scope("judge")).voters == ()


def test_an_exclusion_takes_its_votes_out_and_is_listed(league: Ballot) -> None:
    league.store()
    assert read_report(Scope("people")).n_votes == 36
    exclude_votes(Vote.objects.filter(voter="cookie-0"), "a script", None)
    report = read_report(Scope("people"))
    assert report.n_votes == 33 and report.excluded == (("a script", 3),)


def test_speed_is_no_anomaly_where_replies_are_read_at_a_glance() -> None:
    for size, n_held in ((40, 0), (400, 30)):
        ballot = Ballot.__new__(Ballot)
        ballot.entrants = Entrant.objects.bulk_create(Entrant(slug=f"s{size}{i}", name=f"S {size} {i}") for i in (0, 1))
        ballot.battles, ballot.votes = [], []
        for n in range(30):
            ballot.add(n % 2, 1 - n % 2, float(n % 3 > 0), "cookie-quick", seconds=1.0)
            ballot.battles[-1].style = {"a": [size, 0, 0], "b": [size, 0, 0]}
            ballot.battles[-1].key = f"{size}:{n}"
            ballot.battles[-1].source = f"size {size}"
        ballot.store()
        assert read_report(Scope("people", source=f"size {size}")).n_held == n_held


def test_votes_on_withdrawn_runs_do_not_count() -> None:
    runs = [publish_run(name) for name in ("Alder", "Birch")]
    replies = [run.replies.first() for run in runs]
    battle = Battle.objects.create(
        key="k", origin="people", entrant_a=runs[0].entrant, entrant_b=runs[1].entrant, reply_a=replies[0],
        reply_b=replies[1], benchmark=Benchmark.objects.get(), question="1",
    )  # fmt: skip
    Vote.objects.create(battle=battle, voter="v", pool=Pool.ANONYMOUS, outcome="a")
    assert read_report(Scope("people")).n_votes == 1
    Withdrawal.objects.create(run=runs[0], reason="wrong", by=make_user("m"))
    assert read_report(Scope("people")).n_votes == 0


def test_scopes_narrow_by_field_and_language(league: Ballot) -> None:
    for n, battle in enumerate(league.battles):
        battle.field, battle.language = ("optics", "en") if n < 9 else ("mechanics", "hi")
    league.store()
    assert read_report(Scope("people", field="optics")).n_votes == 9
    assert read_report(Scope("people", language="hi")).n_votes == 27


def test_a_field_that_data_sets_write_in_two_cases_is_one(league: Ballot, client: Client) -> None:
    for n, battle in enumerate(league.battles):
        battle.field = "Modern Physics" if n < 9 else "Modern physics"
    league.store()
    assert read_report(Scope("people", field="Modern Physics")).n_votes == 36
    assert [option.value for option in list_filters(Scope("people"))["fields"]] == ["Modern Physics"]
    by_field = dict(count_votes(Scope("people")))["by field"]
    assert [(row.label, row.n) for row in by_field] == [("Modern Physics", 36)]


def test_stored_ratings_follow_a_rebuild(league: Ballot) -> None:
    league.store()
    assert rebuild_ratings(["people"]) == 3
    assert Rating.objects.filter(pool="people", benchmark="").count() == 3
    assert rebuild_ratings([Pool.ANONYMOUS]) == 6  # its own table and that of all people
    assert round(sum(Rating.objects.filter(pool="people").values_list("rating", flat=True)) / 3) == 1000


def test_warnings_name_the_models(client: Client) -> None:
    ballot = Ballot(4)
    for n in range(8):
        ballot.add(0, 1, 1.0, f"cookie-{n}")
        ballot.add(2, 3, float(n % 2), f"cookie-{n}")
    ballot.store()
    page = client.get("/arena/ratings/").content.decode()
    assert "Wins do not connect all models (3 groups)" in page
    assert "Won every battle, so there is no upper end: Model 00." in page
    assert "Lost every battle, so there is no lower end: Model 01." in page
    assert "Preliminary, under 30 votes" in page and 'class="tag warning">preliminary' in page
    assert "Who beats whom" in page


def test_too_few_voters_give_no_interval(client: Client) -> None:
    ballot = Ballot(2)
    for n in range(8):
        ballot.add(0, 1, float(n % 2), f"cookie-{n % 3}")
    ballot.store()
    assert "n = 3 voters: no intervals." in client.get("/arena/ratings/").content.decode()


def test_style_control_shows_its_coefficients(client: Client) -> None:
    ballot, rng = Ballot(3), np.random.default_rng(4)
    for n in range(300):
        i, j = (int(x) for x in rng.choice(3, 2, replace=False))
        ballot.add(i, j, float(rng.random() < 0.5), f"cookie-{n % 40}")
        sizes = rng.integers(50, 900, size=2).tolist()
        ballot.battles[-1].style = {"a": [sizes[0], 3, 0], "b": [sizes[1], 1, 0]}
    ballot.store()
    scope = Scope("people")
    style = read_style(scope, read_report(scope))
    assert style is not None and style.dropped == ("lists",) and style.n_votes == 300
    page = client.get("/arena/ratings/?style=1").content.decode()
    assert "What style is worth" in page and "Style held equal" in page


def test_style_differences_point_to_the_side_that_is_left() -> None:
    ballot = Ballot(2)
    for left, right in ((0, 1), (1, 0)):
        ballot.add(left, right, 0.5, "cookie-1")
        ballot.battles[-1].style = {"a": [300, 0, 0], "b": [100, 0, 0]}
    ballot.store()
    assert read_ballots(Scope("people")).styles[:, 0].tolist() == [0.5, -0.5]


@pytest.fixture
def scored() -> Iterator[list[str]]:
    """Three models on CoinFlip: one always right, one three times in four, one never."""
    names = ["Alder", "Birch", "Cedar"]
    for name in names:
        run = publish_run(name, words=lambda name, problem: f"{name[:1]} ANSWER: YES")
        for n, reply in enumerate(run.replies.order_by("problem_id")):
            points = {"Alder": 1, "Birch": int(n % 4 > 0), "Cedar": 0}[name]
            right = reply.problem.answers.get().value
            said = right if points else {"YES": "NO", "NO": "YES"}[right]
            Judgment.objects.create(
                reply=reply, scorer=run.scorer, status="scored", points=points, max_points=1, answer=said
            )
    rebuild_board(run.revision_id, run.split)
    yield names


def test_battles_from_scores_keep_the_order_of_the_board(scored: list[str], client: Client) -> None:
    assert RunVectors.objects.count() >= 3
    report = read_report(Scope("scores"))
    assert report.n_votes == 3 * 20
    names = dict(Entrant.objects.values_list("pk", "name"))
    ranked = sorted(report.table.ratings, key=lambda r: -(r.rating or 0))
    assert [names[report.entrants[r.model]] for r in ranked] == scored
    page = client.get("/arena/ratings/?pool=scores").content.decode()
    assert "no vote is in them" in page and "Davidson" in page
    assert "+1.00" in page  # Spearman with the board


def test_the_three_tables_stand_side_by_side(scored: list[str], client: Client) -> None:
    entrants = list(Entrant.objects.filter(name__in=scored).order_by("pk"))
    for pool in (Pool.ANONYMOUS, Pool.JUDGE):
        battle = Battle.objects.create(
            key=f"k{pool}", origin="imported", entrant_a=entrants[0], entrant_b=entrants[1], question="1"
        )
        Vote.objects.create(battle=battle, voter="v", pool=pool, outcome="a")
    rebuild_ratings()
    page = client.get("/arena/ratings/").content.decode()
    assert "people, all pools and LLM judges" in page and "LLM judges and from scores" in page
    row = page.partition(">From scores</a>")[2].partition("</tbody>")[0]
    assert row.count("<tr>") == 3


def test_a_ratings_page_takes_a_bounded_number_of_queries(client: Client, league: Ballot) -> None:
    league.store()
    client.get("/arena/ratings/")
    with CaptureQueriesContext(connection) as few:
        client.get("/arena/ratings/")
    more = Ballot.__new__(Ballot)
    more.entrants = Entrant.objects.bulk_create(Entrant(slug=f"x{i}", name=f"Other {i}") for i in range(12))
    more.battles, more.votes = [], []
    for n in range(100):
        more.add(n % 12, (n + 1) % 12, float(n % 2), f"cookie-{n % 30}")
    for battle in more.battles:
        battle.key = f"more-{battle.key}"
    more.store()
    cache.clear()
    client.get("/arena/ratings/")
    with CaptureQueriesContext(connection) as many:
        client.get("/arena/ratings/")
    assert len(many) == len(few)
