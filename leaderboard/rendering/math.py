"""LaTeX -> MathML Core with the LaTeX kept in an annotation, or the source itself with the reason.

`latex2mathml` reads the LaTeX; this module writes its tree: escaped, only known elements and attributes, no style,
and with the spacing and the letters that browsers following MathML Core do not add by themselves.

Classes for the stylesheet: on `<math>` `math-tall` (an inline formula higher than a line); inside `math-box`,
`math-cancel`, `math-bcancel`, `math-xcancel`, `math-strike` (menclose), `math-align`, `math-small` (tables),
`math-left`, `math-right`, `math-line-right`, `math-line-below` (cells and rows), `math-bold`, `math-italic`,
`math-sans`, `math-mono` (text); outside `math-error` (a `<code>` with a title).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from latex2mathml.converter import Converter
from latex2mathml.exceptions import ExtraLeftOrMissingRightError

from leaderboard.rendering.alphabets import styled
from leaderboard.rendering.latex import LatexFault, normalise
from leaderboard.rendering.segments import MAX_FORMULA

_FUNCTIONS = (
    "arccos arcsin arctan arccot arcctg arctg arsinh arcosh artanh arcsinh arccosh arctanh ch cos cosec cosh cot cotg "
    "coth csc csch ctg cth deg dim erf exp hom ker ln lg log sec sech sh sin sinh tan tanh tg th lim max min sup inf "
    "det gcd arg Pr Re Im Tr tr sgn sign rank rot grad div curl mod"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())
LIMIT_NAMES = frozenset({"lim", "max", "min", "sup", "inf", "det", "gcd", "Pr", "arg\u2009max", "arg\u2009min"})
LARGE_OPERATORS = frozenset("∑∏∐⋃⋂⋁⋀⨁⨂⨀⨄")
SIGNS = frozenset("+−±∓-")
OPENING = frozenset("([{⟨⌊⌈")
CLOSING = frozenset(")]}⟩⌋⌉!")
ACCENTS = frozenset("´¯˘ˇ˙¨\u20db\u20dc`^˚~→←↔‾")
LETTERLIKE = frozenset("∞∂∇∅ℓℏ°′")
DELIMITERS = {r"\vert": "|", r"\Vert": "‖", r"\|": "‖", r"\{": "{", r"\}": "}", r"\lvert": "|", r"\rvert": "|"}
ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
ROWS = frozenset({"mrow", "mstyle", "mtd", "msqrt", "mpadded", "mphantom", "menclose"})
LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})

KEPT: dict[str, frozenset[str]] = {
    "mo": frozenset(("stretchy", "fence", "form", "minsize", "maxsize", "movablelimits", "largeop", "separator")),
    "mfrac": frozenset(("linethickness",)),
    "mspace": frozenset(("width",)),
    "mpadded": frozenset(("width", "height", "depth", "lspace", "voffset")),
    "mstyle": frozenset(("displaystyle", "scriptlevel")),
    "mtable": frozenset(("displaystyle",)),
}
ENCLOSURES = {
    "box": "math-box",
    "updiagonalstrike": "math-cancel",
    "downdiagonalstrike": "math-bcancel",
    "updiagonalstrike downdiagonalstrike": "math-xcancel",
    "horizontalstrike": "math-strike",
}
TEXT_CLASSES = {"bold": "math-bold", "italic": "math-italic", "sans-serif": "math-sans", "monospace": "math-mono"}
NAMED_SPACES = {
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
    "thinmathspace": "0.167em",
    "thickmathspace": "0.278em",
}
LENGTH = re.compile(r"-?(\d{0,3}(?:\.\d{1,4})?)(em|ex|px|pt|mm|cm|mu)?")
LONGEST_EM = {"em": 10, "ex": 20, "px": 160, "pt": 120, "mm": 40, "cm": 4, "mu": 180, None: 0}
SPACED = frozenset(
    [(before, "function") for before in ("ordinary", "close", "inner", "function")] + [("function", "ordinary")]
)  # pairs of neighbours that TeX parts by a thin space
THIN_SPACE = '<mspace width="0.167em"></mspace>'
TEXT_ESCAPES = re.compile(r"\\([%&_#$ ])")


def render_formula(latex: str, *, is_display: bool = False) -> SafeString:
    """`<math>` for the LaTeX (without delimiters), or `<code class="math-error">` with its source and a hint."""
    try:
        return mark_safe(to_mathml(latex, is_display))
    except LatexFault as fault:
        return mark_safe(error_html(latex, str(fault)))


def error_html(latex: str, reason: str) -> str:
    hint = _("This formula could not be typeset: %(reason)s.") % {"reason": reason}
    return f'<code class="math-error" dir="ltr" title="{escape(hint)}">{escape(latex.strip())}</code>'


@lru_cache(maxsize=20_000)
def to_mathml(latex: str, is_display: bool) -> str:
    """MathML of one formula, safe to embed. Raises LatexFault with a short reason if it cannot be typeset."""
    if len(latex) > MAX_FORMULA:
        raise LatexFault("longer than a formula can be")
    root = _convert(normalise(latex), is_display)
    writer = _Writer(is_display)
    try:
        writer.row(list(root[0]))
    except RecursionError:
        raise LatexFault("nested too deeply") from None
    attributes = ' display="block"' if is_display else ' class="math-tall"' if writer.is_tall else ""
    return (
        f"<math{attributes}><semantics><mrow>{''.join(writer.out)}</mrow>"
        f'<annotation encoding="application/x-tex">{escape(latex.strip(), quote=False)}</annotation></semantics></math>'
    )


def _convert(latex: str, is_display: bool) -> Element:
    if not latex:
        raise LatexFault("empty")
    try:
        return _tree(latex, is_display)
    except ExtraLeftOrMissingRightError:
        return _tree(re.sub(r"\\(?:left|right|middle)(?![a-zA-Z])\s*\.?", "", latex), is_display)


def _tree(latex: str, is_display: bool) -> Element:
    try:
        return Converter(display="block" if is_display else "inline").convert_to_element(latex)
    except ExtraLeftOrMissingRightError:
        if r"\left" not in latex and r"\right" not in latex and r"\middle" not in latex:
            raise LatexFault("brackets do not pair") from None
        raise
    except RecursionError:
        raise LatexFault("nested too deeply") from None
    except Exception as error:  # the converter raises whatever its parser stumbles over: IndexError, StopIteration ...
        raise LatexFault(_describe(error)) from error


def _describe(error: Exception) -> str:
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
    return words if words not in {"index", "key", "value", "type", "attribute"} else "not understood"


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    """The characters behind the converter's `&#x0222B;`."""
    return unescape(text) if "&" in text else text


