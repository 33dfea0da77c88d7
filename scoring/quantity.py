"""Numbers with units as replies write them: scientific notation, thousands, fractions, percent, degrees.

`read_quantity` works on normalised text (scoring.value_text). A number keeps how exactly it was given: its digits, half
a unit of its last digit, and whether it is a bare integer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache

from scoring.errors import DeadlineExceeded, ParseError
from scoring.units import MINUTE_MARKS, Unit, parse_unit, read_unit

MAX_EXPONENT = 100_000
MAX_DIGITS = 2000
CONTEXT = Context(prec=50)


@dataclass(frozen=True, slots=True)
class Quantity:
    """value: in `unit` as written (percent already a fraction). digits: significant ones, 0 for a closed form as pi/6.

    half_unit: half a unit of the last digit given, in the same unit; 0 for a closed form. unknown: a word behind the
    number that is no unit. rest: text behind the value (a condition, a direction).
    """

    value: Decimal
    digits: int = 0
    half_unit: Decimal = Decimal(0)
    is_integer: bool = False
    unit: Unit | None = None
    is_percent: bool = False
    is_plus_minus: bool = False
    unknown: str = ""
    rest: str = ""


_SIGN = r"(?P<sign>\\pm ?|[+-] ?)?"
_MANTISSA = (
    r"(?P<mantissa>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?: \d{3})+(?!\d)(?:\.\d+)?"
    r"|\d+,\d{1,2}(?![\d,])|\d+,\d{4,}(?![\d,])"
    r"|\d+(?:\.\d*)?|\.\d+)"
)
_EXPONENT = r"(?:\{ ?(?P<braced>[+-]? ?\d+(?:\.\d+)?) ?\}|\( ?(?P<round>[+-]? ?\d+(?:\.\d+)?) ?\)|(?P<plain>[+-]?\d+))"
_POWER = rf"10 ?(?:\^|\*\*) ?{_EXPONENT}"
_TIMES = r" ?(?:\\times|\\cdot|\*|[xX]|\.(?= ?10 ?\^)) ?"
_SCALED = rf"{_MANTISSA}(?:\(\d{{1,3}}\))?(?:{_TIMES}{_POWER}|[eE](?P<e>[+-]?\d+)(?![\d.]))?"
_NUMBER = re.compile(rf"{_SIGN}(?:{_SCALED}|{_POWER.replace('P<', 'P<bare_')})")


@lru_cache(maxsize=8192)
def read_quantity(text: str) -> Quantity:
    """The number at the start of `text` with its unit. Raises ParseError; DeadlineExceeded for a refused size."""
    match = _NUMBER.match(text)
    if match is None:
        return _read_closed_form(text)
    number = _to_number(match)
    try:
        return _read_tail(number, text, match.end())
    except ParseError:
        return _read_closed_form(text)


def _to_number(match: re.Match[str]) -> Quantity:
    group = match.groupdict()
    spelled = group["mantissa"]
    mantissa = _plain_mantissa(spelled) if spelled else "1"
    power = next((group[name] for name in _POWERS if group[name] is not None), None)
    exponent = Decimal((power or "0").replace(" ", ""))
    if abs(exponent) > MAX_EXPONENT:
        raise DeadlineExceeded(f"a power of ten of {exponent}")
    if len(mantissa) > MAX_DIGITS:
        raise DeadlineExceeded(f"number of {len(mantissa)} digits; at most {MAX_DIGITS} are read")
    scale = CONTEXT.power(Decimal(10), exponent)
    sign = -1 if (group["sign"] or "").strip() == "-" else 1
    value = CONTEXT.multiply(Decimal(mantissa), scale) * sign
    decimals = len(mantissa.partition(".")[2])
    digits = len(mantissa.replace(".", "").lstrip("0")) or 1
    half = CONTEXT.multiply(Decimal(5).scaleb(-decimals - 1), scale) if spelled else Decimal(0)
    is_integer = spelled is not None and power is None and "." not in mantissa
    if is_integer:
        zeros = len(mantissa) - len(mantissa.rstrip("0"))
        is_rounded = zeros >= 2 and len(mantissa) >= 4
        is_integer = not is_rounded
        digits, half = (len(mantissa) - zeros, half.scaleb(zeros)) if is_rounded else (digits, half)
    return Quantity(value, digits, half, is_integer, is_plus_minus="pm" in (group["sign"] or ""))


_POWERS = ("braced", "round", "plain", "e", "bare_braced", "bare_round", "bare_plain")


def _plain_mantissa(spelled: str) -> str:
    """`1,000`, `1 000` are thousands; in `0,35` the comma is the decimal sign."""
    if re.fullmatch(r"\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?", spelled):
        return spelled.replace(",", "").replace(" ", "")
    return spelled.replace(",", ".")


_ERROR = re.compile(r" ?\\pm ?(?=[\d.])")
_PERCENT = re.compile(r" ?(?:%|per ?cents?(?![A-Za-z])|pct(?![A-Za-z]))")
_ENDS = re.compile(r"[\s.,;:?)\]}'\"*]*$")
_WORDS = re.compile(r"[ ,;:.(\[-]*(?P<word>[A-Za-z\u4e00-\u9fff]+)")
_FORMULA = re.compile(r" ?(?:[-+*/^_=<>|!]|\\(?!approx|text|quad)|[({]|\d)")
_UNKNOWN = re.compile(r" ?([A-Za-zμΩ°]{1,12})(?![A-Za-z])")
_REMARK = re.compile(
    r"[ ,;:.]*(?:\(|\[|(?:when|for|if|at|where|with|given|because|since|which|that|corresponding"
    r"|i\.e|e\.g|from|assuming|using|due|as|to|in|on|of|per"
    r"|当|时|其中)(?![A-Za-z]))"
)


def _read_tail(number: Quantity, text: str, end: int) -> Quantity:
    """What follows the number: an error, percent, a unit, and then only words. Raises ParseError for a formula."""
    if error := _ERROR.match(text, end):
        other = _NUMBER.match(text, error.end())
        end = other.end() if other else end
    is_closed = text.startswith(")", end) and text.startswith("(")
    end += is_closed
    if percent := _PERCENT.match(text, end):
        hundredth = Decimal("0.01")
        number = replace(
            number,
            value=number.value * hundredth,
            half_unit=number.half_unit * hundredth,
            is_integer=False,
            is_percent=True,
        )
        end = percent.end()
    elif found := _find_unit(text, end):
        number, end = _add_smaller_parts(replace(number, unit=found[0], is_integer=False), text, found[1])
    return _read_rest(number, text, end)


_BRACKETED = re.compile(r" ?\[ ?([^\[\]]{1,40}?) ?\] ?$")


def _find_unit(text: str, at: int) -> tuple[Unit, int] | None:
    if bracketed := _BRACKETED.match(text, at):
        unit = read_unit(bracketed[1])
        return (unit, bracketed.end()) if unit else None
    return parse_unit(text, at)


_PART = re.compile(r"(?: ?,? ?and | ?)(\d+(?:\.\d+)?)(?= ?[A-Za-z°'\u4e00-\u9fff])")
_MINUTE_MARK = re.compile(r" ?(''|')")


def _add_smaller_parts(number: Quantity, text: str, end: int) -> tuple[Quantity, int]:
    """`2 h 30 min`, `5°30'`: parts in smaller units of the same kind belong to the number."""
    unit = number.unit
    while unit is not None and (part := _PART.match(text, end)):
        mark = _MINUTE_MARK.match(text, part.end()) if unit.turns and not unit.dimensions else None
        found = (MINUTE_MARKS[mark[1]], mark.end()) if mark else parse_unit(text, part.end())
        if found is None or not found[0].fits(unit) or not found[0].factor < unit.factor:
            break
        share = CONTEXT.divide(Decimal(repr(found[0].factor)), Decimal(repr(unit.factor)))
        sign = -1 if number.value < 0 else 1
        number = replace(
            number, value=number.value + sign * Decimal(part[1]) * share, half_unit=share / 2, digits=number.digits + 2
        )
        end = found[1]
    return number, end


def _read_rest(number: Quantity, text: str, end: int) -> Quantity:
    if _ENDS.match(text, end):
        return number
    rest = text[end:]
    if _REMARK.match(rest):
        return replace(number, rest=rest.strip())
    if _FORMULA.match(rest):
        raise ParseError("a formula follows the number")
    if not number.unit and not number.is_percent and (unknown := _UNKNOWN.match(rest)):
        return replace(number, unknown=unknown[1], rest=rest.strip())
    if re.search(r"\d", rest):
        raise ParseError("more than one number")
    return replace(number, rest=rest.strip())


_CLOSED_FORM = re.compile(
    r"(?:\\(?:frac|sqrt|pi|times|cdot|sin|cos|tan|arctan|arcsin|arccos|ln|log|exp|pm)(?![A-Za-z])"
    r"|(?:pi|sqrt)(?![A-Za-z])|[\d.+\-*/^(){}\[\] !])+"
)


def _read_closed_form(text: str) -> Quantity:
    """`\\frac{4}{3}`, `\\pi/6 rad`, `2\\sqrt{3}`: a value without symbols, known as exactly as it is written."""
    match = _CLOSED_FORM.match(text)
    end = _balanced_end(match[0]) if match else 0
    if end == 0 or not re.search(r"\d|pi", text[:end]) or re.search(r"\d \d", text[:end]):
        raise ParseError("no number")
    value = _evaluate(text[:end].strip())
    return _read_tail(Quantity(value), text, end)


def _balanced_end(text: str) -> int:
    """Length of the longest start of `text` whose brackets are closed and which does not end in an operator."""
    depth = best = 0
    for place, character in enumerate(text):
        depth += (character in "({[") - (character in ")}]")
        if depth < 0:
            break
        if depth == 0 and (character.isalnum() or character in ")}]!"):
            best = place + 1
    return len(re.sub(r"\\(?:frac|sqrt|times|cdot|sin|cos|tan)$", "", text[:best]))


@lru_cache(maxsize=2048)
def _evaluate(text: str) -> Decimal:
    """The value of a formula without symbols to 30 digits. Raises ParseError and DeadlineExceeded."""
    from scoring.latex import parse_value
    from scoring.precise import NoPreciseValueError, evaluate_precisely
    from scoring.size_guard import check_size

    node = parse_value(text)
    check_size(node)
    try:
        value = evaluate_precisely(node, {})
        spelled = str(value.real) if not getattr(value, "imag", 0) else ""
        number = Decimal(spelled)
    except (
        NoPreciseValueError,
        ArithmeticError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        InvalidOperation,
    ) as error:
        raise ParseError(f"no number: {error}") from error
    if not number.is_finite():
        raise ParseError("no finite number")
    return number
