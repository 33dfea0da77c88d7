"""Does an answer say the same value as the reference? One entry for every kind: `compare_value`.

The kind is a hint. Every kind takes boxed, `$`-wrapped and `x =` forms; `expression` takes relations and intervals. No
text is ever evaluated as a program. The rules stand with examples, names and versions in docs/scoring-rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from scoring.choice import read_choices
from scoring.errors import DeadlineExceeded, ParseError
from scoring.extract import split_items, strip_list_brackets
from scoring.latex_packages import spell_out
from scoring.numeric import compare_numeric, read_interval, read_numbers
from scoring.score import Status
from scoring.tolerant import agree_within
from scoring.value_text import has_roman_unit, normalise, repair
from scoring.verdict import ValueVerdict, right, undecided, unreadable, wrong
from scoring.yes_no import extract_yes_no

RULE = "value"
RULE_VERSION = "2"

KINDS = (
    "auto",
    "numeric",
    "expression",
    "equation",
    "inequality",
    "interval",
    "list",
    "set",
    "choice",
    "yes_no",
    "open",
)


class _Case:
    """One comparison: raw and normalised texts, and what the problem says about units, labels and tolerance."""

    __slots__ = ("answer", "labels", "plain_answer", "plain_target", "target", "tolerance", "unit")

    def __init__(self, target: str, answer: str, unit: str, labels: Sequence[str], tolerance: float | None) -> None:
        self.target, self.answer = spell_out(target), spell_out(answer)
        self.unit, self.labels, self.tolerance = unit, labels, tolerance
        self.plain_target, self.plain_answer = normalise(self.target), normalise(self.answer)


def compare_value(
    target: str,
    answer: str,
    *,
    kind: str = "auto",
    unit: str = "",
    labels: Sequence[str] = (),
    tolerance: float | None = None,
) -> ValueVerdict:
    """The verdict by rule. equal is None where the rule cannot decide: ask the judge, or take `without_judge`.

    unit: the reference's, as the problem gives it. tolerance: relative, None for 1 %. Raises ParseError for an
    unknown kind and for an empty target.
    """
    if kind not in KINDS:
        raise ParseError(f"kind: {kind!r} is none of {', '.join(KINDS)}")
    if not target.strip():
        raise ParseError("target: the reference is empty")
    if not answer.strip():
        return ValueVerdict(False, "the answer is empty", status=Status.NO_ANSWER)
    try:
        case = _Case(target, answer, normalise(spell_out(unit or "")), labels, tolerance)
        if not case.plain_target:
            raise ParseError("target: the reference is empty")
        if not case.plain_answer:
            return ValueVerdict(False, "the answer is empty", status=Status.NO_ANSWER)
        if kind not in ("choice", "yes_no") and _spell(case.plain_target) == _spell(case.plain_answer):
            return right("the same text")
        return _COMPARE[kind](case)
    except DeadlineExceeded as error:
        return ValueVerdict(False, f"refused: {error}", status=Status.TIMEOUT)
    except RecursionError:
        return ValueVerdict(False, "refused: nested too deeply", status=Status.TIMEOUT)
    except OverflowError:
        return ValueVerdict(False, "refused: a number is too large", status=Status.TIMEOUT)


def _spell(text: str) -> str:
    return text.replace(" ", "").rstrip(".,;")


def _compare_auto(case: _Case) -> ValueVerdict:
    text = case.plain_target
    if _NOTHING.fullmatch(text):
        return _compare_nothing(case)
    if (case.labels or _CHOICES.fullmatch(text)) and read_choices(text, case.labels) is not None:
        return _compare_choice(case)
    if _ORDER.search(text) and not text.startswith("["):
        return _compare_inequality(case)
    if _is_number(text):
        return _compare_numeric(case)
    if _LIST_LIKE.match(text) and len(split_items(text)) > 1:
        return _compare_list(case, ordered=not text.startswith("\\{"))
    if _is_prose(text):
        return _compare_open(case)
    return _compare_expression(case)


_NOTHING = re.compile(r"(?:None|none|N/?A|null|无|不存在)\.?")
_CHOICES = re.compile(r"[A-H](?: ?, ?[A-H])+")
_ORDER = re.compile(r"<|>|\\(?:le|ge|ll|gg|lesssim|gtrsim|neq?)(?![A-Za-z])")
_LIST_LIKE = re.compile(r"\(|\\\{|\[")
_PROSE = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}(?: +[A-Za-z,.'-]{1,})+|[\u4e00-\u9fff]")
_MATH = re.compile(r"[\\=^_{}+*/<>]|\d")


def _is_prose(text: str) -> bool:
    return _PROSE.search(text) is not None and _MATH.search(text) is None


@lru_cache(maxsize=4096)
def _is_number(text: str) -> bool:
    """Whether the reference is a number (with a unit) or an interval of numbers; `0.42 R` is an expression."""
    if read_interval(text):
        return True
    try:
        return not any(number.unknown and len(number.unknown) <= 3 for number in read_numbers(text))
    except ParseError:
        return False


def _compare_nothing(case: _Case) -> ValueVerdict:
    if _NOTHING.fullmatch(case.plain_answer):
        return right("both say that there is none")
    return wrong("the reference says that there is none")


def _compare_numeric(case: _Case) -> ValueVerdict:
    if _NOTHING.fullmatch(case.plain_target):
        return _compare_nothing(case)
    if _NOTHING.fullmatch(case.plain_answer):
        return wrong("the answer says that there is none")
    if not _is_number(case.plain_target):
        return _compare_symbols(case) if not _is_set_like(case.plain_target) else _compare_list(case, ordered=False)
    verdict = compare_numeric(case.plain_target, case.plain_answer, case.unit, case.tolerance)
    if verdict.equal or not _may_be_product(case):
        return verdict if verdict.status is Status.SCORED else _without_number(case, verdict)
    symbols = _compare_by_symbols(case)
    return symbols if symbols.equal else verdict if verdict.status is Status.SCORED else symbols


def _without_number(case: _Case, verdict: ValueVerdict) -> ValueVerdict:
    """The reference is a number, the answer no plain one: a formula may still have that value."""
    if _is_prose(case.plain_answer):
        return verdict
    symbols = _compare_by_symbols(case)
    return (
        symbols
        if symbols.equal or symbols.status is not Status.SCORED
        else verdict
        if symbols.equal is None
        else symbols
    )


def _may_be_product(case: _Case) -> bool:
    """`2mg`: a unit only if set upright or apart from the number; else it may be the product of m and g."""
    if case.unit or has_roman_unit(case.target):
        return False
    return re.search(r"[\d}][A-Za-z]{1,4}\)?$", case.plain_target) is not None


def _is_set_like(text: str) -> bool:
    return len(split_items(text)) > 1 and "=" not in text.replace("\\approx", "")


def _compare_expression(case: _Case) -> ValueVerdict:
    if _is_prose(case.plain_target):
        return _compare_open(case)
    if _ORDER.search(case.plain_target):
        return _compare_inequality(case)
    if read_interval(case.plain_target) or (_is_number(case.plain_target) and not _may_be_product(case)):
        return _compare_numeric(case)
    return _compare_symbols(case)


def _compare_symbols(case: _Case) -> ValueVerdict:
    """By algebra; then, where decimals stand on either side, by value within the tolerance; then as quantities."""
    verdict = _compare_by_symbols(case)
    if verdict.equal:
        return verdict
    if tolerant := _compare_decimals(case):
        return tolerant
    if _is_number(case.plain_target):
        number = compare_numeric(case.plain_target, case.plain_answer, case.unit, case.tolerance)
        return number if number.equal or number.equal is None and number.status is Status.SCORED else verdict
    return verdict


def _compare_by_symbols(case: _Case, *, ordered: bool = True) -> ValueVerdict:
    from scoring.expression import compare_expressions  # numpy and sympy come with it

    try:
        found = compare_expressions(repair(case.target), repair(case.answer), ordered=ordered)
    except ParseError as error:
        return undecided(f"the reference cannot be read: {error}", "reference unparseable")
    if "unparseable" in found.flags:
        return unreadable(found.reason, *found.flags)
    if found.equal is False and _SEVERAL.search(case.plain_target):
        return undecided("the reference gives alternatives or definitions", *found.flags)
    return ValueVerdict(found.equal, found.reason, found.flags)


_SEVERAL = re.compile(r"(?<![A-Za-z])(?:or|where)(?![A-Za-z])|或|其中")


_DECIMAL = re.compile(r"\d\.\d")


def _compare_decimals(case: _Case) -> ValueVerdict | None:
    """`0.42 R` takes 0.417 R (1 %); a decimal for a closed form (0.316 r for r/sqrt 10) is for a judge."""
    if not (_DECIMAL.search(case.target) or _DECIMAL.search(case.answer)):
        return None
    if not agree_within(case.target, case.answer, 0.01 if case.tolerance is None else case.tolerance):
        return None
    if _DECIMAL.search(case.target):
        return right("the same expression within the tolerance", "numeric")
    return undecided("a decimal where the reference has a closed form", "numeric", without_judge=True)


def _compare_equation(case: _Case) -> ValueVerdict:
    return _compare_symbols(case)


_BOUND = re.compile(r"(?P<name>[^<>\\]*?)(?P<sign><|>|\\le(?![A-Za-z])|\\ge(?![A-Za-z]))(?P<bound>[^<>]*)")
_FLIP = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}


def _compare_inequality(case: _Case) -> ValueVerdict:
    """By algebra with direction; a bound with a unit (`E > 30 GV/m`) by value."""
    verdict = _compare_by_symbols(case)
    if verdict.equal:
        return verdict
    mine, theirs = _read_bound(case.plain_answer), _read_bound(case.plain_target)
    if theirs is None:
        return verdict
    if mine is None:
        if not _ORDER.search(case.plain_answer):
            return undecided("the answer gives no direction", "inequality")
        return verdict
    if (mine[0] and theirs[0] and _spell(mine[0]) != _spell(theirs[0])) or mine[1] != theirs[1]:
        return verdict if verdict.equal is False else wrong("another inequality")
    return compare_numeric(theirs[2], mine[2], case.unit, case.tolerance)


def _read_bound(text: str) -> tuple[str, str, str] | None:
    """(name, sign, bound) of a simple inequality with a number on one side."""
    match = _BOUND.fullmatch(text)
    if match is None:
        return None
    name, sign, bound = match["name"].strip(), match["sign"], match["bound"].strip()
    if re.match(r"[-+\d.]", name):
        name, sign, bound = bound, _FLIP[sign], name
    return (name, sign, bound) if _is_number(bound) else None


def _compare_interval(case: _Case) -> ValueVerdict:
    target = read_interval(case.plain_target, round_too=True)
    if target is None:
        return _compare_expression(case)
    brackets = case.plain_target.replace("(", "[").replace(")", "]")
    answer = case.plain_answer
    if read_interval(answer, round_too=True):
        answer = answer.replace("(", "[").replace(")", "]")
    return compare_numeric(brackets, answer, case.unit, case.tolerance)


def _compare_list(case: _Case, *, ordered: bool) -> ValueVerdict:
    """Items in order, or each one used once in any order; a bracket kind does not matter, the number of items does."""
    targets = split_items(_without_name(case.plain_target)) or [strip_list_brackets(case.plain_target)]
    items = split_items(_without_name(case.plain_answer), len(targets)) if len(targets) > 1 else [case.plain_answer]
    if not items:
        several = split_items(_without_name(case.plain_answer))
        return wrong(f"{len(several) or 1} items for {len(targets)}", "list")
    if len(targets) == 1 and not normalise(targets[0]):
        return undecided("the reference is an empty list")
    if len(targets) == 1:
        return compare_value(targets[0], strip_list_brackets(items[0]), unit=case.unit, tolerance=case.tolerance)
    same_brackets = case.plain_target[:1] == case.plain_answer[:1] or case.plain_answer[:1] not in "(["
    found = _match_in_order(targets, items, case) if ordered else _match_any_order(targets, items, case)
    if found.equal and ordered and not same_brackets:
        return undecided("equal items in other brackets", "brackets", without_judge=True)
    return found


def _without_name(text: str) -> str:
    """`x = (1, 2)` and `x = 1, y = 2` both lose nothing that matters: the name before a bracketed list goes."""
    match = re.match(r"[^=(\[,]{0,60}(?:\([^()]{0,60}\))?[^=(\[,]{0,60}(?:=|\\in(?![A-Za-z])) ?(?=[(\[]|\\\{)", text)
    return text[match.end() :] if match else text


def _match_in_order(targets: list[str], items: list[str], case: _Case) -> ValueVerdict:
    verdicts = [compare_value(t, a, unit=case.unit, tolerance=case.tolerance) for t, a in zip(targets, items)]
    if all(verdict.equal for verdict in verdicts):
        return right("the same items in order", *(flag for verdict in verdicts for flag in verdict.flags))
    if any(verdict.equal is False for verdict in verdicts):
        place = next(place for place, verdict in enumerate(verdicts) if verdict.equal is False)
        return wrong(f"item {place + 1}: {verdicts[place].reason}")
    return undecided("an item is undecided", without_judge=all(verdict.is_right for verdict in verdicts))


def _match_any_order(targets: list[str], items: list[str], case: _Case) -> ValueVerdict:
    if len(targets) > 40:
        raise DeadlineExceeded(f"a set of {len(targets)} items")
    rest = list(items)
    open_items = 0
    for target in targets:
        verdicts = [compare_value(target, item, unit=case.unit, tolerance=case.tolerance) for item in rest]
        place = next((place for place, verdict in enumerate(verdicts) if verdict.equal), None)
        if place is None:
            place = next((place for place, verdict in enumerate(verdicts) if verdict.equal is None), None)
            open_items += 1
        if place is None:
            return wrong(f"no item is {target}")
        rest.pop(place)
    return undecided("an item is undecided") if open_items else right("the same items in any order")


def _compare_set(case: _Case) -> ValueVerdict:
    return _compare_list(case, ordered=False)


def _compare_ordered(case: _Case) -> ValueVerdict:
    return _compare_list(case, ordered=True)


def _compare_choice(case: _Case) -> ValueVerdict:
    """Sets of labels: `A, D`, `AD` and `D, A` are the same."""
    target = read_choices(case.plain_target, case.labels)
    if target is None:
        return _compare_open(case)
    answer = read_choices(case.answer, case.labels) or read_choices(case.plain_answer, case.labels)
    if answer is None:
        return unreadable("the answer names no option")
    if answer == target:
        return right("the same option" if len(target) == 1 else "the same options")
    return wrong(f"{', '.join(sorted(answer))} is not {', '.join(sorted(target))}")


def _compare_yes_no(case: _Case) -> ValueVerdict:
    target, answer = extract_yes_no(case.plain_target).answer, extract_yes_no(case.plain_answer).answer
    if target is None:
        return _compare_open(case)
    if answer is None:
        return unreadable("the answer says neither yes nor no")
    return right("the same word") if answer == target else wrong(f"{answer} is not {target}")


def _compare_open(case: _Case) -> ValueVerdict:
    """Words: only the same words are right by rule, all else is for a judge."""
    if _words(case.plain_target) == _words(case.plain_answer) != "":
        return right("the same words")
    if not _is_prose(case.plain_target):
        verdict = _compare_by_symbols(case)
        if verdict.equal:
            return verdict
    return undecided("words that a rule cannot compare", "open")


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


_COMPARE: dict[str, Callable[[_Case], ValueVerdict]] = {
    "auto": _compare_auto,
    "numeric": _compare_numeric,
    "expression": _compare_expression,
    "equation": _compare_equation,
    "inequality": _compare_inequality,
    "interval": _compare_interval,
    "list": _compare_ordered,
    "set": _compare_set,
    "choice": _compare_choice,
    "yes_no": _compare_yes_no,
    "open": _compare_open,
}

__all__ = ["KINDS", "RULE", "RULE_VERSION", "ValueVerdict", "compare_value"]
