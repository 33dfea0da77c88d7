"""Braces and arguments of LaTeX, and the fault of a formula that cannot be typeset."""

from __future__ import annotations

import re

MAX_DEPTH = 60
COMMAND = re.compile(r"\\[a-zA-Z]+")
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
BREAK_STEP = re.compile(r"\\begin|\\end|\\left(?![a-zA-Z])|\\right(?![a-zA-Z])|\\\\|\\.|[{}&]", re.DOTALL)
NESTING = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}


class LatexFault(Exception):
    """A formula that cannot be typeset; the message says why in a few words."""


def check_nesting(text: str) -> None:
    """Raise LatexFault if a brace is not closed or anything nests deeper than MAX_DEPTH."""
    depth = deepest = braces = 0
    for step in BREAK_STEP.finditer(text):
        change = NESTING.get(step[0], 0)
        depth += change
        deepest = max(deepest, depth)
        braces += change if step[0] in "{}" else 0
    if deepest > MAX_DEPTH:
        raise LatexFault("nested too deeply")
    if braces > 0:
        raise LatexFault("a brace is not closed")


def drop_extra_braces(text: str) -> str:
    """The text without closing braces that close nothing: `\\frac{1}{8}}` is a slip, not another formula."""
    out, depth, position, pairs = [], 0, 0, 0
    for step in BRACES.finditer(text):
        if step[0] == "{":
            depth += 1
        elif step[0] == "}" and depth > 0:
            depth, pairs = depth - 1, pairs + 1
        elif step[0] == "}":
            out.append(text[position : step.start()])
            position = step.end()
    if position and not pairs:
        raise LatexFault("a closing brace too many")
    return "".join([*out, text[position:]])


def read_argument(text: str, position: int) -> tuple[str, int]:
    """The argument that starts at `position` (a group, a command or a character) and where it ends."""
    while position < len(text) and text[position].isspace():
        position += 1
    if position >= len(text):
        raise LatexFault("an argument is missing")
    if text[position] != "{":
        command = COMMAND.match(text, position)
        end = command.end() if command else position + 1
        return text[position:end], end
    depth = 0
    for step in BRACES.finditer(text, position):
        depth += {"{": 1, "}": -1}.get(step[0], 0)
        if depth == 0:
            return text[position + 1 : step.start()], step.end()
    raise LatexFault("a brace is not closed")
