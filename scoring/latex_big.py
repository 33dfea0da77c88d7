"""Sums, integrals, limits and environments: the parts of the grammar that reach over many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.errors import ParseError
from scoring.latex_names import read_script_text
from scoring.latex_tables import GREEK
from scoring.latex_tokens import END, Token
from scoring.syntax import ONE, Node, function, symbol

if TYPE_CHECKING:
    from scoring.latex_parser import Parser

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_MATRIX = ("matrix", "pmatrix", "bmatrix", "vmatrix", "Bmatrix", "Vmatrix", "smallmatrix", "array", "cases")
_NO_VARIABLE = symbol("")


def parse_big_operator(parser: Parser, kind: str) -> Node:
    """`\\sum_{n=1}^{N} body`, `\\int_a^b body dx`, `\\lim_{x\\to 0} body`.

    Node: op sum, prod or int with (body, variable, lower, upper); bounds are absent where none stand.
    """
    parser.take()
    parser.enter()
    lower, upper = _read_bounds(parser)
    node = _parse_integral(parser, lower, upper) if kind == "int" else _parse_indexed(parser, kind, lower, upper)
    parser.depth -= 1
    return node


def _read_bounds(parser: Parser) -> tuple[tuple[Token, ...], Node | None]:
    lower: tuple[Token, ...] = ()
    upper: Node | None = None
    while parser.token.text in ("_", "^") and parser.token.kind == "op":
        if parser.take().text == "^":
            upper = parser.parse_script()
        else:
            start = parser.position
            read_script_text(parser)
            lower = parser.tokens[start : parser.position]
    if lower and lower[0].text == "{":
        lower = lower[1:-1]
    return lower, upper


def _sub_parse(parser: Parser, tokens: tuple[Token, ...]) -> Node:
    from scoring.latex_parser import Parser as SubParser

    inner = SubParser(tokens, parser.reading, parser.depth + 1)
    node = inner.parse_all()
    parser.ambiguous |= inner.ambiguous
    parser.nodes += inner.nodes
    return node


def _parse_indexed(parser: Parser, kind: str, lower: tuple[Token, ...], upper: Node | None) -> Node:
    body = parser.parse_product()
    texts = [token.text for token in lower]
    if kind == "lim":
        mark = next((text for text in ("\\to", "\\rightarrow", "\\longrightarrow") if text in texts), "")
        if not mark:
            return function("lim", body)
        place = texts.index(mark)
        return function("lim", body, _sub_parse(parser, lower[:place]), _sub_parse(parser, lower[place + 1 :]))
    if "=" in texts:
        place = texts.index("=")
        bounds = [_sub_parse(parser, lower[place + 1 :])] + ([upper] if upper else [])
        return Node(kind, (body, _sub_parse(parser, lower[:place]), *bounds))
    variable = symbol("".join(texts)) if texts else _NO_VARIABLE
    return Node(kind, (body, variable))


def _parse_integral(parser: Parser, lower: tuple[Token, ...], upper: Node | None) -> Node:
    bounds: tuple[Node, ...] = ()
    if lower and upper is not None:
        bounds = (_sub_parse(parser, lower), upper)
    elif lower:
        bounds = (symbol("over " + "".join(token.text for token in lower)),)
    place = _find_differential(parser)
    if place is None:
        return Node("int", (parser.parse_product(), _NO_VARIABLE, *bounds))
    body_tokens = parser.tokens[parser.position : place]
    body = _sub_parse(parser, body_tokens) if body_tokens else ONE
    parser.position = place + 1
    variable = parser.parse_atom()
    return Node("int", (body, variable, *bounds))


def _find_differential(parser: Parser) -> int | None:
    """Index of the d of `dx` that ends the integrand, on this bracket level."""
    level = 0
    for place in range(parser.position, len(parser.tokens)):
        token = parser.tokens[place]
        if token.text in _OPEN and token.kind == "op":
            level += 1
        elif token.text in _CLOSE and token.kind == "op":
            level -= 1
            if level < 0:
                return None
        elif level == 0 and _is_differential(parser.tokens, place):
            return place
    return None


def _is_differential(tokens: tuple[Token, ...], place: int) -> bool:
    token = tokens[place]
    if token.text.strip() != "d" or token.kind not in ("sym", "text", "roman"):
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else END
    before = tokens[place - 1] if place else END
    if before.text in ("_", "^"):
        return False
    return after.kind == "sym" or (after.kind == "cmd" and after.text[1:] in GREEK | {"vec", "mathbf", "boldsymbol"})


def parse_environment(parser: Parser) -> Node:
    """A matrix row by row; `aligned` and the like are taken for their last line."""
    name = parser.take().text[len("\\begin{") : -1]
    closing = f"\\end{{{name}}}"
    tokens = parser.tokens
    start = parser.position
    while parser.token is not END and parser.token.text != closing:
        parser.take()
    if parser.token is END:
        raise ParseError(f"environment {name} is not closed")
    inside = tokens[start : parser.position]
    parser.take()
    if name not in _MATRIX:
        rows = [row for row in _split(inside, "\\\\") if row]
        if not rows:
            raise ParseError(f"environment {name} is empty")
        return _sub_parse_value(parser, rows[-1])
    rows = [row for row in _split(inside, "\\\\") if row]
    cells = [[_sub_parse(parser, cell) for cell in _split(row, "&")] for row in rows]
    if not cells or len({len(row) for row in cells}) != 1:
        raise ParseError("a matrix has rows of different length")
    flat = tuple(cell for row in cells for cell in row)
    return Node("matrix", flat, f"{len(cells)}x{len(cells[0])}")


def _sub_parse_value(parser: Parser, tokens: tuple[Token, ...]) -> Node:
    kept = tuple(token for token in tokens if token.text != "&")
    places = [index for index, token in enumerate(kept) if token.text == "="]
    return _sub_parse(parser, kept[places[-1] + 1 :] if places else kept)


def _split(tokens: tuple[Token, ...], mark: str) -> list[tuple[Token, ...]]:
    parts: list[tuple[Token, ...]] = []
    start = level = 0
    for place, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPEN:
            level += 1
        elif token.kind == "op" and token.text in _CLOSE:
            level -= 1
        elif token.text == mark and level == 0:
            parts.append(tokens[start:place])
            start = place + 1
    parts.append(tokens[start:])
    return parts
