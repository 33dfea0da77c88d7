"""Which replies are worth a person's time, and why: the policies that fill the review queue.

Only the random sample may speak for replies that nobody looked at; every other policy looks where faults are likely.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import (
    AnswerScore,
    Benchmark,
    DatasetRevision,
    JudgeError,
    Judgment,
    Level,
    Policy,
    Reply,
    ReviewItem,
    Run,
    Subset,
    User,
)
from arena.results import read_results
from arena.roles import Rank, require_rank
from arena.services.audit import record_event
from arena.services.doubts import find_doubts
from arena.services.review_queue import MAX_NEEDED, Candidate, Queued, add_candidates
from arena.services.samples import planned_entries
from arena.signals import scores_changed
from arena.verdicts import read_awards

DISAGREEMENT_SHARE = 0.25  # of a part's maximum, between judges, repeats or scorers
BOUNDARY_SHARE = 0.05  # of an exam's full mark, from a medal's threshold
LEAST_RULE_STEPS = 0.5  # a right final answer whose steps earned less than this is odd


@dataclass(frozen=True, slots=True)
class QueueRequest:
    """What a maintainer asks for. share (0..1] or number of the random sample, of each run; limit: of other policies.

    near: runs at a tier boundary with the words for it, found by the board.
    """

    benchmark: Benchmark
    policy: Policy
    revision: DatasetRevision | None = None
    split: str = ""
    subset: str = ""
    needed: int = 2
    threshold: float = 0.0
    share: float | None = None
    number: int | None = None
    seed: int = 0
    limit: int = 200
    near: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pool:
    """The runs in question and their judgments under each run's own scorer."""

    runs: tuple[Run, ...]
    judgments: QuerySet[Judgment]
    request: QueueRequest


def build_queue(request: QueueRequest, actor: User | None) -> Queued:
    """Queue what the policy finds. Raises Forbidden, Refused. actor None is the command line."""
    if actor is not None:
        require_rank(actor, request.benchmark, Rank.MAINTAINER)
    finder = FINDERS.get(request.policy)
    if finder is None:
        raise Refused("policy", _("%(policy)s fills itself") % {"policy": request.policy})
    if not 1 <= request.needed <= MAX_NEEDED:
        raise Refused("needed", _("must lie between 1 and %(most)s") % {"most": MAX_NEEDED})
    if not 0 <= request.threshold < 1:
        raise Refused("threshold", _("must lie between 0 and 1, a share of a part's maximum"))
    found = list(finder(gather_pool(request)))
    if request.policy != Policy.RANDOM:
        found = found[: request.limit]
    queued = add_candidates(request.policy, found, needed=request.needed, threshold=request.threshold)
    if request.policy == Policy.RANDOM:
        # Replies that were reviewed for another reason may have become part of the sample.
        run_ids = Reply.objects.filter(pk__in=[c.reply_id for c in found]).values_list("run_id", flat=True)
        scores_changed.send(sender=ReviewItem, run_ids=sorted(set(run_ids)))
    record_event(
        actor,
        "queue",
        f"benchmark:{request.benchmark.slug}",
        {},
        {
            "policy": request.policy.value,
            "found": len(found),
            "new": queued.new,
            "joined": queued.joined,
            "needed": request.needed,
            "seed": request.seed,
            "share": request.share,
            "number": request.number,
        },
        request.benchmark,
    )
    return queued


def gather_pool(request: QueueRequest) -> Pool:
    """The newest published run of each entry of the board, and what they were given."""
    revision = request.revision or request.benchmark.current_revision
    if revision is None:
        raise Refused("benchmark", _("%(benchmark)s has no data yet") % {"benchmark": request.benchmark.slug})
    runs = Run.objects.on_board().filter(revision=revision, state=Run.State.FINISHED)
    if request.split:
        runs = runs.filter(split=request.split)
    newest = {}
    for run in runs.select_related("entrant", "scorer", "revision__benchmark").order_by("finished_at", "pk"):
        newest[(run.entrant_id, run.split, run.shots, run.prompt_digest, run.style, run.provenance, run.partial)] = run
    chosen = tuple(newest.values())
    judgments = Judgment.objects.filter(
        reply__run__in=chosen, scorer_id=F("reply__run__scorer_id"), reply__withdrawals__isnull=True
    )
    if request.subset:
        judgments = judgments.filter(reply__problem__subset__slug=request.subset)
    return Pool(chosen, judgments, request)


