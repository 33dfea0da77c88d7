"""What the pieces of a formula are to each other: functions, signs, brackets, accents; roughly TeX's atom types."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from html import unescape
from xml.etree.ElementTree import Element

from leaderboard.rendering.braces import LatexFault

_FUNCTIONS = (
    "arccos arcsin arctan arccot arcctg arctg arsinh arcosh artanh arcsinh arccosh arctanh ch cos cosec cosh cot cotg "
    "coth csc csch ctg cth deg dim erf exp hom ker ln lg log sec sech sh sin sinh tan tanh tg th lim max min sup inf "
    "det gcd arg Pr Re Im Tr tr sgn sign rank rot grad div curl mod"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())
LIMIT_NAMES = frozenset(
    [
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "gcd",
        "Pr",
        "arg\u2009max",
        "arg\u2009min",
        "lim\u2006sup",
        "lim\u2006inf",
    ]
)
LARGE_OPERATORS = frozenset("∑∏∐⋃⋂⋁⋀⨁⨂⨀⨄")
INTEGRALS = frozenset("∫∬∭⨌∮∯∰")
DOTS = frozenset("…⋯⋮⋱")
ORDINARY = frozenset("∞∂∇𝛁∀∃∄∅∠□△▽◇ℏℓ♮♯♭⊤%")  # the converter takes some of them for operators
RESPELT = {"*": "∗", "~": "∼", "′′": "″", "′′′": "‴"}  # as the font draws them best
SIGNS = frozenset("+−±∓-")
OPENING = frozenset("([{⟨⌊⌈")
CLOSING = frozenset(")]}⟩⌋⌉!")
ACCENTS = frozenset("´¯˘ˇ˙¨\u20db\u20dc`˚→←↔")
PRIMES = frozenset({"′", "″", "‴", "⁗", "′′", "′′′"})
LETTERLIKE = frozenset("∞∂∇∅ℓℏ°′")
DELIMITERS = {r"\vert": "|", r"\Vert": "‖", r"\|": "‖", r"\{": "{", r"\}": "}", r"\lvert": "|", r"\rvert": "|"}
SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
NAMED_SPACES = {
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
    "thinmathspace": "0.167em",
    "thickmathspace": "0.278em",
}
LENGTH = re.compile(r"-?(\d{0,3}(?:\.\d{1,4})?)(em|ex|px|pt|mm|cm|mu)?")
LONGEST_EM = {"em": 10, "ex": 20, "px": 160, "pt": 120, "mm": 40, "cm": 4, "mu": 180, None: 0}


@lru_cache(maxsize=8192)
def plain_text(text: str) -> str:
    """The characters behind the converter's `&#x0222B;`."""
    return unescape(text) if "&" in text else text


def upright_run(children: Sequence[Element], index: int) -> str:
    """The upright letters from here on, to be one `<mi>`: `\\mathrm{kg}` comes as two."""
    letters = []
    for child in children[index:]:
        text = child.text or ""
        if child.tag != "mi" or child.get("mathvariant") != "normal" or len(text) != 1 or not text.isalpha():
            break
        letters.append(text)
    return "".join(letters)


def atom_kind(element: Element) -> str:
    """How an element behaves between its neighbours, roughly TeX's atom types; "" for what does not count."""
    tag = element.tag
    if tag == "mo":
        return _operator_kind(element)
    if tag == "mi":
        return _identifier_kind(element)
    if tag == "mspace":
        return "space"
    if tag == "mtext":
        return "space" if not plain_text(element.text or "").strip() else "ordinary"
    if tag in SCRIPTS and len(element):
        kind = atom_kind(element[0])
        return kind if kind in ("function", "large") else "ordinary"
    if tag == "mrow" and len(element):
        return _row_kind(element)
    return "ordinary"


def _identifier_kind(element: Element) -> str:
    text = plain_text(element.text or "")
    if not text or text in FUNCTIONS:
        return "function" if text else ""
    if text in SIGNS:
        return "sign"
    return "operator" if read_identifier(element.text or "", element.get("mathvariant", ""))[0] == "mo" else "ordinary"


def _row_kind(row: Element) -> str:
    first = row[0]
    if len(row) == 1:
        return atom_kind(first)
    if first.tag == "mo" and first.get("fence") == "true":
        return "inner"
    name = upright_run(list(row), 0)  # `\\mathrm{sin}`
    return "function" if len(name) == len(row) and name in FUNCTIONS else "ordinary"


