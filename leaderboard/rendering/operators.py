"""How operators stand in a row: brackets that need not grow, bars that open and close, spaces as TeX sets them."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from leaderboard.rendering.atoms import (
    FUNCTIONS,
    INTEGRALS,
    LARGE_OPERATORS,
    LIMIT_NAMES,
    SCRIPTS,
    accent_mark,
    atom_kind,
    plain_text,
    primes_in,
)

FENCES = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉")
UPRIGHT_ARROWS = frozenset("↑↓↕⇑⇓⇕")
HIGH = frozenset({"mfrac", "mtable", "msqrt", "mroot", "munder", "munderover", "menclose"})
# Spaces before and after: none around what TeX takes for a letter or sets its own space around.
SPACES = {
    **dict.fromkeys([*"/.|…⋯⋮⋱"], ("0", "0")),
    **dict.fromkeys("∴∵", ("0", "0.278em")),
    ":": ("0.278em", "0.278em"),
}


def settle_brackets(children: Sequence[Element]) -> None:
    """`\\left(x\\right)` keeps its brackets at the size of the line: stretched ones stand off."""
    if not children or children[0].get("fence") != "true" or children[0].get("stretchy") != "true":
        return
    if not any(is_high(child) for child in children):
        for child in children:
            if child.get("stretchy") == "true":
                child.set("stretchy", "false")


def bar_forms(children: Sequence[Element]) -> dict[int, str]:
    """By index the form of the bars in a row that open or close: in pairs, or at its ends."""
    bars = [index for index, child in enumerate(children) if child.tag == "mo" and atom_kind(child) == "bar"]
    forms = {index: "postfix" if number % 2 else "prefix" for number, index in enumerate(bars)}
    if len(bars) % 2:
        forms = {}
    for index, form in ((0, "prefix"), (len(children) - 1, "postfix")):
        if children and _is_lone_bar(children[index]):
            forms.setdefault(index, form)
    return forms


def _is_lone_bar(element: Element) -> bool:
    is_sized = element.get("minsize") or element.get("fence") == "true"
    return element.tag == "mo" and not is_sized and plain_text(element.text or "") in ("∣", "|")


def space_around(text: str, before: str, attributes: str) -> str:
    """What to add to an operator's attributes: TeX's spaces where browsers set others, and no stretching by itself."""
    added = ""
    if text in FUNCTIONS or len(text) > 2 and text.isalpha():
        added = ' lspace="0" rspace="0"'
        if text in LIMIT_NAMES and "movablelimits" not in attributes:
            added += ' movablelimits="true"'
    elif text in SPACES and "lspace" not in attributes:
        added = ' lspace="{}" rspace="{}"'.format(*SPACES[text])
    elif (text in LARGE_OPERATORS or text in INTEGRALS) and before in ("", "operator", "open", "sign", "space"):
        added = ' lspace="0"'
    if "minsize" in attributes:
        return added + ' stretchy="true"'
    grows = "stretchy" not in attributes and (text in FENCES or text in UPRIGHT_ARROWS)
    return added + (' stretchy="false"' if grows else "")


def is_high(element: Element) -> bool:
    """Whether brackets around the element must be larger than a line's."""
    text = plain_text(element.text or "")
    if element.tag in HIGH or element.get("minsize") or text in LARGE_OPERATORS or text in INTEGRALS:
        return True
    if element.tag == "mover" and len(element) == 2 and not accent_mark(element, element[1]):
        return True
    has_exponent = element.tag in ("msup", "msubsup") and not primes_in(element[-1])
    if has_exponent and any(inner.tag in SCRIPTS for inner in element[-1].iter()):
        return True
    return any(is_high(child) for child in element)