class _Writer:
    """Writes a converter's tree. out: pieces of MathML. is_tall: fractions in fractions, or a table, in a line."""

    __slots__ = ("fractions", "is_display", "is_tall", "out")

    def __init__(self, is_display: bool) -> None:
        self.out: list[str] = []
        self.is_display = is_display
        self.fractions = 0
        self.is_tall = False

    def row(self, children: Sequence[Element]) -> None:
        """Children of a row with TeX's spaces around function names, unary signs and paired bars."""
        previous = ""
        bars = sum(1 for child in children if child.tag == "mo" and child.text == "|") % 2
        opened = False
        index, count = 0, len(children)
        while index < count:
            child = children[index]
            upright = _upright_run(children, index)
            if len(upright) > 1:
                index += len(upright)
                kind = "function" if upright in FUNCTIONS else "ordinary"
            else:
                index += 1
                kind = _kind(child)
            if (previous, kind) in SPACED:
                self.out.append(THIN_SPACE)
            if len(upright) > 1:
                self.out.append(f"<mi>{upright}</mi>")
            elif kind == "bar" and not bars:
                opened = not opened
                form = "prefix" if opened else "postfix"
                self.out.append(f'<mo form="{form}" stretchy="false">|</mo>')
                kind = "open" if opened else "close"
            elif kind == "sign" and previous in ("operator", "open", "sign"):
                self.out.append(f'<mo form="prefix">{escape(_plain(child.text or ""))}</mo>')
            else:
                self.element(child)
            previous = kind or previous

    def element(self, element: Element) -> None:
        tag = element.tag
        if tag in LEAVES and len(element) == 0:
            self.leaf(element)
        elif tag in LEAVES or tag == "math":
            self.group("mrow", "", element)  # \mathbin{+} puts elements into an mo
        elif tag in ROWS:
            self.group(tag, self.attributes(element), element)
        elif tag in ARITY:
            self.fixed(element)
        elif tag == "mspace":
            width = _length(element.get("width", ""))
            if width:
                self.out.append(f'<mspace width="{width}"></mspace>')
        elif tag == "mtable":
            self.table(element)
        else:
            raise LatexFault(f"unexpected {tag}")

    def group(self, tag: str, attributes: str, element: Element) -> None:
        self.out.append(f"<{tag}{attributes}>")
        if element.text:
            self.out.append(f"<mtext>{escape(_plain(element.text))}</mtext>")
        self.row(list(element))
        self.out.append(f"</{tag}>")

    def fixed(self, element: Element) -> None:
        """An element with a fixed number of children, each written as one element."""
        tag, children = element.tag, list(element)
        if len(children) != ARITY[tag]:
            raise LatexFault("an argument is missing")
        tag = _with_limits(tag, children[0])
        attributes = self.attributes(element)
        if tag == "mover" and _is_accent(element, children[1]):
            attributes = ' accent="true"'
        self.out.append(f"<{tag}{attributes}>")
        self.fractions += tag == "mfrac"
        self.is_tall |= self.fractions > 1
        for position, child in enumerate(children):
            if position and tag in ("mover", "munder") and child.tag == "mo":
                self.accent(element, child)
            else:
                self.element(child)
        self.fractions -= tag == "mfrac"
        self.out.append(f"</{tag}>")

    def accent(self, element: Element, mark: Element) -> None:
        text = _plain(mark.text or "")
        if text == "\u2015":  # the converter's line over or under, which no font stretches
            text = "\u203e" if element.tag == "mover" else "_"
            self.out.append(f'<mo stretchy="true">{text}</mo>')
        elif text == "^":
            is_hat = element.get("accent") == "true"
            self.out.append(f'<mo stretchy="{"false" if is_hat else "true"}">^</mo>')
        else:
            self.leaf(mark)

    def table(self, table: Element) -> None:
        self.is_tall = True
        classes = []
        if table.get("displaystyle") == "true":
            classes.append("math-align")
        if table.get("rowspacing") == "0.1em":
            classes.append("math-small")
        lines = table.get("columnlines", "").split()
        rules = table.get("rowlines", "").split()
        self.out.append("<mtable" + self.attributes(table) + _class(classes) + ">")
        for number, row in enumerate(table):
            below = number < len(rules) and rules[number] != "none"
            self.out.append("<mtr" + _class(["math-line-below"] if below else []) + ">")
            for column, cell in enumerate(row):
                self.cell(cell, column < len(lines) and lines[column] == "solid")
            self.out.append("</mtr>")
        self.out.append("</mtable>")

    def cell(self, cell: Element, has_line: bool) -> None:
        align = cell.get("columnalign")
        classes = [f"math-{align}"] if align in ("left", "right") else []
        self.out.append("<mtd" + _class([*classes, "math-line-right"] if has_line else classes) + ">")
        self.row(list(cell))
        self.out.append("</mtd>")

    def leaf(self, element: Element) -> None:
        tag, text = element.tag, _plain(element.text or "")
        variant = element.get("mathvariant", "")
        if text[:1] == "\\" and tag != "mtext":
            text = _known_delimiter(text)
        if tag == "mtext":
            self.text(text, variant)
            return
        attributes = ""
        if tag == "mi":
            tag, attributes = _identifier(text, variant)
        elif tag == "mo":
            if not text:
                return
            attributes = self.attributes(element)
            if text in FUNCTIONS or len(text) > 2 and text.isalpha():
                attributes += ' lspace="0" rspace="0"'
                if text in LIMIT_NAMES and "movablelimits" not in attributes:
                    attributes += ' movablelimits="true"'
        if variant and variant != "normal":
            text = styled(text, variant)
        self.out.append(f"<{tag}{attributes}>{escape(text, quote=False)}</{tag}>")

    def text(self, text: str, variant: str) -> None:
        name = TEXT_CLASSES.get(variant)
        plain = TEXT_ESCAPES.sub(r"\1", text).replace("~", "\u00a0")
        self.out.append(f"<mtext{_class([name] if name else [])}>{escape(plain, quote=False)}</mtext>")

    def attributes(self, element: Element) -> str:
        if not element.attrib:
            return ""
        tag = element.tag
        if tag == "menclose":
            notation = element.get("notation", "")
            return f' notation="{escape(notation)}"' + _class([ENCLOSURES.get(notation, "")])
        kept = KEPT.get(tag)
        if kept is None:
            return ""
        found = []
        for name, value in element.attrib.items():
            if name not in kept:
                continue
            if tag == "mstyle" and not self.is_display and element.get("displaystyle") == "true":
                continue  # \dfrac and \displaystyle within a line would push the lines apart
            if name in ("minsize", "maxsize", "width", "height", "depth", "lspace", "voffset", "linethickness"):
                value = _length(value)
            if value and value.replace(".", "").replace("-", "").isalnum():
                found.append(f' {name}="{value}"')
        return "".join(found)


