"""Names of quantities: base letter, accents, subscripts and primes in one canonical spelling.

`\\dot{\\omega}_{\\rho}`, `\\dot{\\omega_\\rho}` and `{\\dot\\omega}_\\rho` are one name;
so are `r_{\\mathrm{A}}` and `r_A`.
Form: "accent base_sub'" with `*`, `'` and `+` marks behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import ParseError
from scoring.latex_tables import ACCENTS, SAME_LETTER
from scoring.latex_tokens import END, Token
from scoring.syntax import Node, function, symbol

if TYPE_CHECKING:
    from scoring.latex_parser import Parser

# One-letter names after which a bracket still belongs to the argument: \cos\omega(t-t_0), \sin k(x-ct).
ARGUMENT_LETTERS = frozenset(("omega", "Omega", "k"))
_MARKS = {"*": "*", "\\ast": "*", "\\star": "*", "\\prime": "'", "\\dagger": "+", "\\dag": "+", "'": "'"}
_SIGNS = {"+": "+", "-": "-", "\\pm": "±", "\\mp": "∓"}


def read_name(parser: Parser, base: str) -> str:
    """The rest of a name after its base: subscripts, primes and marks such as ^*. A numeric power is left alone."""
    subs: list[str] = []
    marks = ""
    while True:
        token = parser.token
        if token.text == "_" and token.kind == "op":
            parser.take()
            subs.append(read_script_text(parser))
        elif token.text == "'" and token.kind == "op":
            parser.take()
            marks += "'"
        elif token.text == "^" and token.kind == "op":
            mark = _read_mark(parser)
            if not mark:
                break
            marks += mark
        else:
            break
    sub = ",".join(part for part in subs if part)
    return f"{base}_{sub}{marks}" if sub else base + marks


def _read_mark(parser: Parser) -> str:
    """A superscript that belongs to the name. Consumes it, or nothing and returns an empty string."""
    after = parser.peek()
    if after.text in _MARKS and after.kind in ("op", "cmd"):
        parser.position += 2
        return _MARKS[after.text]
    if after.text in ("+", "-") and parser.peek(2).kind not in ("num", "sym") and parser.peek(2).text != "{":
        parser.position += 2
        return "^" + after.text
    if after.text != "{":
        return ""
    place, marks = parser.position + 2, ""
    tokens = parser.tokens
    while place < len(tokens) and (tokens[place].text in _MARKS or (tokens[place].text in _SIGNS and not marks)):
        text = tokens[place].text
        marks += _MARKS.get(text) or "^" + _SIGNS[text]
        place += 1
    if marks and place < len(tokens) and tokens[place].text == "}":
        parser.position = place + 1
        return marks
    if (
        marks and "^" not in marks and place < len(tokens)
    ):  # x^{\prime 2}: the mark goes to the name, the rest stays a power
        parser.tokens = (*tokens[: parser.position], *tokens[parser.position : parser.position + 2], *tokens[place:])
        return marks
    if (
        place < len(tokens)
        and tokens[place].kind in ("text", "roman")
        and tokens[place + 1 : place + 2]
        and tokens[place + 1].text == "}"
    ):
        parser.position = place + 2
        return "^" + flatten_text(tokens[place].text)
    return ""


def read_script_text(parser: Parser) -> str:
    """The next item or group as plain text, whatever it is."""
    if parser.token is END:
        raise ParseError("a subscript is missing")
    if parser.token.text != "{":
        return _spell_token(parser)
    level = 0
    parts: list[str] = []
    while True:
        token = parser.token
        if token is END:
            raise ParseError("a brace is not closed")
        if token.text in ("{", "}") and token.kind == "op":
            level += 1 if token.text == "{" else -1
            parser.take()
            if level == 0:
                return "".join(parts)
        else:
            parts.append(_spell_token(parser))


def _spell_token(parser: Parser) -> str:
    token = parser.take()
    if token.kind in ("text", "roman"):
        return flatten_text(token.text)
    if token.kind == "cmd":
        name = token.text[1:]
        return "" if name in ACCENTS and ACCENTS[name] in ("vec", "") else SAME_LETTER.get(name, name)
    return token.text


def flatten_text(content: str) -> str:
    return "".join(char for char in content if char.isalnum() or char in "+-*'/")


def read_accent(parser: Parser) -> str | Node | None:
    """`\\vec{..}`, `\\dot x`, `\\mathbf{E}_1`: a name with its accents, or a node where more than a name stands below.

    None (nothing consumed) if the current command is no accent.
    """
    accent = ACCENTS.get(parser.token.text[1:])
    if accent is None:
        return None
    parser.take()
    inner = parser.parse_group() if parser.token.text == "{" else _read_bare(parser)
    if inner.op == "const" and inner.value in ("i", "oo"):
        return inner
    if inner.op == "const":
        inner = symbol(str(inner.value))
    if inner.op == "call" and not accent:
        return inner
    if inner.op != "sym":
        if inner.op == "num" or not accent or accent in ("under", "cal", "vec"):
            return inner
        return function(f"accent {accent}", inner)
    return read_name(parser, put_accent(accent, str(inner.value)))


def _read_bare(parser: Parser) -> Node:
    token = parser.token
    if token.kind == "sym":
        parser.take()
        return symbol(token.text)
    if token.kind == "cmd" and token.text[1:] in ACCENTS:
        nested = read_accent(parser)
        assert nested is not None
        return nested if isinstance(nested, Node) else symbol(nested)
    return parser.parse_atom(scripted=False)


def put_accent(accent: str, name: str) -> str:
    """Accents in one order and each once: bold under a hat is the hat, a dotted vector is `dot vec x`."""
    if not accent:
        return name
    *accents, base = name.split(" ")
    if accent == "hat" and "vec" in accents:
        accents.remove("vec")
    if accent == "vec" and "hat" in accents:
        return name
    if accent not in accents:
        accents.append(accent)
    order = ("dot", "ddot", "dddot")
    accents.sort(key=lambda word: (word not in order, word))
    return " ".join([*accents, base])


def skeleton(name: str) -> str:
    """What is left of a name without bold, arrow, script and variant shapes: names that may be one spelled two ways."""
    *accents, base = name.split(" ")
    kept = [accent for accent in accents if accent not in ("vec", "cal", "frak", "bb", "under")]
    base = base.replace("varphi", "phi").replace("ell", "l").replace(",", "").replace("{", "").replace("}", "")
    return " ".join([*kept, base])


def holds_call(tokens: tuple[Token, ...], start: int) -> bool:
    """True for a bracket that holds 0, or a list with a comma: the mark of a function's value."""
    if start + 2 < len(tokens) and tokens[start + 1].text == "0" and tokens[start + 2].text == ")":
        return True
    level = 0
    for token in tokens[start:]:
        if token.text in "([{":
            level += 1
        elif token.text in ")]}":
            level -= 1
            if level == 0:
                return False
        elif token.text == "," and level == 1:
            return True
    return False
