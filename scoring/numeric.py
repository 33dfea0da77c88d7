"""Numbers with units against a number or an interval: relative tolerance, units by pint, never rounding to decimals.

The rules (1 % is equal, up to half a unit of the last digit and 5 % is `near`, bare integers are exact, a bare number
is read in the reference's unit or in coherent SI) stand with examples in docs/scoring-rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from scoring.errors import ParseError
from scoring.extract import split_items
from scoring.quantity import Quantity, read_quantity
from scoring.units import Unit, read_unit
from scoring.value_text import last_members, strip_lead
from scoring.verdict import ValueVerdict, right, undecided, unreadable, wrong

TOLERANCE = Decimal("0.01")
NEAR_LIMIT = Decimal("0.05")
ROUNDING = Decimal("1e-9")


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends belong to it, whatever the brackets."""

    low: Quantity
    high: Quantity


def compare_numeric(target: str, answer: str, unit: str = "", tolerance: float | None = None) -> ValueVerdict:
    """Compare two normalised texts. Raises ParseError where the target is no number and no interval."""
    interval = read_interval(target)
    targets = () if interval else read_numbers(target)
    expected = read_unit(unit)
    try:
        if (mine := read_interval(answer)) or (interval and (mine := _read_range(answer))):
            return _compare_intervals(interval, mine, expected)
        answers = read_numbers(answer)
    except ParseError as error:
        return unreadable(f"the answer is no number: {error}")
    allowed = None if tolerance is None else Decimal(repr(tolerance))
    if interval:
        verdicts = [_compare_inside(interval, number, expected) for number in answers]
    else:
        verdicts = [_compare_pair(goal, number, expected, allowed) for number in answers for goal in targets]
    return next((v for v in verdicts if v.equal), None) or verdicts[0]


@lru_cache(maxsize=4096)
def read_numbers(text: str) -> tuple[Quantity, ...]:
    """The number a text states, and the one before rounding if it says `a \\approx b`. Raises ParseError."""
    text = _cut_condition(text)
    if len(split_items(text)) > 1 and not re.match(r"[-+\d.]", strip_lead(text)):
        raise ParseError("several values")
    numbers: list[Quantity] = []
    for member in last_members(text):
        try:
            numbers.append(_read_member(member))
        except ParseError:
            if not numbers:
                raise
    if not numbers:
        raise ParseError("nothing behind the relation")
    return tuple(numbers)


_CONDITION = re.compile(
    r"(?:\s*[,;]\s*|\s+|\s*\()(?:when|for|if|where|with|given|assuming|因为|当|其中)(?![A-Za-z])[\s\S]*$", re.IGNORECASE
)
_ENCLOSED = re.compile(r"[({]([^(){}]*)[)}]")
_LABEL = re.compile(r"[\s\S]*(?::|(?<![A-Za-z])(?:is|are|of|by|be)(?![A-Za-z])|为|是)")


def _cut_condition(text: str) -> str:
    """`27.5° when α = 20°` states 27.5°; a text that begins with its condition stays."""
    cut = _CONDITION.sub("", text)
    return cut if re.search(r"\d|\\pi", cut) else text


def _read_member(text: str) -> Quantity:
    text = strip_lead(text)
    if enclosed := _ENCLOSED.fullmatch(text.strip()):
        text = enclosed[1].strip()
    try:
        return read_quantity(text)
    except ParseError:
        label = _LABEL.match(text)
        if label is None:
            raise
        return read_quantity(strip_lead(text[label.end() :]))


_BRACKET = re.compile(r"[\[(]")
_CLOSING = re.compile(r"[\])]")