def _upright_run(children: Sequence[Element], index: int) -> str:
    """The upright letters from here on, to be one `<mi>`: `\\mathrm{kg}` comes as two."""
    letters = []
    for child in children[index:]:
        text = child.text or ""
        if child.tag != "mi" or child.get("mathvariant") != "normal" or len(text) != 1 or not text.isalpha():
            break
        letters.append(text)
    return "".join(letters)


def _kind(element: Element) -> str:
    """How an element behaves between its neighbours, roughly TeX's atom types; "" for what does not count."""
    tag = element.tag
    if tag == "mo":
        return _operator_kind(element)
    if tag == "mi":
        return "function" if (element.text or "") in FUNCTIONS else "ordinary" if element.text else ""
    if tag == "mspace":
        return "space"
    if tag == "mtext":
        return "space" if not _plain(element.text or "").strip() else "ordinary"
    if tag in SCRIPTS and len(element):
        return "function" if _kind(element[0]) == "function" else "ordinary"
    if tag == "mrow" and len(element):
        first = element[0]
        if len(element) == 1:
            return _kind(first)
        return "inner" if first.tag == "mo" and first.get("fence") == "true" else "ordinary"
    return "ordinary"


def _operator_kind(element: Element) -> str:
    text = _plain(element.text or "")
    if text in SIGNS:
        return "sign"
    if text == "|" and not element.get("form") and not element.get("minsize"):
        return "bar"
    if text in OPENING or element.get("form") == "prefix":
        return "open"
    if text in CLOSING or element.get("form") == "postfix":
        return "close"
    return "function" if text in FUNCTIONS or (len(text) > 1 and text.isalpha()) else "operator"


