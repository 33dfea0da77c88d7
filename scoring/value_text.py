"""One spelling for what a value may be written in: LaTeX wrappings, Unicode signs, spaces, degree and percent signs.

The result is plain text with LaTeX left only where it carries structure (`\\frac{}{}`, `\\sqrt{}`, `^{}`, `\\times`).
Roman text keeps no mark of its own: who must know whether `mg` was roman asks `has_roman_unit` of the raw text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from scoring.errors import DeadlineExceeded
from scoring.extract import find_boxes

MAX_CHARACTERS = 10_000

_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_FRACTIONS = {"½": "(1/2)", "⅓": "(1/3)", "⅔": "(2/3)", "¼": "(1/4)", "¾": "(3/4)"}
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−‐‑‒–—﹣－", "-"),
        **dict.fromkeys("×✕✖⨯", "\\times "),
        **dict.fromkeys("·⋅•∙・", "\\cdot "),
        **dict.fromkeys("≈≃≅≒∼", "\\approx "),
        "±": "\\pm ",
        "÷": "/",
        "≤": "\\le ",
        "⩽": "\\le ",
        "≥": "\\ge ",
        "⩾": "\\ge ",
        "π": "\\pi ",
        "∞": "\\infty ",
        "µ": "μ",
        "Ω": "Ω",
        "Å": "Å",
        "℃": "°C",
        "℉": "°F",
        "º": "°",
        "˚": "°",
        "％": "%",
        "，": ",",
        "；": ";",
        "、": ",",
        "：": ":",
        "（": "(",
        "）": ")",
        "【": "[",
        "】": "]",
        "。": ".",
        "∗": "*",
        "‰": " permille",
        "⁄": "/",
        "′": "'",
        "″": "''",
        "’": "'",
        "<": "<",
        "\u00a0": " ",
        "\u2009": " ",
        "\u202f": " ",
        "\u2007": " ",
        "\u3000": " ",
    }
)
_MACROS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nolimits|rm|it|bf)(?![A-Za-z])\s?", ""),
        (r"\{\s?,\s?\}", ","),
        (r"(?<=\d)\{\s?\.\s?\}(?=\d)", "."),
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\(?:sfrac|nicefrac)(?![A-Za-z])", r"\\frac"),
        (r"\\(?:approxeq|simeq|cong|sim|thickapprox|doteq)(?![A-Za-z])", r"\\approx "),
        (r"\\(?:leqslant|leqq|leq)(?![A-Za-z])", r"\\le "),
        (r"\\(?:geqslant|geqq|geq)(?![A-Za-z])", r"\\ge "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\%|\\(?:text)?percent(?![A-Za-z])", "%"),
        (
            r"(?:\{\s?\})?\s?\^\s?\{?\s?(?:\\(?:circ|degree)(?![A-Za-z])|°|o(?=\}))\s?\}?"
            r"|\\(?:text)?degrees?(?![A-Za-z])|\{°\}",
            "°",
        ),
        (r"\\(?:textmu|upmu|mu|micro)(?![A-Za-z])(?:\s|\{\})?", "μ"),
        (r"\\(?:Omega|ohm|textohm|upOmega)(?![A-Za-z])", "Ω"),
        (r"\\(?:AA|angstrom)(?![A-Za-z])|\\mathring\{A\}", "Å"),
        (r"\\(?:ldotp|textperiodcentered|bullet|ast)(?![A-Za-z])", r"\\cdot "),
        (
            r"\\(?:[,;:!> ]|(?:thin|med|thick|neg)space(?![A-Za-z])|q?quad(?![A-Za-z]))"
            r"|\\hspace\{[^{}]{0,20}\}|\\enspace(?![A-Za-z])|~",
            " ",
        ),
        (r"\$|\\[()]|\\(?:\[|\])", ""),
    )
)
_ROMAN = re.compile(
    r"\\(?:text(?:rm|sf|tt|bf|it|normal|up)?|math(?:rm|bf|it|sf|tt|normal)|mbox|hbox|operatorname\*?|unit|si|bm|boldsymbol)"
    r"\s?\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_BRACED_LETTERS = re.compile(r"(?<![\\A-Za-z^_}])\{([A-Za-zμΩ°%]{1,12})\}")
_SPACES = re.compile(r"[ \t\n]+")


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Raises DeadlineExceeded for a text too long to be a value (a fixed number of characters)."""
    if len(text) > MAX_CHARACTERS:
        raise DeadlineExceeded(f"a value of {len(text)} characters")
    text = _open_box(_INVISIBLE.sub("", text))
    text = _SUPERSCRIPT.sub(lambda match: "^{" + match[0].translate(_SUPERSCRIPTS) + "}", text)
    for sign, spelling in _FRACTIONS.items():
        text = text.replace(sign, spelling)
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    for pattern, spelling in _MACROS:
        text = pattern.sub(spelling, text)
    for _ in range(4):
        text, count = _ROMAN.subn(_unwrap_roman, text)
        if not count:
            break
    text = _BRACED_LETTERS.sub(r"\1", text)
    return _SPACES.sub(" ", text).strip().strip("*").strip()