# --- the random sample ----------------------------------------------------------------------------------------------


def draw_random(pool: Pool) -> Iterable[Candidate]:
    """A simple random sample without replacement of each run's judged replies.

    Each reply has a permanent random number, the SHA-256 of seed and uuid, and the n smallest are taken. So the draw
    can be repeated, a larger one contains the smaller, and every reply's chance is n / N. A run keeps its first seed.
    """
    request = pool.request
    if (request.share is None) == (request.number is None):
        raise Refused("share", _("give either a share or a number"))
    if request.share is not None and not 0 < request.share <= 1:
        raise Refused("share", _("must be more than nothing and at most all of them"))
    if request.number is not None and request.number < 1:
        raise Refused("number", _("must be at least 1"))
    if request.subset:
        raise Refused("subset", _("the random sample is drawn over a whole run"))
    seeds = dict(
        ReviewItem.objects.filter(reply__run__in=pool.runs, sample_seed__isnull=False)
        .order_by("created_at")
        .values_list("reply__run_id", "sample_seed")
    )
    replies: dict[int, dict[int, str]] = {}
    for run_id, reply_id, uuid in pool.judgments.values_list("reply__run_id", "reply_id", "reply__uuid"):
        replies.setdefault(run_id, {})[reply_id] = str(uuid)
    for run in pool.runs:
        population = replies.get(run.pk, {})
        if not population:
            continue
        seed = seeds.get(run.pk, request.seed)
        n_there = _sample_size(run)
        n = math.ceil(request.share * len(population)) if request.share else min(request.number or 0, len(population))
        n = max(n, min(n_there, len(population)))
        order = sorted(population, key=lambda pk: random_number(seed, population[pk]))
        for reply_id in order[:n]:
            yield Candidate(reply_id, run.scorer_id, "", None, n / len(population), seed)


def _sample_size(run: Run) -> int:
    return ReviewItem.objects.filter(
        reply__run=run, scorer_id=run.scorer_id, inclusion_probability__isnull=False
    ).count()


def random_number(seed: int, uuid: str) -> str:
    """A reply's permanent random number, as hexadecimal digits that sort like it."""
    return hashlib.sha256(f"{seed}:{uuid}".encode()).hexdigest()


# --- where faults are likely ----------------------------------------------------------------------------------------


def find_disagreements(pool: Pool) -> Iterable[Candidate]:
    """Replies on which judges, their repeats or two scorers differ by a quarter of a part's maximum, widest first."""
    spreads: dict[int, tuple[float, str]] = {}

    def note(reply_id: int, spread: float, words: str) -> None:
        if spread >= DISAGREEMENT_SHARE and spread > spreads.get(reply_id, (0.0, ""))[0]:
            spreads[reply_id] = (spread, words)

    awards: dict[tuple[int, str], list[float]] = {}
    for award in read_awards(pool.judgments):
        awards.setdefault((award.reply_id, award.target), []).append(award.share)
    for (reply_id, target), shares in awards.items():
        note(reply_id, max(shares) - min(shares), target or "verdict")
    levels: dict[tuple[int, str], list[float]] = {}
    scores = Judgment.objects.filter(reply_id__in=pool.judgments.values("reply_id"), max_points__gt=0)
    for reply_id, level, points, maximum in scores.values_list("reply_id", "level", "points", "max_points"):
        levels.setdefault((reply_id, level), []).append(float(points / maximum))
    for (reply_id, level), shares in levels.items():
        note(reply_id, max(shares) - min(shares), f"{level}-level of two scorers")
    scorers = dict(pool.judgments.values_list("reply_id", "scorer_id"))
    for reply_id, (spread, words) in sorted(spreads.items(), key=lambda pair: -pair[1][0]):
        yield Candidate(reply_id, scorers[reply_id], f"{words}: {spread:.0%} apart")


def find_low_confidence(pool: Pool) -> Iterable[Candidate]:
    """Zeros that may be ours, quotes that are not in the reply, verdicts asked for more than once."""
    seen = set()
    for candidate in find_doubts(pool.judgments):
        seen.add(candidate.reply_id)
        yield candidate
    scorers = dict(pool.judgments.values_list("reply_id", "scorer_id"))
    errors = JudgeError.objects.filter(reply_id__in=pool.judgments.values("reply_id"))
    for reply_id in errors.order_by("reply_id").values_list("reply_id", flat=True).distinct():
        if reply_id not in seen:
            yield Candidate(reply_id, scorers[reply_id], "a verdict was asked for more than once")