def _operator_kind(element: Element) -> str:
    text = plain_text(element.text or "")
    if text in SIGNS:
        return "sign"
    if text in DOTS:
        return "dots"
    if text in ORDINARY:
        return "ordinary"
    if text in LARGE_OPERATORS or text in INTEGRALS:
        return "large"
    if text == "|" and not element.get("form") and not element.get("minsize"):
        return "bar"
    if text in OPENING or element.get("form") == "prefix":
        return "open"
    if text in CLOSING or element.get("form") == "postfix":
        return "close"
    return "function" if text in FUNCTIONS or (len(text) > 1 and text.isalpha()) else "operator"


def with_limits(tag: str, base: Element) -> str:
    """Limits below and above for sums and `lim`; the browser sets them beside in a line (movablelimits)."""
    if base.tag != "mo":
        return tag
    text = plain_text(base.text or "")
    if text not in LARGE_OPERATORS and text not in LIMIT_NAMES and base.get("movablelimits") != "true":
        return tag
    return {"msub": "munder", "msup": "mover", "msubsup": "munderover"}.get(tag, tag)


def accent_mark(element: Element, mark: Element) -> str:
    """The accent as the mathematical font draws it best, "" if `mark` is none of the converter's accents."""
    if mark.tag != "mo" or len(mark):
        return ""
    text = plain_text(mark.text or "")
    if text == "\u2015":  # over- or underline
        return f'<mo stretchy="true">{"‾" if element.tag == "mover" else "_"}</mo>'
    if text == "^":  # \hat has accent="true", \widehat has not
        return '<mo stretchy="false">ˆ</mo>' if element.get("accent") else '<mo stretchy="true">\u0302</mo>'
    is_letter = element[0].tag == "mi" or (element[0].tag == "mrow" and len(element[0]) == 1)
    if text == "~":
        return f'<mo stretchy="{"false" if is_letter else "true"}">˜</mo>'
    if text == "\u20db":  # \dddot
        return "<mo>⋯</mo>"
    if text == "→" and mark.get("stretchy") == "true":  # \vec: over one letter a small arrow
        return f'<mo stretchy="{"false" if is_letter else "true"}">→</mo>'
    if text in ACCENTS:
        stretchy = "false" if text in "˙¨´`˘ˇ˚" else "true"
        return f'<mo stretchy="{stretchy}">{text}</mo>'
    return ""


def primes_in(element: Element) -> str:
    """The primes that are all an exponent holds, else ""."""
    if element.tag == "mrow" and len(element):
        found = [primes_in(child) for child in element]
        return "".join(found) if all(found) else ""
    if element.tag == "msup" and len(element) == 2 and not element[0].text and not len(element[0]):
        return primes_in(element[1])  # `x^{'}` hangs the prime on nothing
    text = plain_text(element.text or "") if element.tag in ("mi", "mo") else ""
    return text if text and text in PRIMES else ""


def read_identifier(text: str, variant: str) -> tuple[str, str]:
    """The element and attributes for what the converter calls an identifier."""
    is_entity, text = text[:2] == "&#", plain_text(text)
    if len(text) != 1:
        return ("mn" if text[:1] == "." and text[1:].isdigit() else "mi"), ""
    if variant == "normal" or (is_entity and text.isascii() and text.isalpha()):  # `\\mathrm{d}` is an entity there
        return "mi", ' mathvariant="normal"'
    if "Α" <= text <= "Ω" and not variant:
        return "mi", ' mathvariant="normal"'  # TeX sets capital Greek upright
    if is_entity and text == ":":  # \colon
        return "mo", ' lspace="0" rspace="0.278em"'
    if not text.isalnum() and text not in LETTERLIKE and (unicodedata.category(text) == "Sm" or text in "·:;~[]"):
        return "mo", ""
    return "mi", ""


def read_delimiter(text: str) -> str:
    if text in DELIMITERS:
        return DELIMITERS[text]
    if text == "\\":
        return ""
    raise LatexFault(f"unknown command {text[:40]}")


def read_length(value: str) -> str:
    """The length if it is one and not longer than a formula needs, in units that MathML Core knows; else ""."""
    value = NAMED_SPACES.get(value, value)
    match = LENGTH.fullmatch(value)
    if not match or not match[1]:
        return ""
    number, unit = float(match[1]), match[2]
    if number > LONGEST_EM[unit]:
        return ""
    if unit == "mu":
        return f"{'-' if value[0] == '-' else ''}{number / 18:.3f}em"
    return value
