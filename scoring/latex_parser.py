"""Tokens -> Node, by recursive descent. Depth and size are bounded by counting, so that no input can run away.

Where LaTeX leaves the meaning open (does `\\cos\\omega t x` hold x?), the most usual reading is taken and the choice is
noted in `ambiguous`; expression.py may ask for another Reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from scoring.errors import ParseError
from scoring.latex_names import ARGUMENT_LETTERS, read_accent, read_name, read_script_text
from scoring.latex_tables import ANGLES, FUNCTIONS, GREEK, INVERSE, LETTER_COMMANDS, RELATIONS, SAME_LETTER
from scoring.latex_tokens import END, Token, classify_text, split_tokens
from scoring.syntax import (
    MINUS_ONE,
    ONE,
    PLUS_MINUS,
    Node,
    add,
    constant,
    divide,
    function,
    is_number,
    multiply,
    negate,
    number,
    power,
    symbol,
)

MAX_DEPTH = 40
MAX_NODES = 40_000
_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(")]}")
_BIG = {
    "\\sum": "sum",
    "\\prod": "prod",
    "\\int": "int",
    "\\iint": "int",
    "\\iiint": "int",
    "\\oint": "int",
    "\\intop": "int",
    "\\lim": "lim",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """How open questions are answered. The default is the usual reading in physics."""

    arguments: str = "usual"  # what belongs to a bare function argument: usual, first, all
    slash: str = "tight"  # a/bc is a/(bc): tight, or (a/b)c: loose
    log_base: str = "ten"  # \log without a base: ten, e
    euler: str = "power"  # e is Euler's number: power (as a base of non-integer powers), always, never
    imaginary: bool = False  # i is the imaginary unit
    degrees: bool = True  # 30^\circ is pi/6; False: 30


USUAL = Reading()


class Parser:
    """One pass over a token sequence. `conditions` collects what follows `if`, `for`, `when` inside brackets."""

    def __init__(self, tokens: tuple[Token, ...], reading: Reading = USUAL, depth: int = 0) -> None:
        self.tokens = tokens
        self.reading = reading
        self.position = 0
        self.depth = depth
        self.bars = 0
        self.nodes = 0
        self.ambiguous: set[str] = set()
        self.conditions: list[tuple[Token, ...]] = []

    # moving over tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.position] if self.position < len(self.tokens) else END

    def peek(self, ahead: int = 1) -> Token:
        place = self.position + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def take(self) -> Token:
        token = self.token
        self.position += 1
        return token

    def at(self, text: str) -> bool:
        return self.token.text == text and self.token.kind in ("op", "cmd")

    def expect(self, text: str) -> None:
        if not self.at(text):
            raise ParseError(f"expected {text!r}, found {self.token.text or 'the end'!r}")
        self.position += 1

    def enter(self) -> None:
        self.depth += 1
        self.nodes += 1
        if self.depth > MAX_DEPTH:
            raise ParseError(f"nested deeper than {MAX_DEPTH} levels")
        if self.nodes > MAX_NODES:
            raise ParseError(f"more than {MAX_NODES} parts")

    # sums and products

    def parse_all(self) -> Node:
        """The whole sequence as one expression. Raises ParseError for anything left over."""
        node = self.parse_sum()
        if self.token is not END:
            raise ParseError(f"cannot read {self.token.text!r} here")
        return node

    def parse_sum(self) -> Node:
        self.enter()
        terms: list[Node] = []
        while True:
            sign, marked = self._read_signs()
            if self._is_over():
                if terms and not marked:
                    break
                raise ParseError("a term is missing")
            term = self.parse_product()
            terms.append(term if sign is ONE else multiply([sign, term]) if sign is not MINUS_ONE else negate(term))
            if not self._at_sign():
                break
        self.depth -= 1
        return add(terms)

    def _at_sign(self) -> bool:
        return self.token.text in ("+", "-", "\\pm", "\\mp") and self.token.kind in ("op", "cmd")

    def _read_signs(self) -> tuple[Node, bool]:
        sign, marked = ONE, False
        while self._at_sign():
            text, marked = self.take().text, True
            if text in ("\\pm", "\\mp"):
                sign = PLUS_MINUS if (text == "\\pm") == (sign is ONE) else negate(PLUS_MINUS)
            elif text == "-":
                sign = MINUS_ONE if sign is ONE else ONE if sign is MINUS_ONE else negate(sign)
        return sign, marked

    def _is_over(self) -> bool:
        token = self.token
        if token.kind in ("end", "word", "quad"):
            return True
        if token.kind == "op":
            return token.text in _ENDS or (token.text == "|" and self.bars > 0)
        return token.kind == "cmd" and (token.text in RELATIONS or token.text in _STOPPERS)

    def parse_product(self) -> Node:
        """Factors and quotients. Juxtaposition binds tighter than a slash, except after a plain number ratio."""
        factors = [self.parse_run()]
        while True:
            token = self.token
            if token.kind in ("op", "cmd") and token.text in ("*", "\\cdot", "\\times", "\\ast"):
                self.take()
                right = self._read_signed_run()
                joined = _join_vectors(factors[-1], right, token.text)
                if joined is not None:
                    factors[-1] = joined
                else:
                    factors.append(right)
            elif token.kind in ("op", "cmd") and token.text in ("/", "\\div"):
                self.take()
                self._divide_last(factors)
            elif not self._is_over() and not self._at_sign():
                factors.append(self.parse_run())  # only after a loose slash
            else:
                return multiply(factors)

    def _read_signed_run(self) -> Node:
        sign, _ = self._read_signs()
        run = self.parse_run()
        return run if sign is ONE else multiply([sign, run])

    def _divide_last(self, factors: list[Node]) -> None:
        sign, _ = self._read_signs()
        loose = self.reading.slash == "loose"
        first = self.parse_factor()
        rest_follows = not self._is_over() and not self._at_sign() and not self._at_operator()
        ratio = is_number(factors[-1]) and is_number(first)
        if rest_follows:
            self.ambiguous.add("slash")
        if rest_follows and not loose and (not ratio or self.token.text == "\\pi"):
            first = multiply([first, self.parse_run()])
        bottom = first if sign is ONE else multiply([sign, first])
        factors[-1] = as_derivative(factors[-1], bottom) or divide(factors[-1], bottom)

    def _at_operator(self) -> bool:
        return self.token.kind in ("op", "cmd") and self.token.text in _OPERATORS

    def parse_run(self) -> Node:
        """Factors side by side: `2 m v^2`."""
        factors = [self.parse_factor()]
        while not self._is_over() and not self._at_sign() and not self._at_operator():
            factors.append(self.parse_factor())
        return multiply(join_operator_derivatives(factors))

    # one factor with its powers

    def parse_factor(self) -> Node:
        self.enter()
        node = self._parse_postfix(self.parse_atom())
        self.depth -= 1
        return node

    def _parse_postfix(self, node: Node) -> Node:
        while True:
            token = self.token
            if token.kind not in ("op", "cmd"):
                return node
            if token.text == "^":
                node = self._parse_power(node)
            elif token.text == "!":
                self.take()
                node = function("factorial", node)
            elif token.text == "%":
                self.take()
                node = multiply([node, number(Fraction(1, 100))])
            elif token.text in ("\\degree", "\\textdegree"):
                self.take()
                node = self._degrees(node)
            elif token.text in ("_", "'") and node.op == "sym":
                node = symbol(read_name(self, str(node.value)))
            elif token.text == "_":
                self.take()
                read_script_text(self)  # a limit mark such as |_{x=0}
            elif token.text == "'":
                self.take()
                node = function("prime", node)
            else:
                return node

    def _parse_power(self, base: Node) -> Node:
        self.take()
        if self._skip_degree_mark():
            return self._degrees(base)
        exponent = self.parse_script()
        if base.op == "sym" and base.value == "e":
            return self._euler_power(exponent)
        return power(base, exponent)

    def _skip_degree_mark(self) -> bool:
        if self.token.text == "\\circ":
            self.take()
            return True
        if self.token.text == "{" and self.peek().text == "\\circ" and self.peek(2).text == "}":
            self.position += 3
            return True
        return False

    def _degrees(self, node: Node) -> Node:
        self.ambiguous.add("degrees")
        return multiply([node, constant("deg")]) if self.reading.degrees else node

    def _euler_power(self, exponent: Node) -> Node:
        self.ambiguous.add("euler")
        charge = exponent.op == "num" and exponent.value in (2, 3, 4, 6, 8)
        if self.reading.euler == "never" or (charge and self.reading.euler != "always"):
            return power(symbol("e"), exponent)
        return function("exp", exponent)

    def parse_script(self) -> Node:
        """What stands after ^ : a group, or one signed item."""
        if self.at("{"):
            return self.parse_group()
        sign = ONE
        while self.token.text in ("-", "+"):
            sign = MINUS_ONE if self.take().text == "-" else sign
        if self.token.kind == "cmd" and self.token.text not in ("\\frac", "\\dfrac", "\\tfrac", "\\sqrt"):
            node = self.parse_atom()
        else:
            node = self.parse_atom(scripted=False)
        return node if sign is ONE else negate(node)

    # atoms

    def parse_atom(self, scripted: bool = True) -> Node:
        token = self.token
        if token.kind == "num":
            self.take()
            return number(read_number(token.text))
        if token.kind == "sym":
            return self._parse_letter(scripted)
        if token.kind in ("text", "roman"):
            return self._parse_text()
        if token.kind == "cmd":
            return self._parse_command(scripted)
        if token.text in ("(", "[", "{"):
            return self.parse_group()
        if token.text == "|":
            return self._parse_bars("|")
        if token.text == "<":
            return self._parse_mean("<", ">")
        raise ParseError(f"cannot read {token.text or 'the end'!r} here")

    def _parse_letter(self, scripted: bool) -> Node:
        name = read_name(self, self.take().text) if scripted else self.take().text
        if name == "i":
            self.ambiguous.add("imaginary")
            if self.reading.imaginary:
                return constant("i")
        if name == "e":
            self.ambiguous.add("euler")
            if self.reading.euler == "always" and not self.at("^"):
                return function("exp", ONE)
        return self._maybe_call(name)

    def _maybe_call(self, name: str) -> Node:
        """`f(0)` and `f(x, t)` are values of a function; `m(g)` and `f(x)` are read as products."""
        if self.at("(") and _holds_call(self.tokens, self.position):
            inner = self.parse_group()
            arguments = inner.args if inner.op == "tuple" else (inner,)
            return Node("call", arguments, name)
        return symbol(name)

    def _parse_text(self) -> Node:
        token = self.take()
        content = token.text.strip().strip("$~").strip()
        kind = classify_text(token.text)
        if kind == "function":
            return self._parse_function(FUNCTIONS[content.lstrip("\\")])
        if content == "e" and token.kind == "roman":
            return self._parse_upright_e()
        if content == "i" and token.kind == "roman":
            return constant("i")
        if kind in ("letter", "name", "unit", "and"):
            return symbol(read_name(self, content.replace(" ", "")))
        if token.kind == "text" and kind in ("prose", "if"):
            raise ParseError(f"words inside a formula: {content[:40]!r}")
        return self._parse_inside(content)

    def _parse_upright_e(self) -> Node:
        if not self.at("^"):
            return function("exp", ONE) if not self.at("_") else symbol(read_name(self, "e"))
        self.take()
        return function("exp", self.parse_script())

    def _parse_inside(self, content: str) -> Node:
        inner = Parser(split_tokens(content), self.reading, self.depth + 1)
        node = inner.parse_all()
        self.ambiguous |= inner.ambiguous
        return node

    def parse_group(self) -> Node:
        """A bracketed expression or list; inside, the last member of a chain counts and conditions are set aside."""
        opening = self.take().text
        self.enter()
        bars, self.bars = self.bars, 0
        members = [self._parse_member()]
        while self.token.text in (",", ";") and self.token.kind == "op":
            self.take()
            if self.token.text in _CLOSERS:
                break
            members.append(self._parse_member())
        self._set_condition_aside()
        if self.token.text not in _CLOSERS or (opening == "{") != (self.token.text == "}"):
            raise ParseError(f"bracket {opening!r} is not closed")
        self.take()
        self.bars = bars
        self.depth -= 1
        return members[0] if len(members) == 1 else Node("tuple", tuple(members))

    def _parse_member(self) -> Node:
        node = self.parse_sum()
        while self.token.text in RELATIONS and RELATIONS[self.token.text] in ("=", "~"):
            self.take()
            node = self.parse_sum()
        return node

    def _set_condition_aside(self) -> None:
        if self.token.kind != "word":
            return
        start, level = self.position + 1, 0
        while self.token is not END and not (level == 0 and self.token.text in _CLOSERS):
            level += (self.token.text in _OPEN) - (self.token.text in _CLOSERS)
            self.take()
        self.conditions.append(self.tokens[start : self.position])

    def _parse_bars(self, mark: str) -> Node:
        self.take()
        self.enter()
        self.bars += 1
        inner = self.parse_sum()
        self.bars -= 1
        self.depth -= 1
        if self.token.text not in (mark, "|", "\\rvert", "\\vert", "\\mid", "\\|", "\\rVert", "\\Vert"):
            raise ParseError("a bar is not closed")
        self.take()
        return function("abs", inner)

    def _parse_mean(self, opening: str, closing: str) -> Node:
        self.take()
        inner = self.parse_sum()
        self.expect(closing)
        return function("mean", inner)

    # commands

    def _parse_command(self, scripted: bool) -> Node:
        text = self.token.text
        name = text[1:]
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return self._parse_fraction()
        if name == "sqrt":
            return self._parse_root()
        if name in FUNCTIONS:
            self.take()
            return self._parse_function(FUNCTIONS[name])
        if text in _BIG:
            from scoring.latex_big import parse_big_operator

            return parse_big_operator(self, _BIG[text])
        if name == "pi" and self.peek().text != "_":
            self.take()
            return constant("pi")
        if name == "infty":
            self.take()
            return constant("oo")
        if name in GREEK or name in LETTER_COMMANDS:
            self.take()
            name = SAME_LETTER.get(name, name)
            return self._maybe_call(read_name(self, name) if scripted else name)
        return self._parse_rare_command(name)

    def _parse_rare_command(self, name: str) -> Node:
        if name in ("lvert", "vert", "mid", "|", "lVert", "Vert"):
            return self._parse_bars(self.token.text)
        if name == "langle":
            return self._parse_mean("\\langle", "\\rangle")
        if name in ("binom", "dbinom", "tbinom"):
            self.take()
            return function("binomial", self.parse_script(), self.parse_script())
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
            self.take()
            node = self.parse_script()
            if name.endswith("brace") and self.token.text in ("_", "^"):
                self.take()
                read_script_text(self)
            return node
        if name in ("textcolor", "overset", "underset", "stackrel", "smash"):
            self.take()
            if name != "smash":
                read_script_text(self)
            return self.parse_script()
        if name.startswith("begin"):
            from scoring.latex_big import parse_environment

            return parse_environment(self)
        accented = read_accent(self)
        if accented is not None:
            return accented if isinstance(accented, Node) else self._maybe_call(accented)
        if not name.isalpha():
            raise ParseError(f"cannot read {self.token.text!r} here")
        self.take()
        return self._maybe_call(read_name(self, name))

    def _parse_fraction(self) -> Node:
        self.take()
        top = self._parse_fraction_part()
        bottom = self._parse_fraction_part()
        return as_derivative(top, bottom) or divide(top, bottom)

    def _parse_fraction_part(self) -> Node:
        token = self.token
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            rest = Token("num", token.text[1:])
            self.tokens = (
                *self.tokens[: self.position],
                Token("num", token.text[0]),
                rest,
                *self.tokens[self.position + 1 :],
            )
        if self.at("{") and self.peek().text == "}":
            raise ParseError("a fraction has an empty part")
        return self.parse_atom(scripted=False)

    def _parse_root(self) -> Node:
        self.take()
        degree: Node = number(2)
        if self.at("["):
            degree = self.parse_group()
        return power(self.parse_atom(scripted=False), divide(ONE, degree) if not is_number(degree, 2) else HALF)

    def _parse_function(self, name: str) -> Node:
        base: Node | None = None
        exponent: Node | None = None
        while self.token.text in ("^", "_") and self.token.kind == "op":
            if self.take().text == "^":
                exponent = self.parse_script()
            elif name in ("log", "ln"):
                base = self.parse_script()
            else:
                read_script_text(self)
        if exponent is not None and is_number(exponent, -1) and name in INVERSE:
            name, exponent = INVERSE[name], None
        argument = self._parse_argument(name)
        node = self._apply(name, argument, base)
        return node if exponent is None else power(node, exponent)

    def _apply(self, name: str, argument: Node, base: Node | None) -> Node:
        if name in ("log", "lg"):
            if base is None and name == "log":
                self.ambiguous.add("log")
            if base is None and name == "log" and self.reading.log_base == "e":
                return function("ln", argument)
            return divide(function("ln", argument), function("ln", base or number(10)))
        if base is not None:
            return divide(function(name, argument), function("ln", base))
        if argument.op == "tuple" and name in ("max", "min", "gcd"):
            return function(name, *argument.args)
        return function(name, argument)

    def _parse_argument(self, name: str) -> Node:
        """The argument of a function: its bracket, or the first factor and what usually goes with it."""
        if self._is_over() or self._at_operator():
            raise ParseError(f"{name} has no argument")
        sign, _ = self._read_signs()
        if self.token.text in _OPEN:
            node = self.parse_group()
            return self._parse_postfix_of_argument(node if sign is ONE else multiply([sign, node]))
        factors = [self.parse_factor()]
        while self._argument_goes_on(name, factors):
            factors.append(self.parse_factor())
        self._note_slash_in_argument(factors)
        node = multiply(factors)
        return node if sign is ONE else multiply([sign, node])

    def _parse_postfix_of_argument(self, node: Node) -> Node:
        if self._skip_power_degree():
            return self._degrees(node)
        return node

    def _skip_power_degree(self) -> bool:
        if not self.at("^") or self.peek().text not in ("\\circ", "{"):
            return False
        place = self.position
        self.take()
        if self._skip_degree_mark():
            return True
        self.position = place
        return False

    def _argument_goes_on(self, name: str, factors: list[Node]) -> bool:
        token, last = self.token, factors[-1]
        if self._is_over() or self._at_sign() or self._at_operator() or token.kind in ("text", "roman"):
            return False
        if token.text[1:] in FUNCTIONS or token.text in ("|", "[", "\\sqrt") or token.text in _BIG:
            return False
        if _is_angle(last):
            return False
        is_letter = token.kind == "sym" or token.text[1:] in GREEK
        if is_number(factors[0]) and len(factors) == 1 and name not in ("ln", "log", "lg", "exp"):
            return is_letter or token.text in ("\\frac", "\\dfrac", "\\tfrac", "(")
        self.ambiguous.add("arguments")
        if self.reading.arguments != "usual":
            return self.reading.arguments == "all"
        if token.text == "(":
            return last.op == "sym" and last.value in ARGUMENT_LETTERS
        return is_letter and (
            last.op == "num" or last.op == "const" or last.op in ("sym", "pow") and not _is_angle(last)
        )

    def _note_slash_in_argument(self, factors: list[Node]) -> None:
        """`\\cos\\theta/2` may be cos(theta/2); `\\cos\\theta/g` is not."""
        if not self.at("/") or self.peek().kind != "num":
            return
        self.ambiguous.add("arguments")
        if self.reading.arguments == "all":
            self.take()
            factors.append(power(self.parse_factor(), MINUS_ONE))


HALF = number(Fraction(1, 2))
_OPERATORS = frozenset(("*", "/", "\\cdot", "\\times", "\\div", "\\ast"))
_ENDS = frozenset((*")]},;:=<>&.", ":="))
_STOPPERS = frozenset(("\\rangle", "\\rvert", "\\rVert"))


def read_number(text: str) -> Fraction:
    """Exact value of a decimal literal. Raises ParseError for powers of ten beyond 10^400."""
    mantissa, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > 400:
        raise ParseError(f"power of ten out of range: {text}")
    value = Fraction(mantissa)
    return value * Fraction(10) ** int(exponent) if exponent else value


def _is_angle(node: Node) -> bool:
    base = node.args[0] if node.op == "pow" else node
    return base.op == "sym" and str(base.value).split("_")[0].split(" ")[-1] in ANGLES


def _holds_call(tokens: tuple[Token, ...], start: int) -> bool:
    """True for a bracket that holds 0, or a list with a comma: the mark of a function's value."""
    if start + 2 < len(tokens) and tokens[start + 1].text == "0" and tokens[start + 2].text == ")":
        return True
    level = 0
    for token in tokens[start:]:
        if token.text in _OPEN:
            level += 1
        elif token.text in _CLOSERS:
            level -= 1
            if level == 0:
                return False
        elif token.text == "," and level == 1:
            return True
    return False


