"""Expression trees in words: what a node is called, and how a part reads as a line of mathematics."""

from __future__ import annotations

import re

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from leaderboard.rendering.edit_script import TreeJson

OPERATORS = {"Add": "+", "Mul": "×", "Pow": "^"}
FUNCTIONS = {"log": "ln", "Abs": "abs"}
LONGEST = 60
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK_LETTERS = "αβγδϵζηθικλμνξοπρστυϕχψω"
GREEK = dict(zip(_GREEK_NAMES.split(), _GREEK_LETTERS, strict=True))
GREEK |= {name.capitalize(): letter.upper() for name, letter in GREEK.items()}
GREEK |= {"varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ", "varrho": "ϱ", "hbar": "ℏ", "ell": "ℓ", "odot": "⊙"}
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
CONSTANTS = {"pi": "π", "E": "e", "oo": "∞", "-oo": "−∞"}
# Names carry their accents in front: `dot vec x`. Each becomes a combining character behind the letter.
ACCENTS = {
    "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "dddot": "\u20db", "under": "\u0332",
}  # fmt: skip
DIFFERENTIALS = {"d": "d", "partial": "∂"}
_LETTERS = r"[A-Za-z0-9\u0370-\u03ff]+"
_INDEX = re.compile(rf"(?<=[^\W_])_({_LETTERS}|[+*−-])")
_EXPONENT = re.compile(rf"(?<=[^\s^])\^(?:\((?P<inner>−?{_LETTERS}(?:/{_LETTERS})?)\)|(?P<bare>−?{_LETTERS}))")
RELATIONS = {"<=": "≤", ">=": "≥", "!=": "≠", "=>": "⇒", "~": "≈"}


def node_text(label: str) -> str:
    """What stands in a node: `symbol_theta_0` is θ₀, `operator_Mul` ×, `number_-1/2` −1/2."""
    kind, _underscore, name = label.partition("_")
    if kind == "operator":
        return OPERATORS.get(name, name)
    if kind == "number":
        return CONSTANTS.get(name, name.replace("-", "−", 1))
    if kind == "function" and name.startswith("statement"):
        return _relation_text(name.removeprefix("statement")) or _("statement")
    return _symbol_text(name) if kind == "symbol" else FUNCTIONS.get(name, name) or label


def _relation_text(signs: str) -> str:
    for plain, sign in RELATIONS.items():
        signs = signs.replace(plain, sign)
    return signs


def _symbol_text(name: str) -> str:
    *accents, bare = name.split(" ")
    head, _underscore, index = bare.replace("\\", "").replace("{", "").replace("}", "").partition("_")
    head, index = GREEK.get(head, head), GREEK.get(index, index)
    for accent in reversed(accents):
        head = f"{DIFFERENTIALS[accent]}{head}" if accent in DIFFERENTIALS else _accented(accent, head)
    if not index:
        return head
    return head + index.translate(SUBSCRIPTS) if index.isdigit() else f"{head}_{index}"


def split_index(text: str) -> tuple[str, str]:
    """A symbol's letter and its index, which may be empty: `m_e` is m and e."""
    letter, _underscore, index = text.partition("_")
    return (letter, index) if letter and index else (text, "")


def set_indices(words: str) -> SafeString:
    """Words about expressions as HTML: indices set low, exponents high. `m_e·c^2` has one of each."""
    low = _INDEX.sub(r"<sub>\1</sub>", str(escape(words)))
    return mark_safe(_EXPONENT.sub(lambda found: f"<sup>{found['inner'] or found['bare']}</sup>", low))


def _accented(accent: str, head: str) -> str:
    return head + ACCENTS[accent] if accent in ACCENTS else f"{accent} {head}"


def part_text(tree: TreeJson) -> str:
    """A subtree as a line of mathematics, cut where it is long."""
    text = _infix(tree, 0, 0)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _infix(tree: TreeJson, outer: int, depth: int) -> str:
    """outer: 0 anything, 1 inside a product, 2 inside a power: decides about brackets."""
    label, children = str(tree["label"]), tree.get("children", ())
    if depth > 12:
        return "…"
    name = label.partition("_")[2]
    if not children:
        text = node_text(label)
        return f"({text})" if outer == 2 and ("/" in text or text.startswith("−")) else text
    if name == "Add":
        text = " + ".join(_infix(child, 0, depth + 1) for child in children).replace("+ −", "− ")
        return f"({text})" if outer else text
    if name == "Mul":
        factors = [_infix(child, 1, depth + 1) for child in children]
        text = "·".join(factors[1:] if factors[0] == "−1" and len(factors) > 1 else factors)
        text = "−" + text if factors[0] == "−1" and len(factors) > 1 else text
        return f"({text})" if outer == 2 else text
    if name == "Pow" and len(children) == 2:
        return f"{_infix(children[0], 2, depth + 1)}^{_infix(children[1], 2, depth + 1)}"
    arguments = ", ".join(_infix(child, 0, depth + 1) for child in children)
    return f"|{arguments}|" if name == "Abs" else f"{node_text(label)}({arguments})"