def _open_box(text: str) -> str:
    """Content of the last complete box, as often as there is one; an open box of a reference loses its opening."""
    for _ in range(5):
        boxes = find_boxes(text)
        if not boxes:
            return re.sub(r"\\boxed\s?\{", "", text)
        text = boxes[-1].content
    return text


def _unwrap_roman(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1] if match.start() else ""
    glue = " " if before.isalpha() and before != "μ" and not match[1].startswith(" ") else ""
    return glue + match[1]


def has_roman_unit(text: str) -> bool:
    """Whether the raw text has upright letters (`\\mathrm{mg}`, `\\text{ kg}`): units, not products of symbols."""
    return re.search(r"\\(?:text(?:rm)?|mathrm|rm|unit|si|mbox|operatorname)(?![A-Za-z])", text) is not None


_OPEN_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BRACE = re.compile(r"\\[\s\S]|[{}]")
_BRACED_COMMAND = re.compile(r"\{\s?(\\[A-Za-z]+)\s?\}(?=\s?\^)")


@lru_cache(maxsize=4096)
def repair(text: str) -> str:
    """A reference as published, with what keeps it from being read taken out: a box never closed, a brace too many,
    a lone dollar sign, `{\\sin}^2`. A text in order comes back as it is."""
    text = _BRACED_COMMAND.sub(r"\1", text)
    closers: list[int] = []
    openers: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            openers.append(match.start())
        elif match[0] == "}" and openers:
            openers.pop()
        elif match[0] == "}":
            closers.append(match.start())
    if not closers and not openers:
        return text
    boxes = {match.end() - 1: match.start() for match in _OPEN_BOX.finditer(text)}
    for at in sorted([*closers, *(opener for opener in openers if opener in boxes)], reverse=True):
        text = text[: boxes.get(at, at)] + text[at + 1 :]
    return text.replace("$", "") if text.count("$") % 2 else text


_LEAD = re.compile(
    r"\s*(?:(?:approximately|approx|about|around|roughly|nearly|circa|ca|estimated|equals?|is|are|be|of|to|the|value|answer"
    r"|约为|约等于|大约为?|约|为|是|等于)(?![A-Za-z])\.?|\\approx|=|:|\\(?:rightarrow|Rightarrow|to|implies|therefore)(?![A-Za-z]))+\s*",
    re.IGNORECASE,
)


def strip_lead(text: str) -> str:
    """Without "about", "=", "≈" before the value."""
    match = _LEAD.match(text)
    return text[match.end() :] if match else text


_RELATION = re.compile(r"(\\approx|=|\\equiv|\\in)(?![A-Za-z])")


def last_members(text: str) -> list[str]:
    """The values a chain states, the last first: `a = 1.333 \\approx 1.3` says 1.3, and 1.333 before rounding.

    Only members joined to the last by an approximate sign come along.
    """
    pieces = _RELATION.split(text)
    members = [pieces[-1]]
    for place in range(len(pieces) - 2, 0, -2):
        if pieces[place] != "\\approx" or len(members) == 2:
            break
        members.append(pieces[place - 1])
    return [member.strip() for member in members if member.strip()]
