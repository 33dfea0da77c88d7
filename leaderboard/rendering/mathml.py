"""Write a converter's tree as MathML Core: escaped, only known elements and attributes, no style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from xml.etree.ElementTree import Element

from leaderboard.rendering.alphabets import styled
from leaderboard.rendering.atoms import (
    FUNCTIONS,
    ORDINARY,
    RESPELT,
    accent_mark,
    atom_kind,
    plain_text,
    primes_in,
    read_delimiter,
    read_identifier,
    read_length,
    upright_run,
    with_limits,
)
from leaderboard.rendering.braces import LatexFault
from leaderboard.rendering.operators import bar_forms, settle_brackets, space_around

ARITY = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "mroot": 2, "msubsup": 3, "munderover": 3}
ROWS = frozenset({"mrow", "mstyle", "mtd", "msqrt", "mpadded", "mphantom", "menclose"})
LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
KEPT: dict[str, frozenset[str]] = {
    "mo": frozenset(("stretchy", "fence", "form", "minsize", "maxsize", "movablelimits", "largeop", "separator")),
    "mfrac": frozenset(("linethickness",)),
    "mspace": frozenset(("width",)),
    "mpadded": frozenset(("width", "lspace")),  # a formula made flat would be cut off by the box that it scrolls in
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
_THIN = {
    "function": ("ordinary", "close", "inner", "function", "dots"),
    "ordinary": ("function", "dots"),
    "dots": ("ordinary", "close", "function"),
    "open": ("dots",),
    "large": ("dots",),
}
SPACED = frozenset((before, kind) for kind, befores in _THIN.items() for before in befores)  # parted by a thin space
THIN_SPACE = '<mspace width="0.167em"></mspace>'
ARROW_MARGIN = '<mspace width="0.4em"></mspace>'  # how much longer than its label an arrow is, at each end
TEXT_ESCAPES = re.compile(r"\\([%&_#$ ])")


class MathmlWriter:
    """Writes a converter's tree. out: pieces of MathML. is_tall: fractions in fractions, or a table, in a line.

    before: the kind of the atom before the one that is being written.
    """

    __slots__ = ("before", "fractions", "is_display", "is_tall", "out")

    def __init__(self, is_display: bool) -> None:
        self.out: list[str] = []
        self.is_display = is_display
        self.fractions = 0
        self.is_tall = False
        self.before = ""

    def row(self, children: Sequence[Element]) -> None:
        """Children of a row with TeX's spaces around function names, unary signs and paired bars."""
        settle_brackets(children)
        forms = bar_forms(children)
        previous = ""
        index, count = 0, len(children)
        while index < count:
            child, name = children[index], upright_run(children, index)
            if len(name) > 1:
                kind = "function" if name in FUNCTIONS else "ordinary"
            elif form := forms.get(index):
                kind = "open" if form == "prefix" else "close"
            else:
                kind = atom_kind(child)
            if (previous, kind) in SPACED:
                self.out.append(THIN_SPACE)
            self.before = previous
            if len(name) > 1:
                self.out.append(f"<mi>{name}</mi>")
            elif form := forms.get(index):
                self.out.append(f'<mo form="{form}" stretchy="false">|</mo>')
            else:
                self.atom(child, kind, is_last=index == count - 1)
            index += max(1, len(name))
            previous = kind or previous

    def atom(self, element: Element, kind: str, is_last: bool) -> None:
        text = plain_text(element.text or "")
        if kind == "sign" and self.before in ("operator", "open", "sign"):
            self.out.append(f'<mo form="prefix">{escape(_innermost(element))}</mo>')
        elif is_last and text == "," and not len(element):
            self.out.append('<mo rspace="0">,</mo>')
        else:
            self.element(element)

    def element(self, element: Element) -> None:
        tag = element.tag
        if tag in LEAVES and len(element) == 0:
            self.leaf(element)
        elif tag in LEAVES or tag == "math":
            self.group("mrow", "", element)  # \mathbin{+} puts elements into an mo
        elif tag == "mpadded" and element.get("width", "")[:1] == "+":  # the label of an arrow
            self.out.append(f"<mrow>{ARROW_MARGIN}")
            self.row(list(element))
            self.out.append(f"{ARROW_MARGIN}</mrow>")
        elif tag in ROWS:
            attributes = self.attributes(element)
            is_plain = tag in ("mstyle", "mpadded") and not attributes  # it only carried a colour
            self.group("mrow" if is_plain else tag, attributes, element)
        elif tag in ARITY:
            self.fixed(element)
        elif tag == "mspace":
            width = read_length(element.get("width", ""))
            if width:
                self.out.append(f'<mspace width="{width}"></mspace>')
        elif tag == "mtable":
            self.table(element)
        else:
            raise LatexFault(f"unexpected {tag}")

    def group(self, tag: str, attributes: str, element: Element) -> None:
        self.out.append(f"<{tag}{attributes}>")
        if element.text:
            self.out.append(f"<mtext>{escape(plain_text(element.text))}</mtext>")
        self.row(list(element))
        self.out.append(f"</{tag}>")

    def fixed(self, element: Element) -> None:
        """An element with a fixed number of children, each written as one element."""
        tag, children = element.tag, list(element)
        if len(children) != ARITY[tag]:
            raise LatexFault("an argument is missing")
        if tag in ("msup", "msubsup") and (primes := primes_in(children[-1])):
            self.primed(children[:-1], primes)
            return
        tag = with_limits(tag, children[0])
        attributes = self.attributes(element)
        mark = accent_mark(element, children[1]) if tag in ("mover", "munder") else ""
        if mark and tag == "mover" and "→" not in mark and "⋯" not in mark:
            attributes = ' accent="true"'
        self.out.append(f"<{tag}{attributes}>")
        self.fractions += tag == "mfrac"
        self.is_tall |= self.fractions > 1
        self.base(children[0], tag)
        for child in children[1:]:
            if mark:
                self.out.append(mark)
            else:
                self.element(child)
        self.fractions -= tag == "mfrac"
        self.out.append(f"</{tag}>")

    def primed(self, children: Sequence[Element], primes: str) -> None:
        """x'_0 as (x')_0: a prime is drawn raised already, in a script it would be raised twice and too small."""
        self.out.append("<msub><mrow>" if len(children) == 2 else "<mrow>")
        self.element(children[0])
        self.out.append(f"<mo>{RESPELT.get(primes, primes)}</mo></mrow>")
        if len(children) == 2:
            self.element(children[1])
            self.out.append("</msub>")

    def base(self, element: Element, tag: str) -> None:
        if element.tag == "mstyle" and len(element) == 1 and element[0].tag == "mo":
            element = element[0]  # an arrow stretches to its label where it is the base itself
        if tag in ("msup", "msub", "msubsup") and element.tag == "mo" and element.get("minsize"):
            self.out.append("<mrow>")  # a bracket alone as the base of a script would not take its size
            self.leaf(element)
            self.out.append("<mi></mi></mrow>")
        else:
            self.element(element)

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
        tag, source = element.tag, element.text or ""
        text, variant = plain_text(source), element.get("mathvariant", "")
        if source[:1] == "\\" and tag != "mtext":
            source = text = read_delimiter(text)
        if tag == "mtext":
            self.text(text, variant)
            return
        attributes = ""
        if tag == "mi":
            tag, attributes = read_identifier(source, variant)
        elif text in ORDINARY:
            tag, attributes = "mi", ' mathvariant="normal"'
        elif not text:
            return
        text = RESPELT.get(text, text)
        if tag == "mo":
            attributes += self.attributes(element)
            attributes += space_around(text, self.before, attributes)
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
                value = read_length(value)
            if value and value.replace(".", "").replace("-", "").isalnum():
                found.append(f' {name}="{value}"')
        return "".join(found)


def _innermost(element: Element) -> str:
    """The text of a sign, be it in braces: `x = {-}5`."""
    while len(element):
        element = element[0]
    return plain_text(element.text or "")


def _class(names: Sequence[str]) -> str:
    return f' class="{" ".join(names)}"' if any(names) else ""
