"""Environments of LaTeX in terms of those that the converter knows: rows, columns, matrices in brackets."""

from __future__ import annotations

import re

from leaderboard.rendering.braces import BREAK_STEP, NESTING, LatexFault
from leaderboard.rendering.macros import ALIGNED, BRACKETED, KEPT, PLAIN, RENAMED, STACKED

ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([a-zA-Z]+)(\*?)\s*\}")
OUTER_RULE = re.compile(
    r"(?<=\\begin\{array\})(\{[lcr|]*\})(?:\s*\\hline)+|(?:\\\\\s*)?(?:\\hline\s*)+(?=\\end\{array\})"
)
COLUMN_SPEC = re.compile(r"(\\begin\{array\})\s*(?:\[[a-z]\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
# What follows the name and says only where the environment stands or which columns it has.
PLACEMENT = re.compile(
    r"(\\begin\s*\{align(?:ed)?at\*?\})\s*\{\d+\}"
    r"|(\\begin\s*\{(?:align|gather|multlin)ed(?:at)?\})\s*\[[tcb]\]"
    r"|(\\begin\s*\{IEEEeqnarray\*?\})\s*\{[^{}]*\}"
)
EMPTY_CELL = re.compile(
    r"(?<!(?<!\\)\\)&(?=\s*(?:\\end\b|\}))"
)  # the last of its table, which the converter would drop
ROW_STEP = re.compile(r"\\begin(?![a-zA-Z])|\\end(?![a-zA-Z])|\\.|[{}]", re.DOTALL)


def settle_environments(text: str) -> str:
    """The text with every environment under a name, with rows and with columns that the converter reads."""
    text = PLACEMENT.sub(lambda m: m[1] or m[2] or m[3] or "", text)
    text = ENVIRONMENT.sub(_rename_environment, text)
    if r"\\" not in text and "\\ " in text:
        text = _restore_rows(text)
    text = COLUMN_SPEC.sub(lambda m: f"{m[1]}{{{_clean_columns(m[2])}}}", text)
    return OUTER_RULE.sub(lambda m: m[1] or "", text) if r"\hline" in text else text


def _rename_environment(match: re.Match[str]) -> str:
    word, name, star = match[1], match[2], match[3]
    if name in ALIGNED:
        name, star = "align", "*"
    elif name in STACKED:
        name, star = "matrix", ""
    elif name in PLAIN:
        return ""
    elif name in BRACKETED:
        return BRACKETED[name][word == "end"]
    elif name in RENAMED:
        name = RENAMED[name]
    elif name not in KEPT:
        raise LatexFault(f"unknown environment {name}")
    return f"\\{word}{{{name}{star}}}"


def _restore_rows(text: str) -> str:
    """Rows of a table parted by `\\ ` alone lost a backslash on their way here (PHYBench has dozens of them)."""
    out: list[str] = []
    position = braces = 0
    tables: list[int] = []  # of each open table, the braces around it
    for step in ROW_STEP.finditer(text):
        if step[0] == r"\begin":
            tables.append(braces)
        elif step[0] == r"\end" and tables:
            tables.pop()
        braces += {"{": 1, "}": -1}.get(step[0], 0)
        if step[0] == "\\ " and tables and braces == tables[-1]:
            out.append(text[position : step.start()] + r"\\ ")
            position = step.end()
    return "".join([*out, text[position:]])


def _clean_columns(specification: str) -> str:
    """`@{}l|r@{\\quad}p{2cm}` -> `l|rl`: what the converter knows of a column specification, without an outer frame."""
    plain = re.sub(r"[@!>*<]\s*\{[^{}]*\}", "", specification)
    plain = re.sub(r"[pmbX]\s*\{[^{}]*\}|X", "l", plain)
    return re.sub(r"[^lcr|]", "", plain).strip("|") or "c"


def wrap_lines(text: str) -> str:
    """Put `\\\\` and `&` that stand outside any environment into one, as `$$a \\\\ b$$` means two lines."""
    depth, has_break, has_tab = 0, False, False
    for step in BREAK_STEP.finditer(text):
        depth += NESTING.get(step[0], 0)
        if depth == 0:
            has_break |= step[0] == r"\\"
            has_tab |= step[0] == "&"
    if has_tab:
        text = rf"\begin{{align*}}{text}\end{{align*}}"
    elif has_break:
        text = rf"\begin{{matrix}}{text}\end{{matrix}}"
    return EMPTY_CELL.sub("&{}", text)