def _with_limits(tag: str, base: Element) -> str:
    """Limits below and above for sums and `lim`; the browser sets them beside in a line (movablelimits)."""
    if base.tag != "mo":
        return tag
    text = _plain(base.text or "")
    if text not in LARGE_OPERATORS and text not in LIMIT_NAMES:
        return tag
    return {"msub": "munder", "msup": "mover", "msubsup": "munderover"}.get(tag, tag)


def _is_accent(element: Element, mark: Element) -> bool:
    return element.get("accent") == "true" or (mark.tag == "mo" and _plain(mark.text or "") in ACCENTS)


def _identifier(text: str, variant: str) -> tuple[str, str]:
    """The element and attributes for what the converter calls an identifier."""
    if len(text) != 1:
        return ("mn" if text[:1] == "." and text[1:].isdigit() else "mi"), ""
    if variant == "normal":
        return "mi", ' mathvariant="normal"'
    if "Α" <= text <= "Ω" and not variant:
        return "mi", ' mathvariant="normal"'  # TeX sets capital Greek upright
    if not text.isalnum() and text not in LETTERLIKE and (unicodedata.category(text) == "Sm" or text in "·:;…"):
        return "mo", ""
    return "mi", ""


def _known_delimiter(text: str) -> str:
    if text in DELIMITERS:
        return DELIMITERS[text]
    if text == "\\":
        return ""
    raise LatexFault(f"unknown command {text[:40]}")


def _length(value: str) -> str:
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


def _class(names: Sequence[str]) -> str:
    return f' class="{" ".join(names)}"' if any(names) else ""