@lru_cache(maxsize=4096)
def read_interval(text: str, *, round_too: bool = False) -> Interval | None:
    """`[a, b]` with numbers a < b and an optional unit behind; the closing bracket may be missing.

    round_too: `(a, b)` counts too; elsewhere it is a pair.
    """
    text = strip_lead(last_members(text)[0] if last_members(text) else text)
    if not text.startswith("[") and not (round_too and _BRACKET.match(text)):
        return None
    closings = list(_CLOSING.finditer(text))
    end = closings[-1].start() if closings else len(text)
    if _cut_condition(text) != text and closings:
        end = next((c.start() for c in closings if not text[c.end() :].lstrip().startswith((",", "]", ")"))), end)
    ends = split_items(text[1:end], 2)
    behind = read_unit(_cut_condition(text[end + 1 :]).strip()) if closings else None
    try:
        low, high = (read_quantity(strip_lead(item)) for item in ends)
    except (ParseError, ValueError):
        return None
    return _make_interval(low, high, behind)


def _make_interval(low: Quantity, high: Quantity, behind: Unit | None) -> Interval | None:
    unit = behind or high.unit or low.unit
    low, high = replace(low, unit=low.unit or unit), replace(high, unit=high.unit or unit)
    return Interval(low, high) if low.value <= high.value else None


_RANGE = re.compile(r"(?:between |from )?(?P<low>[\d.][^a-z]*?[^\s-]?) ?(?: to | and |-(?=\s?\d)|--)(?P<high>[\s\S]+)")


def _read_range(text: str) -> Interval | None:
    """`14.6 to 15 N`, `14.6-15`: asked for only where the target is an interval."""
    match = _RANGE.fullmatch(strip_lead(last_members(text)[0] if last_members(text) else text))
    if match is None:
        return None
    try:
        low, high = read_quantity(match["low"].strip()), read_quantity(match["high"].strip())
    except ParseError:
        return None
    return _make_interval(low, high, None)


def _compare_pair(target: Quantity, answer: Quantity, expected: Unit | None, tolerance: Decimal | None) -> ValueVerdict:
    unit = target.unit or (None if target.is_percent else expected)
    if target.is_plus_minus != answer.is_plus_minus:
        reason = "the reference has both signs" if target.is_plus_minus else "the answer leaves the sign open"
        return undecided(reason, "sign") if target.is_plus_minus else wrong(reason, "sign")
    if refused := _refuse_unknown(answer, unit, target):
        return refused
    candidates = list(_convert(answer, unit))
    if not candidates:
        return wrong(_mismatch(answer, unit), "wrong unit")
    verdicts = [_judge(target, value, unit, tolerance, flags) for value, flags in candidates]
    best = next((v for v in verdicts if v.equal), None) or next((v for v in verdicts if v.equal is None), verdicts[0])
    return _weigh_text(best, target, answer)


def _judge(
    target: Quantity, value: Decimal, unit: Unit | None, tolerance: Decimal | None, flags: tuple[str, ...]
) -> ValueVerdict:
    """The number alone, both in the target's unit."""
    goal = target.value
    difference = abs(value - goal)
    share = difference / abs(goal) if goal else (Decimal(0) if not difference else Decimal("Infinity"))
    if tolerance is None and target.is_integer and unit is None and goal != 0:
        exact = share <= ROUNDING
        return right("the same integer", *flags) if exact else wrong("a bare integer is exact", *flags)
    if share <= (TOLERANCE if tolerance is None else tolerance) + ROUNDING:
        return right(f"{_percent(share)} off" if share else "the same number", *flags)
    if tolerance is None and difference <= target.half_unit * (1 + ROUNDING) and share <= NEAR_LIMIT + ROUNDING:
        reason = f"{_percent(share)} off, within half a unit of the reference's last digit"
        return undecided(reason, *flags, "near", without_judge=target.digits >= 2)
    return wrong(f"{_percent(share)} off" if share < 10 else "another number", *flags)


def _percent(share: Decimal) -> str:
    return f"{float(share) * 100:.2g} %"


