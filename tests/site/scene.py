"""A small site on which every page has something to show, written straight into the tables: no model, no judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AnonymousUser

from arena.models import (
    Answer,
    AnswerScore,
    Benchmark,
    CallError,
    Criterion,
    Erratum,
    ErrorLabel,
    Judge,
    JudgeError,
    JudgeReply,
    JudgeSeat,
    Judgment,
    Policy,
    Problem,
    Reply,
    ReportedResult,
    ReviewItem,
    ReviewSkip,
    Run,
    ScoreError,
    Scorer,
    Submission,
    User,
    Vote,
    VoteExclusion,
    Withdrawal,
)
from arena.services import battles
from arena.services.catalog import import_benchmark
from arena.services.errata import decide_erratum, report_erratum
from arena.services.judge_admin import add_judge
from arena.services.pairing import Filters
from arena.services.prices import set_price
from arena.services.review_claims import claim_item
from arena.services.review_desk import submit_review
from arena.services.review_queue import add_reason
from arena.services.reviews import review_part
from arena.services.samples import entries_of
from arena.services.scorers import JudgeSpec
from arena.services.voters import identify
from leaderboard.ratings import rebuild_ratings
from leaderboard.standings import rebuild_board
from scoring.eed import score_eed
from tests.arena.reviews.scenes import decide_all
from tests.factories import make_cast, make_user
from tests.leaderboard.replies.scenes import (
    add_reply,
    find_problem,
    make_own_problem,
    make_run,
    mark_answers,
    mark_steps,
)

SAMPLES = ("hipho", "phybench", "phyx_oe", "phyx_mc", "arc_indic", "coin_flip")
TWO_SCHEMES = "Sample_2026_en_1_A"
TEXT = (
    "<think>\nFirst the forces balance: $N = mg$.\n\nThen the sum of torques vanishes.\n</think>\n"
    "So the answer is $\\boxed{42}$."
)
RICH = r"""

