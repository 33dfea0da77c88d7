"""Marking schemes: the maximum that a criterion's text states, and what a set of awards adds up to.

HiPhO's wording (arXiv:2509.07894): `Award 0.2 pt if ...`, `Award a total of 1.0 pt for the following: award 0.1
pt ...`, `Award 3.0 pts if ...`, `...，则得 2 分。否则得 0 分。`; `deduct`, `subtract`, 扣 and 减 never state a maximum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.errors import ParseError
from scoring.points import add_points, is_same
from scoring.reference import Criterion
from scoring.score import Status

_AMOUNT = (
    r"\s*\$?\s*(?P<points>\d+(?:\.\d+)?|\.\d+)\s*\$?\s*[-~]?\s*"
    r"(?:pts?\b|points?\b|marks?\b|分(?![钟之子母别布量解析裂段辨压流]))"
)
_TOTAL = (
    r"(?P<total>(?:an?\s+|the\s+)?(?:total|maximum|sum)\s+of\s+|up\s+to\s+(?:a\s+total\s+of\s+)?|at\s+most\s+"
    r"|总共|一共|共计|共|满分|最多|至多)?"
)
_NOT = r"(?P<not>\b(?:not|never|no)\s+|不)?"
_AWARD = re.compile(
    _NOT + r"(?:\baward(?:s|ed|ing)?\b|得分?)\s*[:：]?\s*(?:an?\s+(?:additional|further)\s+)?" + _TOTAL + _AMOUNT, re.I
)
_OTHER_VERB = re.compile(
    _NOT + r"(?:\b(?:give|grant|worth|earns?|scores?)\b|给分?|计|记|奖励)\s*[:：]?\s*" + _TOTAL + _AMOUNT, re.I
)
_STATED_TOTAL = re.compile(r"(?:\b(?:total|maximum)\s+of\s+|共计|共|满分)" + _AMOUNT, re.I)
_BARE = re.compile(_AMOUNT, re.I)
_DEDUCTS = re.compile(
    r"(?:deduct(?:s|ed|ing|ion(?:\s+of)?)?|subtract(?:s|ed|ing)?|minus|los(?:es?|ing)|penalty(?:\s+of)?"
    r"|penali[sz]e(?:\s+by)?|扣除?|减去?)\s*(?:up\s+to|at\s+most|a\s+total\s+of)?\s*$",
    re.I,
)


def parse_criterion_points(text: str) -> float:
    """The most points that a criterion can give. Raises ParseError where its text states none.

    A stated total wins; else the first amount awarded that is not 0 (`award 0 pt unless ..., then award 0.2 pt`); else
    the first amount that is not deducted. What is deducted is never a maximum.
    """
    awarded = [m for m in _AWARD.finditer(text) if not m["not"]]
    others = [m for m in _OTHER_VERB.finditer(text) if not m["not"]]
    totals = [m for m in awarded if m["total"]] or _STATED_TOTAL.finditer(text)
    for found in (totals, awarded, others, _not_deducted(text)):
        points = next((float(m["points"]) for m in found if float(m["points"]) > 0), None)
        if points is not None:
            return points
    if awarded:
        return 0.0
    raise ParseError(f"the criterion states no points: {text[:120]!r}")


def _not_deducted(text: str) -> Iterator[re.Match[str]]:
    return (m for m in _BARE.finditer(text) if not _DEDUCTS.search(text[max(0, m.start() - 40) : m.start()]))


def read_schemes(marking: Any, max_points: float | None = None) -> tuple[tuple[Criterion, ...], ...]:
    """Alternative schemes of an official `marking` value: nested, flat (one scheme), empty, null or absent.

    Raises ParseError naming the scheme where its sum is not `max_points`, or where it is no list of texts.
    """
    if marking is None:
        return ()
    if not isinstance(marking, Sequence) or isinstance(marking, str):
        raise ParseError(f"marking: a list is expected, got {type(marking).__name__}")
    nested = [marking] if marking and all(isinstance(item, str) for item in marking) else list(marking)
    schemes = tuple(_read_scheme(scheme, number) for number, scheme in enumerate(nested) if scheme)
    for number, scheme in enumerate(schemes):
        total = add_points(c.max_points for c in scheme)
        if max_points is not None and not is_same(total, max_points):
            raise ParseError(f"marking scheme {number}: its criteria add up to {total:g}, the record to {max_points:g}")
    return schemes


def _read_scheme(scheme: Any, number: int) -> tuple[Criterion, ...]:
    if not isinstance(scheme, Sequence) or isinstance(scheme, str) or not all(isinstance(t, str) for t in scheme):
        raise ParseError(f"marking scheme {number}: a list of texts is expected")
    return tuple(Criterion(text, parse_criterion_points(text)) for text in scheme)


@dataclass(frozen=True, slots=True)
class SchemeScore:
    """What one scheme adds up to; points is None where a criterion has no verdict."""

    points: float | None
    max_points: float


@dataclass(frozen=True, slots=True)
class RubricScore:
    """The step level of a reply. `scheme`: index of the scheme that counts, None while unscored."""

    points: float | None
    max_points: float
    scheme: int | None
    schemes: tuple[SchemeScore, ...]
    status: Status


def score_awards(
    schemes: Sequence[Sequence[Criterion]],
    awarded: Sequence[Sequence[float | None]],
    *,
    max_points: float | None = None,
) -> RubricScore:
    """The best of the alternative schemes; the first of equals. A missing verdict leaves the step level unscored.

    Raises ParseError for an award outside [0, its criterion's maximum] or a list of the wrong length.
    """
    if not schemes:
        raise ParseError("marking: there is no scheme to add up")
    if len(awarded) != len(schemes):
        raise ParseError(f"awarded: {len(schemes)} schemes are expected, got {len(awarded)}")
    scores = tuple(_score_scheme(c, a, number) for number, (c, a) in enumerate(zip(schemes, awarded)))
    full = max_points if max_points is not None else max(s.max_points for s in scores)
    totals = [s.points for s in scores if s.points is not None]
    if len(totals) < len(scores):
        return RubricScore(None, full, None, scores, Status.JUDGE_FAILED)
    return RubricScore(max(totals), full, totals.index(max(totals)), scores, Status.SCORED)


def _score_scheme(criteria: Sequence[Criterion], awarded: Sequence[float | None], number: int) -> SchemeScore:
    if len(awarded) != len(criteria):
        raise ParseError(f"awarded, scheme {number}: {len(criteria)} criteria are expected, got {len(awarded)}")
    for position, (criterion, points) in enumerate(zip(criteria, awarded)):
        if points is not None:
            _check_award(points, criterion.max_points, f"scheme {number}, criterion {position}")
    total = add_points(c.max_points for c in criteria)
    given = [p for p in awarded if p is not None]
    return SchemeScore(add_points(given) if len(given) == len(criteria) else None, total)


def _check_award(points: Any, max_points: float, where: str) -> None:
    if isinstance(points, bool) or not isinstance(points, int | float) or not math.isfinite(points):
        raise ParseError(f"awarded, {where}: a number or null is expected, got {points!r}")
    if not 0 <= points <= max_points:
        raise ParseError(f"awarded, {where}: {points:g} is outside 0..{max_points:g}")
