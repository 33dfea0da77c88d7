"""LaTeX -> sympy exactly as PHYBench's released scorer does it, faults included (policy `official` only).

Source of the behaviour: phybench-official/phybench, commit d9db3ec, from a description in words; written anew.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from scoring.errors import ParseError

_SIGNS = ("=", r"\approx", r"\ge", r"\le", r"\geq", r"\leq", "<", ">")
_UNWRAPPED = (r"\text", r"\mathbf", r"\mathrm", r"\pmb", r"\hat", r"\overline", r"\boldsymbol")
_DELETED = (
    r"\,",
    "$",
    ",",
    "`",
    "latex",
    r"\left",
    r"\right",
    r"\text",
    r"\mathrm",
    r"\Bigr",
    r"\Bigl",
    "\n",
    r"\]",
    r"\[",
    r"\Big",
    r"\bigl",
    r"\bigr",
    r"\biggl",
    r"\biggr",
    r"\displaystyle",
    r"\boldsymbol",
    r"\infty",
)
_REPLACED = (
    (r"\operatorname{asin}", r"\asin"),
    (r"\operatorname{sech}", r"\sech"),
    (r"\operatorname{acos}", r"\acos"),
    (r"\operatorname{sinh}", r"\sinh"),
    (r"\dfrac", r"\frac"),
    (r"\tfrac", r"\frac"),
    (r"\Exp", r"\exp"),
    (r"\times", r"\bar{times}"),
    (r"\partial", r"\bar{partial}"),
    (r"\perp", r"\bar{perp}"),
    (r"\epsilon", r"\varepsilon"),
    (r"\varOmega", r"\Omega"),
    ("I", r"\bar{I}"),
    ("_e", "_{e}"),
    ("e_", r"\bar{e}_"),
    ("E_", r"\bar{E}_"),
    (r"\pm", "+"),
    (r"\mp", "-"),
    ("{+}", "{p}"),
    ("{-}", "{m}"),
    ("_+", "_p"),
    ("_-", "_m"),
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_FRACTION = re.compile(r"\\frac\s*(\\[A-Za-z]+|\d|[A-Za-z]|\{[^{}]*\})\s*(\\[A-Za-z]+|\d|[A-Za-z]|\{[^{}]*\})")
_VECTOR = re.compile(r"\\vec\{([A-Za-z\\]+)_\{([^{}]*)\}\}")
_BARE_VECTOR = re.compile(r"\\vec\s*(\\[A-Za-z]+|[A-Za-z])")


def prepare_first(text: str) -> str:
    """Stage 1: boxes, outer braces, what follows the last relation sign. Raises ParseError where the original fails."""
    text = text.replace(r"\{", "(").replace(r"\}", ")")
    if not _is_balanced(text):
        return text
    text = _remove_command(text, r"\boxed", keep=True)
    text = _unwrap_braces(text)
    text = text.split(r"\quad")[0] if r"\quad" in text else text
    for sign, rest in [(sign, text) for sign in _SIGNS]:
        place = rest.rfind(sign)
        if place >= 0:
            text = rest[place + 1 :]
    return _unwrap_braces(text.strip())


def _is_balanced(text: str) -> bool:
    stack: list[str] = []
    for char in text:
        if char in "([{":
            stack.append(char)
        elif char in _PAIRS and (not stack or stack.pop() != _PAIRS[char]):
            return False
    return not stack


def _remove_command(text: str, command: str, *, keep: bool) -> str:
    """Drop a command, with or without its group; a second occurrence breaks the original, and this."""
    place = text.find(command)
    if place < 0:
        return text
    end = place + len(command)
    if end < len(text) and text[end] == "{":
        close = _find_partner(text, end)
        inner = text[end + 1 : close]
        text = text[:place] + (inner if keep else "") + text[close + 1 :]
    else:
        text = text[:place] + text[end + 1 :]
    if command in text:
        raise ParseError(f"released scorer: {command} occurs twice")
    return text


def _find_partner(text: str, start: int) -> int:
    level = 0
    for place in range(start, len(text)):
        level += (text[place] == "{") - (text[place] == "}")
        if level == 0:
            return place
    raise ParseError("released scorer: a brace is not closed")


def _unwrap_braces(text: str) -> str:
    for _ in range(10):
        unwrapped = _unwrap_once(text)
        if unwrapped == text:
            break
        text = unwrapped
    return text


def _unwrap_once(text: str) -> str:
    match = re.search(r"(?<!\\)\{", text)
    if not match or _is_owned(text, match.start()):
        return text
    level = 0
    place = match.start()
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 2
            continue
        level += (char == "{") - (char == "}")
        if level == 0:
            return text[match.start() + 1 : place] if "}" not in text[place + 1 :] else text
        place += 1
    return text


def _is_owned(text: str, brace: int) -> bool:
    """Does a command, a power or a subscript own the brace?"""
    place = brace - 1
    while place >= 0 and text[place] in " \t]":
        if text[place] == "]":
            place = text.rfind("[", 0, place)
            if place < 0:
                return False
        place -= 1
    if place < 0 or text[place] == "\\":
        return False
    if text[place] in "^_":
        return True
    end = place
    while place >= 0 and text[place].isalpha():
        place -= 1
    return place < end and place >= 0 and text[place] == "\\"


def prepare_second(text: str) -> str:
    """Stage 2: commands removed or replaced one after the other, as plain text. Raises ParseError where it breaks."""
    for command in (r"\begin", r"\end"):
        text = _remove_command(text, command, keep=False)
    for command in _UNWRAPPED:
        text = _remove_command(text, command, keep=True)
    for piece in _DELETED:
        text = text.replace(piece, "")
    for old, new in _REPLACED:
        text = text.replace(old, new)
    text = _FRACTION.sub(lambda match: rf"\frac{_braced(match[1])}{_braced(match[2])}", text)
    text = _drop_bars_in_vectors(text)
    text = _VECTOR.sub(r"\\vec{\1}_{\2}", text)
    text = _BARE_VECTOR.sub(lambda match: rf"\vec{{{match[1]}}}", text)
    text = _brace_fraction_powers(text)
    return text[:-1] if text.endswith(".") else text


def _braced(item: str) -> str:
    return item if item.startswith("{") else f"{{{item}}}"


def _drop_bars_in_vectors(text: str) -> str:
    start = text.find(r"\vec{")
    while start >= 0:
        close = _find_partner(text, start + 4)
        inner = re.sub(r"\\bar\{([^{}]*)\}", r"\1", text[start + 5 : close])
        text = text[: start + 5] + inner + text[close:]
        start = text.find(r"\vec{", start + 5)
    return text


def _brace_fraction_powers(text: str) -> str:
    for _ in range(100):
        place = text.find(r"^\frac")
        if place < 0:
            break
        first = place + len(r"^\frac")
        try:
            middle = _find_partner(text, first)
            end = _find_partner(text, middle + 1)
        except ParseError:
            break
        text = f"{text[:place]}^{{{text[place + 1 : end + 1]}}}{text[end + 1 :]}"
    return text


@lru_cache(maxsize=1)
def _configurations() -> tuple[Any, Any]:
    from latex2sympy2_extended.latex2sympy2 import ConversionConfig
    from latex2sympy2_extended.math_normalization import NormalizationConfig

    normalization = NormalizationConfig(
        basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="all", equations=False
    )
    conversion = ConversionConfig(
        interpret_as_mixed_fractions=False,
        interpret_simple_eq_as_assignment=False,
        interpret_contains_as_eq=True,
        lowercase_symbols=False,
    )
    return normalization, conversion


def parse_official(text: str) -> Any:
    """sympy object, as the released scorer gets it. Raises ParseError for whatever goes wrong on the way."""
    from latex2sympy2_extended.latex2sympy2 import latex2sympy

    normalization, conversion = _configurations()
    try:
        prepared = prepare_second(prepare_first(text))
        return latex2sympy(prepared, normalization_config=normalization, conversion_config=conversion)
    except ParseError:
        raise
    except RecursionError:
        raise ParseError("nested too deep") from None
    except Exception as error:  # the ANTLR runtime and its visitor raise bare Exception for any bad input
        raise ParseError(f"released scorer cannot read it: {error}") from error
