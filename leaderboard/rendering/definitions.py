"""Commands that a text defines itself (`\\newcommand`, `\\def`, `\\DeclareMathOperator`), written out in its formulas.

Bounded in every way: so many definitions of such a length, three arguments, four rounds, and no formula grows beyond
what one may be. What goes beyond shows its source, as any unknown command does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from leaderboard.rendering.braces import COMMAND, LatexFault, read_argument
from leaderboard.rendering.segments import MAX_FORMULA

MAX_DEFINITIONS, MAX_BODY, MAX_ARGUMENTS, ROUNDS = 50, 500, 3, 4
MAX_WRITTEN = 20 * MAX_FORMULA  # characters that all formulas of a text may be written out to, so that none multiplies
# Possessive, so that a megabyte of spaces is walked once.
HEAD = re.compile(
    r"\\(?:(?:re|provide)?newcommand\*?\s*+\{?\s*+(?P<name>\\[A-Za-z]+)\s*+\}?\s*+(?:\[(?P<count>[1-9])\]\s*+)?"
    r"|[gex]?def\s*+(?P<def>\\[A-Za-z]+)\s*+(?P<marks>(?:#\d)*+)\s*+"
    r"|DeclareMathOperator(?P<star>\*?)\s*+\{?\s*+(?P<operator>\\[A-Za-z]+)\s*+\}?\s*+)(?=\{)"
)
MARK = re.compile(r"#(\d)")


@dataclass(frozen=True, slots=True)
class Definition:
    """A command with so many arguments stands for the body, in which `#1` is the first of them."""

    count: int
    body: str


class Definitions:
    """What one text defines; the last of two definitions counts."""

    __slots__ = ("found", "left")

    def __init__(self, text: str) -> None:
        self.left = MAX_WRITTEN
        self.found: dict[str, Definition] = {}
        for head, body, _end in _heads(text):
            count = int(head["count"] or len(head["marks"] or "") // 2)
            if head["operator"]:
                body = rf"\operatorname{head['star']}{{{body}}}"
            if count <= MAX_ARGUMENTS:
                self.found[head["name"] or head["def"] or head["operator"]] = Definition(count, body)

    def write_out(self, latex: str) -> str:
        """The formula in commands that everybody knows; as it was, where it would grow too long."""
        if not self.found:
            return latex
        written = without_definitions(latex)
        for _round in range(ROUNDS):
            if self.found.keys().isdisjoint(COMMAND.findall(written)):
                break
            try:
                written = self._write_once(written)
            except LatexFault:
                return latex
        return written

    def _write_once(self, latex: str) -> str:
        out: list[str] = []
        position = length = 0
        for match in COMMAND.finditer(latex):
            definition = self.found.get(match[0])
            if definition is None or match.start() < position:
                continue
            arguments, end = [], match.end()
            for _number in range(definition.count):
                argument, end = read_argument(latex, end)
                arguments.append(argument)
            body = _fill(definition.body, arguments)
            out += [latex[position : match.start()], "{", body, "}"]
            length += match.start() - position + len(body) + 2
            self.left -= len(body)
            position = end
            if length > MAX_FORMULA or self.left < 0:
                raise LatexFault("longer than a formula can be")
        return "".join([*out, latex[position:]])


def without_definitions(latex: str) -> str:
    """The formula without what it defines."""
    out, position = [], 0
    for head, _body, end in _heads(latex):
        if head.start() >= position:
            out.append(latex[position : head.start()])
            position = end
    return "".join([*out, latex[position:]])


def _heads(text: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Each definition's head, its body and where it ends."""
    if "def" not in text and "command" not in text and "Declare" not in text:
        return
    for head in islice(HEAD.finditer(text), MAX_DEFINITIONS):
        try:
            body, end = read_argument(text[head.end() : head.end() + MAX_BODY], 0)
        except LatexFault:
            continue
        yield head, body, head.end() + end


def _fill(body: str, arguments: Sequence[str]) -> str:
    return MARK.sub(lambda m: arguments[int(m[1]) - 1] if 0 < int(m[1]) <= len(arguments) else "", body)
