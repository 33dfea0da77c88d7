"""What each judge said in each repeat, read anew from its stored words: the raw material of judge agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from arena.models import Criterion, JudgeReply, Judgment
from scoring.errors import VerdictError
from scoring.judge import Purpose, parse_verdict


@dataclass(frozen=True, slots=True)
class JudgeAward:
    """One judge's award for one part: `share` of the part's maximum, 0 to 1. target: `s0c1`, `a0` or empty."""

    reply_id: int
    target: str
    judge_id: int
    repeat: int
    share: float


def read_awards(judgments: QuerySet[Judgment]) -> Iterator[JudgeAward]:
    """Every readable verdict on these judgments' replies; of several attempts the last one."""
    replies = JudgeReply.objects.filter(reply_id__in=judgments.values("reply_id"))
    maxima = _maxima(judgments)
    newest: dict[tuple[int, str, int, int], float] = {}
    rows = replies.order_by("attempt", "pk").values_list(
        "reply_id", "reply__problem_id", "purpose", "target", "judge_id", "repeat", "text"
    )
    for reply_id, problem_id, purpose, target, judge_id, repeat, text in rows.iterator(chunk_size=2000):
        for part, share in _shares(purpose, target, text, maxima.get(problem_id, {})):
            newest[reply_id, part, judge_id, repeat] = share
    for (reply_id, part, judge_id, repeat), share in newest.items():
        yield JudgeAward(reply_id, part, judge_id, repeat, share)


def _maxima(judgments: QuerySet[Judgment]) -> dict[int, dict[str, float]]:
    """Problem -> criterion -> its maximum, in the order in which a scheme's prompt lists them."""
    found: dict[int, dict[str, float]] = {}
    for criterion in Criterion.objects.filter(problem_id__in=judgments.values("reply__problem_id")):
        found.setdefault(criterion.problem_id, {})[criterion.target] = float(criterion.max_points)
    return found


def _shares(purpose: str, target: str, text: str, maxima: Mapping[str, float]) -> Iterable[tuple[str, float]]:
    parts = _parts(purpose, target, maxima)
    try:
        verdict = parse_verdict(Purpose(purpose), text, max_points=[maxima[part] for part in parts])
    except (VerdictError, ValueError):
        return ()
    if purpose in (Purpose.ANSWER, Purpose.VERDICT):
        return ((target, float(bool(verdict.is_correct))),)
    return tuple(
        (part, award.awarded / maxima[part]) for part, award in zip(parts, verdict.awards, strict=True) if maxima[part]
    )


def _parts(purpose: str, target: str, maxima: Mapping[str, float]) -> Sequence[str]:
    if purpose == Purpose.CRITERION:
        return [target] if target in maxima else []
    if purpose == Purpose.SCHEME:
        return [part for part in maxima if part.startswith(f"{target}c")]
    return []