def _convert(answer: Quantity, unit: Unit | None) -> Iterator[tuple[Decimal, tuple[str, ...]]]:
    """What the answer may mean as a number in the reference's unit, with a flag that says which reading it is."""
    if answer.unit is None:
        if answer.is_percent:
            if unit is None or not unit.dimensions:
                yield answer.value / _decimal(unit.factor if unit else 1.0), ()
            return
        flag = (f"bare number read in {unit.name}",) if unit and unit.name else ()
        yield answer.value, flag
        if unit and unit.factor != 1.0 and not unit.offset:
            yield answer.value / _decimal(unit.factor), ("bare number read in SI",)
        return
    if unit is None:
        if not answer.unit.dimensions:
            yield answer.value * _decimal(answer.unit.factor), ()
        yield answer.value, ("unit not in the reference",)
        return
    for mine in answer.unit.readings():
        for theirs in unit.readings():
            if mine.fits(theirs):
                si = answer.value * _decimal(mine.factor) + _decimal(mine.offset)
                yield (si - _decimal(theirs.offset)) / _decimal(theirs.factor), ()


@lru_cache(maxsize=1024)
def _decimal(number: float) -> Decimal:
    return Decimal(repr(number))


def _mismatch(answer: Quantity, unit: Unit | None) -> str:
    mine = "%" if answer.is_percent else answer.unit.name if answer.unit else "no unit"
    return f"{mine} is not a unit of the same kind as {unit.name if unit else 'the reference'}"


def _refuse_unknown(answer: Quantity, unit: Unit | None, target: Quantity) -> ValueVerdict | None:
    """A short word behind the number that is no unit is a wrong unit, not a remark (7.55 n for 7.55 N)."""
    word = answer.unknown
    if not word or word == target.unknown:
        return None
    if unit is None and target.unknown == "":
        return undecided(f"{word} behind the number is not understood", "trailing text") if len(word) <= 3 else None
    if len(word) <= 3 or (unit and word.lower() == unit.name.lower()):
        return wrong(f"{word} is no unit known here", "wrong unit")
    return None


_IGNORABLE = re.compile(r"(?:when|for|if|at|where|with|given|in the|当|时|\()", re.IGNORECASE)


def _weigh_text(verdict: ValueVerdict, target: Quantity, answer: Quantity) -> ValueVerdict:
    """Text behind the answer's number is ignored and flagged; where the reference has some too, they must agree."""
    if not verdict.is_right and verdict.equal is not None:
        return verdict
    mine, theirs = _plain(answer.rest), _plain(target.rest)
    if theirs and mine != theirs and not _IGNORABLE.match(target.rest):
        return undecided(f"the reference adds {target.rest[:40]!r}", *verdict.flags, "remark")
    return verdict.with_flags("trailing text") if mine and mine != theirs else verdict


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().lower()


def _compare_inside(interval: Interval, answer: Quantity, expected: Unit | None) -> ValueVerdict:
    unit = interval.low.unit or expected
    if refused := _refuse_unknown(answer, unit, interval.low):
        return refused
    candidates = list(_convert(answer, unit))
    if not candidates:
        return wrong(_mismatch(answer, unit), "wrong unit")
    for value, flags in candidates:
        slack = max(abs(interval.low.value), abs(interval.high.value)) * ROUNDING
        if interval.low.value - slack <= value <= interval.high.value + slack and not answer.is_plus_minus:
            return right("inside the interval", *flags)
    return wrong("outside the interval")


def _compare_intervals(target: Interval | None, answer: Interval | None, expected: Unit | None) -> ValueVerdict:
    """Ends within the tolerance; one that lies inside the reference's is for a judge."""
    if target is None or answer is None:
        return undecided("the answer is an interval, the reference is a number", "interval")
    verdicts = [_compare_pair(a, b, expected, None) for a, b in ((target.low, answer.low), (target.high, answer.high))]
    if all(v.equal for v in verdicts):
        return right("the same interval", *verdicts[0].flags)
    inside = [_compare_inside(target, end, expected).equal for end in (answer.low, answer.high)]
    return (
        undecided("a narrower interval inside the reference's", "interval")
        if all(inside)
        else wrong("another interval")
    )
