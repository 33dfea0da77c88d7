"""A run carried to corrected references: its replies are scored anew, nobody is asked, and nothing is told twice."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from arena.benchmarks import samples
from arena.errors import Refused
from arena.models import Benchmark, DatasetRevision, Entrant, JudgeReply, Judgment, Reply, Run, Withdrawal
from arena.services.carrying import carry_over
from arena.services.rescoring import rescore_run
from tests.arena.judging.court import judged_run, play
from tests.factories import import_samples
from tests.fake_llm import FakeLLM

pytestmark = pytest.mark.django_db
SAMPLES = Path(samples.__file__).parent
QUESTION = "Q: A coin is heads up. {}. Is the coin still heads up?"
FLIPS = ("ada flips the coin", "bo does not flip the coin", "cy flips the coin. dee flips the coin")
TRUTH = ("NO", "YES", "YES")


def import_flips(folder: Path, label: str, *answers: str, statements: tuple[str, ...] = FLIPS) -> DatasetRevision:
    folder.mkdir(exist_ok=True)
    lines = [
        json.dumps({"id": f"c{i}", "question": QUESTION.format(text), "answer": answer})
        for i, (text, answer) in enumerate(zip(statements, answers, strict=True))
    ]
    path = folder / "test.jsonl"
    path.write_text("\n".join(lines))
    return import_samples("coin_flip", folder, label).revision


def reply_to_all(revision: DatasetRevision, *texts: str, name: str = "Alpha") -> Run:
    """A finished, published run with these replies, scored by rule."""
    now = timezone.now()
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower(), defaults={"name": name})
    run = Run.objects.create(
        entrant=entrant, revision=revision, scorer=Benchmark.objects.get().scorer, state=Run.State.FINISHED,
        finished_at=now, published_at=now, planned=len(texts), params={"temperature": 0.5},
    )  # fmt: skip
    for entry, text in zip(revision.entries.filter(split="test").order_by("position"), texts, strict=True):
        Reply.objects.create(run=run, problem=entry.problem, text=text, completion_tokens=7)
    rescore_run(run, run.scorer, inline=True)
    return run


def points_of(run: Run) -> dict[str, int]:
    rows = Judgment.objects.filter(reply__run=run, scorer=run.scorer)
    return {name: int(points) for name, points in rows.values_list("reply__problem__external_id", "points")}


def test_replies_are_scored_against_the_corrected_reference(tmp_path: Path) -> None:
    old = import_flips(tmp_path / "a", "r1", "YES", "YES", "YES")
    run = reply_to_all(old, *(f"The answer is {word}." for word in TRUTH))
    new = import_flips(tmp_path / "b", "r2", *TRUTH)
    carried, done = carry_over(run, new, inline=True)
    assert points_of(run) == {"c0": 0, "c1": 1, "c2": 1}
    assert points_of(carried) == {"c0": 1, "c1": 1, "c2": 1} and done.unscored == 0
    assert (carried.revision, carried.carried_from, carried.provenance) == (new, run, run.provenance)
    assert carried.params == run.params and carried.finished_at == run.finished_at and carried.planned == 3
    assert [r.completion_tokens for r in carried.replies.all()] == [7, 7, 7]


def test_carrying_twice_adds_nothing(tmp_path: Path) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    new = import_flips(tmp_path / "b", "r2", *TRUTH)
    first, _ = carry_over(run, new, inline=True)
    counts = Run.objects.count(), Reply.objects.count(), Judgment.objects.count()
    second, done = carry_over(run, new, inline=True)
    assert second == first and done.judgments == 0
    assert counts == (Run.objects.count(), Reply.objects.count(), Judgment.objects.count())


def test_a_reply_to_another_question_is_left_behind(tmp_path: Path) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", *TRUTH), "NO", "YES", "YES")
    texts = (*FLIPS[:2], "cy flips the coin. dee does not flip the coin")
    new = import_flips(tmp_path / "b", "r2", "NO", "YES", "NO", statements=texts)
    carried, _ = carry_over(run, new, inline=True)
    assert points_of(carried) == {"c0": 1, "c1": 1} and carried.planned == 3


def test_a_withdrawn_reply_stays_behind(tmp_path: Path) -> None:
    run = reply_to_all(import_flips(tmp_path / "a", "r1", "YES", "YES", "YES"), "NO", "YES", "YES")
    Withdrawal.objects.create(reply=run.replies.get(problem__external_id="c1"), reason="a test")
    carried, _ = carry_over(run, import_flips(tmp_path / "b", "r2", *TRUTH), inline=True)
    assert set(points_of(carried)) == {"c0", "c2"}


def test_what_may_not_be_carried_is_refused(tmp_path: Path) -> None:
    old = import_flips(tmp_path / "a", "r1", "YES", "YES", "YES")
    run = reply_to_all(old, "NO", "YES", "YES")
    new = import_flips(tmp_path / "b", "r2", *TRUTH)
    with pytest.raises(Refused, match="was made on r1"):
        carry_over(run, old)
    Run.objects.filter(pk=run.pk).update(published_at=None)
    run.refresh_from_db()
    with pytest.raises(Refused, match="not finished and published"):
        carry_over(run, new)
    assert Run.objects.count() == 1


def test_the_command_carries_every_published_run_of_the_revision_before(tmp_path: Path) -> None:
    old = import_flips(tmp_path / "a", "r1", "YES", "YES", "YES")
    reply_to_all(old, "NO", "YES", "YES", name="Alpha")
    reply_to_all(old, "YES", "YES", "YES", name="Beta")
    import_flips(tmp_path / "b", "r2", *TRUTH)
    out = io.StringIO()
    call_command("rescore", "coin_flip", "--to-revision", "r2", stdout=out)
    assert out.getvalue().count("3 of 3 replies, 3 new judgments, 0 unscored") == 2
    assert {run.entrant.name: sum(points_of(run).values()) for run in Run.objects.filter(revision__label="r2")} == {
        "Alpha": 3,
        "Beta": 2,
    }
    with pytest.raises(CommandError, match="no revision 'r9'; there are: r1, r2"):
        call_command("rescore", "coin_flip", "--to-revision", "r9")


def test_bought_verdicts_go_along_and_speak_only_where_their_question_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "hipho"
    shutil.copytree(SAMPLES / "hipho", folder)
    import_samples("hipho", folder, "r1")
    with FakeLLM(play(0.5)) as server:
        run = judged_run(server)
        Run.objects.filter(pk=run.pk).update(published_at=timezone.now())
        run.refresh_from_db()
        change_first_criterion(folder / "Sample_2026_en.json")
        new = import_samples("hipho", folder, "r2").revision
        calls = len(server.requests)
        carried, done = carry_over(run, new, inline=True)
        assert len(server.requests) == calls, "nobody is asked"
    assert JudgeReply.objects.filter(reply__run=carried).count() == JudgeReply.objects.filter(reply__run=run).count()
    assert done.unscored == 1, "the level whose criterion was reworded waits for a judge"
    before = Judgment.objects.filter(reply__run=run, scorer=run.scorer).count()
    assert Judgment.objects.filter(reply__run=carried, scorer=carried.scorer).count() == before - 1


def change_first_criterion(path: Path) -> None:
    text = path.read_text()
    records = json.loads(text)
    marking = next(record["marking"] for record in records if record.get("marking"))
    line = marking[0] if isinstance(marking[0], str) else marking[0][0]
    path.write_text(
        text.replace(json.dumps(line, ensure_ascii=False), json.dumps(line + " Or so.", ensure_ascii=False), 1)
    )