See [the notes](https://example.org/notes).

| quantity | value |
|---|---|
| $\theta$ | 30° |

\[ \frac{d}{dt}\left(\frac{\partial L}{\partial \dot q}\right) - \frac{\partial L}{\partial q} = 0, \qquad
   S = \int_{t_1}^{t_2} L(q, \dot q, t)\,dt = \sum_{n=0}^{\infty} \frac{a_n x^{n}}{n!}
   + \sqrt{\frac{2 m (E - V)}{\hbar^2}} \]

```python
print("a line of code that is much longer than a telephone is wide, to see that it scrolls in its own box")
```"""
# Words of replies in other scripts, by how the problem's address starts.
TONGUES = {
    "hi:": "एक गेंद $v$ वेग से फेंकी जाती है। ऊर्जा संरक्षित है।",
    "ta:": "ஒரு பந்து $v$ வேகத்தில் எறியப்படுகிறது.",
    "Sample_2026_zh": "设小球的质量为 $m$，由能量守恒得 $mgh=\\frac12mv^2$。",
}
QUOTES = {"s0c0": "the forces balance: $N = mg$", "s0c1": "words that are not there", "s1c0": "sum of torques"}


@dataclass(frozen=True, slots=True)
class Scene:
    """people: by name. secret: stands in everything about the hidden problem that is not for outsiders."""

    people: Mapping[str, User]
    secret: str
    reply: Reply
    eed_reply: Reply
    hidden: Problem
    hidden_reply: Reply
    submission: Submission
    item: ReviewItem
    disputed: ReviewItem
    known: ReviewItem
    erratum: Erratum
    other_scorer: Scorer
    seat: JudgeSeat
    battle: str


def build_scene(secret: str = "canary7391") -> Scene:
    """Every table with a row or more. The maintainer has voted on a battle and holds a place in the queue."""
    people = {**make_cast(), "stranger": make_user("stranger"), "second": make_user("second", "reviewer")}
    for slug in SAMPLES:
        import_benchmark(slug)
        _make_scorer(slug, "judge-a")
    replies = _sit_hipho()
    reply = replies[0]
    other = _judge_again(replies)
    hidden, hidden_reply = _hide(reply.run, secret)
    eed_reply = _sit_phybench()
    for name in ("Alpha-7", "Beta-9"):
        _sit(name, "coin_flip", "ANSWER: YES")
        _sit(name, "arc_indic", "ANSWER: A")
    _fail(reply)
    submission = Submission.objects.create(entrant=reply.run.entrant, owner=people["submitter"], state="finished")
    Run.objects.filter(pk=reply.run_id).update(submission=submission, owner=people["submitter"])
    hipho = Benchmark.objects.get(slug="hipho")
    seat = add_judge(hipho, JudgeSpec("a-judge", "http://127.0.0.1:9/v1"), "", people["maintainer"])
    set_price("a-judge", date(2026, 1, 1), Decimal(1), Decimal(2))
    reviews = _review(replies, hidden_reply, people, secret)
    erratum = report_erratum(people["stranger"], reply.problem, "g is $9.8$ here")
    report_erratum(people["stranger"], hidden, f"it is not {secret}")
    decided = report_erratum(people["stranger"], find_problem("Sample_2026_en_1_B"), "the unit is wrong")
    decide_erratum(people["maintainer"], decided, Erratum.State.ACCEPTED, "so it is")
    battle = _vote(people["maintainer"])
    _add_rare_words(replies, reviews["disputed"], people)
    for revision in {run.revision for run in Run.objects.select_related("revision")}:
        rebuild_board(revision.pk, "test")
    rebuild_ratings()
    return Scene(
        people=people,
        secret=secret,
        reply=reply,
        eed_reply=eed_reply,
        hidden=hidden,
        hidden_reply=hidden_reply,
        submission=submission,
        erratum=erratum,
        other_scorer=other,
        seat=seat,
        battle=battle,
        **reviews,
    )


def _sit_hipho() -> list[Reply]:
    """Three models with two attempts each at every problem; the first reply of the first model comes first."""
    replies = []
    for number, name in enumerate(("Alpha-7", "Beta-9", "Gamma-3")):
        run = make_run(name, repeats=2)
        for entry in entries_of(run.revision, "test"):
            for repeat in range(2):
                words = tongue_of(entry.external_id) + TEXT + (RICH if entry.external_id == TWO_SCHEMES else "")
                reply = add_reply(run, entry.problem, words, repeat, reasoning="It *may* be $x$.")
                share = Decimal(number) / 2
                if reply.problem.criteria.exists():
                    quotes = QUOTES if entry.external_id == TWO_SCHEMES else {}
                    mark_steps(reply, quotes, share=share, reason="The term $mg$ is missing.")
                mark_answers(reply, "42", share=share)
                replies.append(reply)
        _plan(run)
    replies.sort(key=lambda reply: reply.problem.external_id != TWO_SCHEMES)
    return replies


def tongue_of(external_id: str) -> str:
    return next((words + "\n\n" for start, words in TONGUES.items() if external_id.startswith(start)), "")


def _plan(run: Run) -> None:
    run.planned = run.replies.count()
    run.save(update_fields=["planned"])


def _sit(name: str, slug: str, text: str) -> Run:
    run = make_run(name, slug)
    for entry in entries_of(run.revision, "test"):
        words = f"Step by step, in way number {ord(name[0])}."  # two equal replies make no battle
        words = f"{words}\n\n{tongue_of(entry.external_id)}{text}"
        mark_answers(add_reply(run, entry.problem, words), text[-1], share=Decimal(len(name) % 2))
    _plan(run)
    return run


def _sit_phybench() -> Reply:
    run = make_run("Alpha-7", "phybench")
    replies = []
    for entry in entries_of(run.revision, "test"):
        reply = add_reply(run, entry.problem, "So $\\boxed{4x^2 + y}$.")
        details = score_eed(entry.problem.answers.all()[0].value, "4x^2 + y").as_json()
        mark_answers(reply, "4x^2 + y", details={"details": details}, share=Decimal("0.2"))
        replies.append(reply)
    _plan(run)
    return replies[0]


def _make_scorer(slug: str, judge: str) -> Scorer:
    """With the digest under which the runs of test scenes look for theirs, and parameters that lead to its page."""
    params = {"benchmark": slug, "policy": "corrected"}
    scorer = Scorer.objects.create(name="test", version="1", digest=f"{slug}:{judge}", params=params)
    row, _ = Judge.objects.get_or_create(digest=judge, defaults={"model": judge, "prompt_sha256": "0" * 64})
    scorer.judges.add(row)
    return scorer


def _judge_again(replies: list[Reply]) -> Scorer:
    """A second scorer of the same benchmark beside the first, so that two can be compared."""
    other = _make_scorer("hipho", "judge-b")
    for reply in replies[:4]:
        mark_steps(reply, QUOTES, share=Decimal(1), scorer=other)
    return other


def _hide(run: Run, secret: str) -> tuple[Problem, Reply]:
    """A problem whose reference is withheld, with a reply on which every judge's word tells it."""
    problem = make_own_problem(
        "What is hidden?", external_id="Sample_2026_en_8_1", solution=f"It is {secret}.", max_points=Decimal(1)
    )
    Answer.objects.create(
        problem=problem, position=0, value=f"{secret}_1 + 2", unit=secret, points=Decimal(1), is_hidden=True
    )
    for position in (0, 1):
        text, half = f"Award 0.5 pt for {secret}.", Decimal("0.5")
        Criterion.objects.create(problem=problem, scheme=0, position=position, text=text, max_points=half)
    reply = add_reply(run, problem, "I do not know it: $\\boxed{0}$.")
    quotes = {"s0c0": "I do not know it", "s0c1": f"a lost {secret}"}
    mark_steps(reply, quotes, share=Decimal(0), reason=f"The reference has {secret}.")
    details = score_eed(f"{secret}_1 + 2", "0").as_json() | {"flags": []}
    mark_answers(reply, "0", share=Decimal(0), details={"details": details}, reason=f"{secret} was expected")
    judge = run.scorer.judges.get()
    asked = {"reply": reply, "judge": judge, "purpose": "criterion", "target": "s0c0", "request_digest": "r"}
    JudgeReply.objects.create(**asked, text=f'{{"awarded": 0, "evidence": "", "reason": "no {secret}"}}')
    opinion = f'{{"error_class": "symbolic", "evidence": "I do not know it", "reason": "not {secret}"}}'
    JudgeReply.objects.create(**asked | {"purpose": "error_class", "target": ""}, text=opinion)
    JudgeError.objects.create(**asked, attempt=1, kind="prose", message=f"It is {secret}.")
    ScoreError.objects.create(reply=reply, scorer=run.scorer, kind="RuntimeError", message=f"cannot read {secret}")
    return problem, reply


def _fail(reply: Reply) -> None:
    run, judge = reply.run, reply.run.scorer.judges.get()
    CallError.objects.create(run=run, problem=reply.problem, repeat=0, kind="timeout", message="no answer in 600 s")
    asked: dict[str, Any] = {"reply": reply, "judge": judge, "purpose": "criterion", "request_digest": "r"}
    JudgeReply.objects.create(
        **asked, target="s0c0", text='{"awarded": 0.1, "evidence": "", "reason": "x"}', prompt_tokens=900,
        completion_tokens=40, latency_ms=800,
    )  # fmt: skip
    JudgeError.objects.create(**asked, target="s0c1", kind="rate_limited", message="too many calls")


def _review(
    replies: list[Reply], hidden_reply: Reply, people: Mapping[str, User], secret: str
) -> dict[str, ReviewItem]:
    """An open item that the maintainer holds, a disputed one, a calibration item, and overrides outside the queue."""
    scorer = replies[0].run.scorer
    disputed = add_reason(replies[1], scorer, Policy.DISAGREEMENT, "s0c0: 50% apart")
    for name, share in (("reviewer", "1"), ("second", "0")):
        claim_item(people[name], disputed)
        submit_review(people[name], disputed, decide_all(disputed, share), inline=True)
    item = add_reason(replies[2], scorer, Policy.RANDOM)
    claim_item(people["maintainer"], item)
    known = ReviewItem.objects.create(reply=replies[3], scorer=scorer, needed=1, is_calibration=True, known={"a0": "0"})
    for part in AnswerScore.objects.filter(judgment__reply=replies[4]):
        review_part(people["maintainer"], part, "0", "seen by a person")
    for part in AnswerScore.objects.filter(judgment__reply=hidden_reply):
        review_part(people["maintainer"], part, "0", f"it says {secret}")
    for score in Judgment.objects.get(reply=replies[5], scorer=scorer, level="step").criterion_scores.all()[:1]:
        review_part(people["maintainer"], score, "0", "not there")
    return {"item": item, "disputed": disputed, "known": known}


def _add_rare_words(replies: list[Reply], disputed: ReviewItem, people: Mapping[str, User]) -> None:
    """Rows that few sites have: a paper's number, a run withdrawn, an item passed on, a first error."""
    reply, maintainer = replies[0], people["maintainer"]
    hipho = reply.run.revision.benchmark
    ReportedResult.objects.create(
        entrant=reply.run.entrant, benchmark=hipho, metric="exam_score", value=20, source="a paper", date="2026-01",
        setting="as in the paper", judge="a-judge", digest="reported",
    )  # fmt: skip
    gone = make_run("Gone-1")
    Withdrawal.objects.create(run=gone, reason="a wrong endpoint", by=maintainer)
    ReviewSkip.objects.create(item=disputed, reviewer=people["reviewer"], reason="not my field")
    ErrorLabel.objects.create(
        reply=reply, reviewer=maintainer, error_class="robust_symbolic", step="the forces balance"
    )
    VoteExclusion.objects.create(vote=Vote.objects.latest("pk"), reason="a robot", by=maintainer)


def _vote(person: User) -> str:
    """The battle that this person has voted on."""
    voter = identify(person, "", "192.0.2.1")
    serving = battles.serve_battle(voter, Filters())
    assert serving is not None
    battles.cast_vote(voter, serving.battle.uuid, "left")
    for number in range(2, 6):
        other = identify(AnonymousUser(), f"cookie{number}", f"192.0.2.{number}")
        shown = battles.serve_battle(other, Filters())
        if shown is not None:
            battles.cast_vote(other, shown.battle.uuid, "right")
    return str(serving.battle.uuid)
