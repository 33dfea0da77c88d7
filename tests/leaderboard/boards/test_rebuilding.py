"""The derived tables equal a recomputation from nothing, whatever happened before."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.models import Benchmark, Judgment, Reply, Run, Withdrawal
from arena.signals import catalog_changed, scores_changed
from leaderboard.models import BoardState, PageVersion, RunVectors, StaleRun, Standing
from leaderboard.standings import rebuild_board, row_key
from tests.factories import make_user
from tests.leaderboard.boards.scenes import give, give_all, judge, make_board, make_run, make_scorer, override

pytestmark = pytest.mark.django_db


def tell(run: Run) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)


def snapshot() -> dict[Any, Any]:
    skipped = {"id"}
    return {
        row_key(row): {
            f.attname: getattr(row, f.attname) for f in Standing._meta.concrete_fields if f.name not in skipped
        }
        for row in Standing.objects.all()
    }


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["judge", "review", "rescore", "withdraw reply", "withdraw run", "move scorer", "new run"]),
        st.integers(0, 10_000),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(("slug", "kind"), [("hipho", "exam"), ("coin_flip", "field"), ("arc_indic", "language")])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS)
def test_a_random_history_followed_by_signals_equals_a_rebuild_from_nothing(
    slug: str, kind: str, acts: list[tuple[str, int]]
) -> None:
    from django.db import transaction

    with transaction.atomic():
        world = World(slug, kind)
        for act, number in acts:
            world.do(act, number)
        told = snapshot()
        versions = Standing.objects.count()
        for revision, split in [(world.revision.pk, "test")]:
            rebuild_board(revision, split, from_scratch=True)
        assert snapshot() == told
        assert Standing.objects.count() == versions and not StaleRun.objects.exists()
        Standing.objects.all().delete()
        RunVectors.objects.all().delete()
        BoardState.objects.all().delete()
        rebuild_board(world.revision.pk, "test")
        assert snapshot() == told
        transaction.set_rollback(True)


class World:
    """A small board on which things happen."""

    def __init__(self, slug: str, kind: str) -> None:
        answers = ("YES", "NO") if slug == "coin_flip" else ("1",)
        self.answers = answers
        names = {"default": 12} if slug == "coin_flip" else {"a": 7, "b": 6}
        marks = (5.0, 4.0, 3.0) if kind == "exam" else None
        self.revision = make_board(slug, names, answers=answers, kind=kind, parts=2, marks=marks)
        self.entries = list(self.revision.entries.select_related("problem__subset"))
        self.scorers = [self.revision.benchmark.scorer, make_scorer(slug, version="2")]
        self.maintainer = make_user("judgemaster")
        self.runs: list[Run] = []
        for number in range(3):
            self.new_run(number)

    def new_run(self, number: int) -> Run:
        run = make_run(self.revision, f"model {number % 4}", repeats=1 + number % 2, day=len(self.runs))
        self.runs.append(run)
        for entry in self.entries:
            if (entry.position + number) % 5:
                self.judge_sample(run, entry, 0, number)
        tell(run)
        return run

    def judge_sample(self, run: Run, entry: Any, repeat: int, number: int) -> None:
        points = ((entry.position * 7 + number) % 4) / 4 if entry.problem.subset.kind == "exam" else number % 2
        answer = self.answers[(entry.position + number) % len(self.answers)]
        give(run, entry, points, repeat=repeat, answer=answer)

    def do(self, act: str, number: int) -> None:
        run = self.runs[number % len(self.runs)]
        if act == "new run":
            self.new_run(number)
            return
        if act == "judge":
            entry = self.entries[number % len(self.entries)]
            repeat = run.repeats - 1
            if not Reply.objects.filter(run=run, problem=entry.problem, repeat=repeat).exists():
                self.judge_sample(run, entry, repeat, number)
        judgments = list(Judgment.objects.filter(reply__run=run).order_by("pk"))
        if act == "review" and judgments:
            judgment = judgments[number % len(judgments)]
            if judgment.criterion_scores.exists() or judgment.answer_scores.exists():
                override(judgment, float(judgment.max_points) / 2, self.maintainer)
        if act == "rescore":
            for reply in Reply.objects.filter(run=run).exclude(judgments__scorer=self.scorers[1]):
                judge(reply, 1.0 if (reply.pk + number) % 3 else 0.0, scorer=self.scorers[1], answer=self.answers[0])
        if act == "withdraw reply" and (reply := Reply.objects.filter(run=run).first()):
            Withdrawal.objects.create(reply=reply, reason="a test")
        if act == "withdraw run":
            Withdrawal.objects.create(run=run, reason="a test")
        if act == "move scorer":
            Benchmark.objects.filter(pk=self.revision.benchmark_id).update(scorer=self.scorers[number % 2])
            catalog_changed.send(sender=None, revision_id=self.revision.pk, inline=True)
        tell(run)


def test_a_rebuild_that_was_overtaken_is_done_again() -> None:
    revision = make_board("phybench", {"mechanics": 8}, max_points=100)
    run = make_run(revision, "A")
    give_all(run, [100.0] * 8)
    tell(run)
    state = BoardState.objects.get()
    state_before = state.generation
    rebuild_board(revision.pk, "test")
    state.refresh_from_db()
    assert state.generation == state_before + 1


def test_only_the_changed_run_is_read_again() -> None:
    revision = make_board("phybench", {"mechanics": 8}, max_points=100)
    runs = [make_run(revision, name) for name in ("A", "B")]
    for run in runs:
        give_all(run, [100.0] * 7 + [None])
        tell(run)
    before = {row.run_id: row.pk for row in RunVectors.objects.all()}
    entry = revision.entries.select_related("problem__subset").get(position=7)
    judge(Reply.objects.get(run=runs[0], problem=entry.problem), 40.0, scorer=runs[0].scorer)
    tell(runs[0])
    after = {row.run_id: row.pk for row in RunVectors.objects.all()}
    assert after[runs[0].pk] != before[runs[0].pk] and after[runs[1].pk] == before[runs[1].pk]


def test_pages_grow_old_only_when_something_changed() -> None:
    revision = make_board("phybench", {"mechanics": 8}, max_points=100)
    run = make_run(revision, "A")
    give_all(run, [100.0] * 8)
    tell(run)
    token = PageVersion.objects.get().token
    tell(run)
    assert PageVersion.objects.get().token == token
    Withdrawal.objects.create(run=run, reason="a test")
    tell(run)
    assert PageVersion.objects.get().token != token and not Standing.objects.exists()


def test_a_moved_scorer_moves_the_board_and_back() -> None:
    revision = make_board("phybench", {"mechanics": 8}, max_points=100)
    old, new = revision.benchmark.scorer, make_scorer("phybench", version="2")
    run = make_run(revision, "A")
    give_all(run, [Decimal(50)] * 8)  # type: ignore[list-item]
    for reply in Reply.objects.filter(run=run):
        judge(reply, 100.0, scorer=new)
    tell(run)

    def ruling() -> float | None:
        rows = Standing.objects.filter(metric="eed", basis="machine", subset__slug="overall")
        return next(row.value for row in rows if row.details["is_ruling"])

    assert ruling() == 50
    for scorer, value in ((new, 100), (old, 50)):
        Benchmark.objects.filter(pk=revision.benchmark_id).update(scorer=scorer)
        catalog_changed.send(sender=None, revision_id=revision.pk, inline=True)
        assert ruling() == value
