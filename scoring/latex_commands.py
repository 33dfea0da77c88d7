"""Commands of the grammar: fractions, roots, functions with and without brackets, letters and marks."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from scoring.errors import ParseError
from scoring.latex_big import parse_big_operator, parse_environment
from scoring.latex_names import ARGUMENT_LETTERS, read_accent, read_name, read_script_text
from scoring.latex_products import as_derivative
from scoring.latex_tables import ANGLES, FUNCTIONS, GREEK, INVERSE, LETTER_COMMANDS, SAME_LETTER
from scoring.latex_tokens import Token
from scoring.syntax import MINUS_ONE, ONE, Node, constant, divide, function, is_number, multiply, number, power

if TYPE_CHECKING:
    from scoring.latex_parser import Parser

_BRACKETS = frozenset("([{")
_BIG_OPERATORS = {
    "\\sum": "sum",
    "\\prod": "prod",
    "\\int": "int",
    "\\iint": "int",
    "\\iiint": "int",
    "\\oint": "int",
    "\\intop": "int",
    "\\lim": "lim",
}


def parse_command(parser: Parser, scripted: bool) -> Node:
    text = parser.token.text
    name = text[1:]
    if name in ("frac", "dfrac", "tfrac", "cfrac"):
        return _parse_fraction(parser)
    if name == "sqrt":
        return _parse_root(parser)
    if name in FUNCTIONS:
        parser.take()
        return parse_function(parser, FUNCTIONS[name])
    if text in _BIG_OPERATORS:
        return parse_big_operator(parser, _BIG_OPERATORS[text])
    if name == "pi" and parser.peek().text != "_":
        parser.take()
        return constant("pi")
    if name == "infty":
        parser.take()
        return constant("oo")
    if name in GREEK or name in LETTER_COMMANDS:
        parser.take()
        name = SAME_LETTER.get(name, name)
        return parser.read_call(read_name(parser, name) if scripted else name)
    return _parse_rare_command(parser, name)


def _parse_rare_command(parser: Parser, name: str) -> Node:
    if name in ("lvert", "vert", "mid", "|", "lVert", "Vert"):
        return parser.parse_bars(parser.token.text)
    if name == "langle":
        return parser.parse_mean("\\langle", "\\rangle")
    if name in ("binom", "dbinom", "tbinom"):
        parser.take()
        return function("binomial", parser.parse_script(), parser.parse_script())
    if name in (
        "boxed",
        "fbox",
        "ensuremath",
        "mathbin",
        "mathrel",
        "cancel",
        "bcancel",
        "underbrace",
        "overbrace",
    ):
        parser.take()
        node = parser.parse_script()
        if name.endswith("brace") and parser.token.text in ("_", "^"):
            parser.take()
            read_script_text(parser)
        return node
    if name in ("textcolor", "overset", "underset", "stackrel", "smash"):
        parser.take()
        if name != "smash":
            read_script_text(parser)
        return parser.parse_script()
    if name.startswith("begin"):
        return parse_environment(parser)
    accented = read_accent(parser)
    if accented is not None:
        return accented if isinstance(accented, Node) else parser.read_call(accented)
    if not name.isalpha():
        raise ParseError(f"cannot read {parser.token.text!r} here")
    parser.take()
    return parser.read_call(read_name(parser, name))


def _parse_fraction(parser: Parser) -> Node:
    parser.take()
    top = _parse_fraction_part(parser)
    bottom = _parse_fraction_part(parser)
    return as_derivative(top, bottom) or divide(top, bottom)


def _parse_fraction_part(parser: Parser) -> Node:
    token = parser.token
    if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
        rest = Token("num", token.text[1:])
        parser.tokens = (
            *parser.tokens[: parser.position],
            Token("num", token.text[0]),
            rest,
            *parser.tokens[parser.position + 1 :],
        )
    if parser.at("{") and parser.peek().text == "}":
        raise ParseError("a fraction has an empty part")
    return parser.parse_atom(scripted=False)


def _parse_root(parser: Parser) -> Node:
    parser.take()
    degree: Node = number(2)
    if parser.at("["):
        degree = parser.parse_group()
    return power(
        parser.parse_atom(scripted=False), divide(ONE, degree) if not is_number(degree, 2) else number(Fraction(1, 2))
    )


def parse_function(parser: Parser, name: str) -> Node:
    base: Node | None = None
    exponent: Node | None = None
    while parser.token.text in ("^", "_") and parser.token.kind == "op":
        if parser.take().text == "^":
            exponent = parser.parse_script()
        elif name in ("log", "ln"):
            base = parser.parse_script()
        else:
            read_script_text(parser)
    if exponent is not None and is_number(exponent, -1) and name in INVERSE:
        name, exponent = INVERSE[name], None
    argument = _parse_argument(parser, name)
    node = _apply(parser, name, argument, base)
    return node if exponent is None else power(node, exponent)


def _apply(parser: Parser, name: str, argument: Node, base: Node | None) -> Node:
    if name in ("log", "lg"):
        if base is None and name == "log":
            parser.ambiguous.add("log")
        if base is None and name == "log" and parser.reading.log_base == "e":
            return function("ln", argument)
        return divide(function("ln", argument), function("ln", base or number(10)))
    if base is not None:
        return divide(function(name, argument), function("ln", base))
    if argument.op == "tuple" and name in ("max", "min", "gcd"):
        return function(name, *argument.args)
    return function(name, argument)


def _parse_argument(parser: Parser, name: str) -> Node:
    """The argument of a function: its bracket, or the first factor and what usually goes with it."""
    if parser.is_over() or parser.at_operator():
        raise ParseError(f"{name} has no argument")
    sign, _ = parser.read_signs()
    if parser.token.text in _BRACKETS:
        node = parser.parse_group()
        return _parse_postfix_of_argument(parser, node if sign is ONE else multiply([sign, node]))
    factors = [parser.parse_factor()]
    while _argument_goes_on(parser, name, factors):
        factors.append(parser.parse_factor())
    _note_slash_in_argument(parser, factors)
    node = multiply(factors)
    return node if sign is ONE else multiply([sign, node])


def _parse_postfix_of_argument(parser: Parser, node: Node) -> Node:
    if _skip_power_degree(parser):
        return parser.mark_degrees(node)
    return node


def _skip_power_degree(parser: Parser) -> bool:
    if not parser.at("^") or parser.peek().text not in ("\\circ", "{"):
        return False
    place = parser.position
    parser.take()
    if parser.skip_degree_mark():
        return True
    parser.position = place
    return False


def _argument_goes_on(parser: Parser, name: str, factors: list[Node]) -> bool:
    token, last = parser.token, factors[-1]
    if parser.is_over() or parser.at_sign() or parser.at_operator() or token.kind in ("text", "roman"):
        return False
    if token.text[1:] in FUNCTIONS or token.text in ("|", "[", "\\sqrt") or token.text in _BIG_OPERATORS:
        return False
    if is_angle(last):
        return False
    is_letter = token.kind == "sym" or token.text[1:] in GREEK
    if is_number(factors[0]) and len(factors) == 1 and name not in ("ln", "log", "lg", "exp"):
        return is_letter or token.text in ("\\frac", "\\dfrac", "\\tfrac", "(")
    parser.ambiguous.add("arguments")
    if parser.reading.arguments != "usual":
        return parser.reading.arguments == "all"
    if token.text == "(":
        return last.op == "sym" and last.value in ARGUMENT_LETTERS
    return is_letter and (last.op == "num" or last.op == "const" or last.op in ("sym", "pow") and not is_angle(last))


def _note_slash_in_argument(parser: Parser, factors: list[Node]) -> None:
    """`\\cos\\theta/2` may be cos(theta/2); `\\cos\\theta/g` is not."""
    if not parser.at("/") or parser.peek().kind != "num":
        return
    parser.ambiguous.add("arguments")
    if parser.reading.arguments == "all":
        parser.take()
        factors.append(power(parser.parse_factor(), MINUS_ONE))


def is_angle(node: Node) -> bool:
    base = node.args[0] if node.op == "pow" else node
    return base.op == "sym" and str(base.value).split("_")[0].split(" ")[-1] in ANGLES