def find_rule_against_judge(pool: Pool) -> Iterable[Candidate]:
    """Answers that the rule refused and a judge accepted, and right answers whose steps earned little."""
    accepted = AnswerScore.objects.filter(judgment__in=pool.judgments, matched_by="judge")
    seen = set()
    for reply_id, scorer_id in accepted.values_list("judgment__reply_id", "judgment__scorer_id"):
        if reply_id not in seen:
            seen.add(reply_id)
            yield Candidate(reply_id, scorer_id, "the judge accepted what the rule refused")
    levels: dict[tuple[int, int], dict[str, float]] = {}
    for reply_id, scorer_id, level, points, maximum in pool.judgments.filter(max_points__gt=0).values_list(
        "reply_id", "scorer_id", "level", "points", "max_points"
    ):
        levels.setdefault((reply_id, scorer_id), {})[level] = float(points / maximum)
    for (reply_id, scorer_id), share in levels.items():
        answer, step = share.get(Level.ANSWER.value), share.get(Level.STEP.value)
        if answer is None or step is None or reply_id in seen:
            continue
        if (answer == 1 and step < LEAST_RULE_STEPS) or (answer == 0 and step == 1):
            yield Candidate(reply_id, scorer_id, "final answer and steps contradict each other")


def find_injections(pool: Pool) -> Iterable[Candidate]:
    """Replies with words that address the grader."""
    seen = set()
    for reply_id, scorer_id, details in pool.judgments.values_list("reply_id", "scorer_id", "details"):
        kinds = details.get("injection") or []
        if kinds and reply_id not in seen:
            seen.add(reply_id)
            yield Candidate(reply_id, scorer_id, ", ".join(map(str, kinds)))


def find_near_boundaries(pool: Pool) -> Iterable[Candidate]:
    """Replies that could move a medal, or a model between two tiers: those with part of the points first."""
    yield from _near_medals(pool)
    for run in pool.runs:
        if words := pool.request.near.get(run.pk):
            yield from _most_uncertain(pool, run, "", words)


def _near_medals(pool: Pool) -> Iterable[Candidate]:
    exams = Subset.objects.filter(benchmark=pool.request.benchmark).exclude(slug=Subset.OVERALL)
    exams = [exam for exam in exams if exam.bronze or exam.silver or exam.gold]
    if not exams:
        return
    for run in pool.runs:
        results = read_results(run, entries=planned_entries(run))
        for exam in exams:
            here = [result for result in results if result.subset == exam.slug]
            if not here or any(result.points is None for result in here):
                continue
            total = sum(result.points or 0.0 for result in here) / run.repeats
            full = sum(result.max_points for result in here) / run.repeats
            for medal in ("gold", "silver", "bronze"):
                mark = getattr(exam, medal)
                if mark is not None and abs(total - float(mark)) <= BOUNDARY_SHARE * full:
                    words = f"{exam.slug}: {total:.2f}, {medal} from {float(mark):g}"
                    yield from _most_uncertain(pool, run, exam.slug, words)
                    break


def _most_uncertain(pool: Pool, run: Run, subset: str, words: str, limit: int = 20) -> Iterable[Candidate]:
    judgments = pool.judgments.filter(reply__run=run)
    if subset:
        judgments = judgments.filter(reply__problem__subset__slug=subset)
    partly = judgments.filter(points__gt=0, points__lt=F("max_points"))
    seen: dict[int, None] = {}
    for rows in (partly, judgments):
        for reply_id in rows.order_by("-max_points", "pk").values_list("reply_id", flat=True):
            seen.setdefault(reply_id)
        if seen:
            break
    for reply_id in list(seen)[:limit]:
        yield Candidate(reply_id, run.scorer_id, words)


FINDERS: dict[Policy, Callable[[Pool], Iterable[Candidate]]] = {
    Policy.RANDOM: draw_random,
    Policy.DISAGREEMENT: find_disagreements,
    Policy.LOW_CONFIDENCE: find_low_confidence,
    Policy.RULE_VS_JUDGE: find_rule_against_judge,
    Policy.INJECTION: find_injections,
    Policy.BOUNDARY: find_near_boundaries,
}
