"""Tokens -> Node, by recursive descent. Depth and size are bounded by counting, so that no input can run away.

Where LaTeX leaves the meaning open (does `\\cos\\omega t x` hold x?), the most usual reading is taken and the choice is
noted in `ambiguous`; expression.py may ask for another Reading.
"""

from __future__ import annotations

from fractions import Fraction

from scoring.errors import ParseError
from scoring.latex_commands import parse_command, parse_function
from scoring.latex_names import holds_call, read_name, read_script_text
from scoring.latex_products import as_derivative, join_operator_derivatives, join_vectors
from scoring.latex_reading import USUAL, Reading
from scoring.latex_tables import FUNCTIONS, RELATIONS
from scoring.latex_tokens import END, Token, classify_text, read_number, split_tokens
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
            sign, marked = self.read_signs()
            if self.is_over():
                if terms and not marked:
                    break
                raise ParseError("a term is missing")
            term = self.parse_product()
            terms.append(term if sign is ONE else multiply([sign, term]) if sign is not MINUS_ONE else negate(term))
            if not self.at_sign():
                break
        self.depth -= 1
        return add(terms)

    def at_sign(self) -> bool:
        return self.token.text in ("+", "-", "\\pm", "\\mp") and self.token.kind in ("op", "cmd")

    def read_signs(self) -> tuple[Node, bool]:
        sign, marked = ONE, False
        while self.at_sign():
            text, marked = self.take().text, True
            if text in ("\\pm", "\\mp"):
                sign = PLUS_MINUS if (text == "\\pm") == (sign is ONE) else negate(PLUS_MINUS)
            elif text == "-":
                sign = MINUS_ONE if sign is ONE else ONE if sign is MINUS_ONE else negate(sign)
        return sign, marked

    def is_over(self) -> bool:
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
                joined = join_vectors(factors[-1], right, token.text)
                if joined is not None:
                    factors[-1] = joined
                else:
                    factors.append(right)
            elif token.kind in ("op", "cmd") and token.text in ("/", "\\div"):
                self.take()
                self._divide_last(factors)
            elif not self.is_over() and not self.at_sign():
                factors.append(self.parse_run())  # only after a loose slash
            else:
                return multiply(factors)

    def _read_signed_run(self) -> Node:
        sign, _ = self.read_signs()
        run = self.parse_run()
        return run if sign is ONE else multiply([sign, run])

    def _divide_last(self, factors: list[Node]) -> None:
        sign, _ = self.read_signs()
        loose = self.reading.slash == "loose"
        first = self.parse_factor()
        rest_follows = not self.is_over() and not self.at_sign() and not self.at_operator()
        ratio = is_number(factors[-1]) and is_number(first)
        if rest_follows:
            self.ambiguous.add("slash")
        if rest_follows and not loose and (not ratio or self.token.text == "\\pi"):
            first = multiply([first, self.parse_run()])
        bottom = first if sign is ONE else multiply([sign, first])
        factors[-1] = as_derivative(factors[-1], bottom) or divide(factors[-1], bottom)

    def at_operator(self) -> bool:
        return self.token.kind in ("op", "cmd") and self.token.text in _OPERATORS

    def parse_run(self) -> Node:
        """Factors side by side: `2 m v^2`."""
        factors = [self.parse_factor()]
        while not self.is_over() and not self.at_sign() and not self.at_operator():
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
                node = self.mark_degrees(node)
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
        if self.skip_degree_mark():
            return self.mark_degrees(base)
        exponent = self.parse_script()
        if base.op == "sym" and base.value == "e":
            return self._euler_power(exponent)
        return power(base, exponent)

    def skip_degree_mark(self) -> bool:
        if self.token.text == "\\circ":
            self.take()
            return True
        if self.token.text == "{" and self.peek().text == "\\circ" and self.peek(2).text == "}":
            self.position += 3
            return True
        return False

    def mark_degrees(self, node: Node) -> Node:
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
            return parse_command(self, scripted)
        if token.text == "{" and self.peek().text[1:] in FUNCTIONS and self.peek(2).text == "}":
            self.position += 3  # {\\sin}^2 x
            return parse_function(self, FUNCTIONS[self.peek(-2).text[1:]])
        if token.text in ("(", "[", "{"):
            return self.parse_group()
        if token.text == "|":
            return self.parse_bars("|")
        if token.text == "<":
            return self.parse_mean("<", ">")
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
        return self.read_call(name)

    def read_call(self, name: str) -> Node:
        """`f(0)` and `f(x, t)` are values of a function; `m(g)` and `f(x)` are read as products."""
        if self.at("(") and holds_call(self.tokens, self.position):
            inner = self.parse_group()
            arguments = inner.args if inner.op == "tuple" else (inner,)
            return Node("call", arguments, name)
        return symbol(name)

    def _parse_text(self) -> Node:
        token = self.take()
        content = token.text.strip().strip("$~").strip()
        kind = classify_text(token.text)
        if kind == "function":
            return parse_function(self, FUNCTIONS[content.lstrip("\\")])
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
        self._skip_lead()
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

    def _skip_lead(self) -> None:
        """Words before a formula in brackets: `(Point 2: x)`."""
        if self.token.kind != "word":
            return
        while self.token.kind == "word" or (self.token.kind == "num" and self.peek().text == ":"):
            self.take()
        if self.at(":"):
            self.take()

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

    def parse_bars(self, mark: str) -> Node:
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

    def parse_mean(self, opening: str, closing: str) -> Node:
        self.take()
        inner = self.parse_sum()
        self.expect(closing)
        return function("mean", inner)


_OPERATORS = frozenset(("*", "/", "\\cdot", "\\times", "\\div", "\\ast"))
_ENDS = frozenset((*")]},;:=<>&.", ":="))
_STOPPERS = frozenset(("\\rangle", "\\rvert", "\\rVert"))