def _join_vectors(left: Node, right: Node, sign: str) -> Node | None:
    """Cross and dot products stand only between two vectors; any other \\times or \\cdot is a product."""
    factors = list(left.args) if left.op == "mul" else [left]
    if sign not in ("\\times", "\\cdot") or not _is_vector(factors[-1]):
        return None
    others = list(right.args) if right.op == "mul" else [right]
    place = next((index for index, factor in enumerate(others) if _is_vector(factor)), None)
    if place is None:
        return None
    joined = Node("cross" if sign == "\\times" else "dot", (factors[-1], others[place]))
    return multiply([*factors[:-1], *others[:place], joined, *others[place + 1 :]])


def _is_vector(node: Node) -> bool:
    if node.op == "sym":
        return str(node.value).startswith(("vec ", "hat ", "dot vec ", "nabla"))
    if node.op == "add":
        return any(_is_vector(term) or (term.op == "mul" and any(map(_is_vector, term.args))) for term in node.args)
    return node.op in ("cross", "tuple")


def _differential(node: Node) -> tuple[str, int, list[Node]] | None:
    """(mark, order, rest) of a product that begins with d, \\partial or a power of it."""
    factors = list(node.args) if node.op == "mul" else [node]
    head = factors[0]
    base, order = head, 1
    if head.op == "pow" and head.args[1].op == "num":
        base, order = head.args[0], int(Fraction(head.args[1].value))
    if base.op != "sym" or base.value not in ("d", "partial", "delta", "Delta"):
        return None
    return str(base.value), order, factors[1:]


def as_derivative(top: Node, bottom: Node) -> Node | None:
    """`dv/dt` as a quotient of differentials, so that d does not cancel; None for any other fraction."""
    upper, lower = _differential(top), _differential(bottom)
    if upper is None or lower is None or upper[0] != lower[0] or upper[0] in ("delta", "Delta") or not lower[2]:
        return None
    mark, order, rest = upper
    over = [
        symbol(f"{mark}{order if order > 1 else ''} {_spell(rest)}" if rest else f"{mark}{order if order > 1 else ''}")
    ]
    under: list[Node] = []
    factors = list(bottom.args)
    index = 0
    while index < len(factors):
        if factors[index].op == "sym" and factors[index].value == mark and index + 1 < len(factors):
            below = factors[index + 1]
            index += 2
        elif factors[index].op == "sym" and str(factors[index].value) == mark:
            return None
        else:
            below = factors[index]
            index += 1
        exponent = below.args[1] if below.op == "pow" else ONE
        base = below.args[0] if below.op == "pow" else below
        under.append(
            power(
                symbol(f"{mark} {_spell([base])}"),
                multiply([MINUS_ONE, exponent]) if exponent is not ONE else MINUS_ONE,
            )
        )
    return multiply([*over, *under])


def _spell(nodes: list[Node]) -> str:
    return " ".join(str(part.value or part.op) for node in nodes for part in node.walk())


def join_operator_derivatives(factors: list[Node]) -> list[Node]:
    """`\\frac{d}{dt} v` -> `\\frac{dv}{dt}`: the operator takes the symbol that follows."""
    joined: list[Node] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        head = factor.args[0] if factor.op == "mul" else factor
        bare = head.op == "sym" and str(head.value).rstrip("0123456789") in ("d", "partial") and factor.op == "mul"
        if (
            bare
            and factor.args[1].op == "pow"
            and index + 1 < len(factors)
            and factors[index + 1].op in ("sym", "call")
        ):
            target = factors[index + 1]
            joined.append(multiply([symbol(f"{head.value} {_spell([target])}"), *factor.args[1:]]))
            index += 2
            continue
        joined.append(factor)
        index += 1
    return joined
