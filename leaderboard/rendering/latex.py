"""Make LaTeX as people and models write it into LaTeX that `latex2mathml` converts, without changing its meaning.

Unknown to the converter, yet common: `aligned`, `gather`, column specifications, `\\text` with dollars or braces,
`siunitx` and `physics` macros, percent signs meant as percent, `\\boxed` around dollars.
"""

from __future__ import annotations

import re

from latex2mathml.commands import CONVERSION_MAP
from latex2mathml.symbols_parser import SYMBOLS

from leaderboard.rendering.macros import (
    ALIGNED,
    FORBIDDEN,
    KEPT,
    MACROS,
    PLAIN,
    RENAMED,
    STACKED,
    SYNONYMS,
    TEXT_COMMANDS,
)

MAX_DEPTH = 60


class LatexFault(Exception):
    """A formula that cannot be typeset; the message says why in a few words."""


BOXED_WORDS = re.compile(
    r"^\\boxed\s*\{\s*((?:yes|no|true|false|none)\.?|[A-Za-z]{2,}(?:[ ,;-]+[\w']{2,})+\.?)\s*\}$", re.IGNORECASE
)
SINGLE_COMMAND = re.compile(r"(?<!\\)\\[a-zA-Z]")
DOUBLED_NEWLINE = re.compile(r"\\\\n(?![a-z])")
DOUBLED_COMMAND = re.compile(r"\\\\([a-zA-Z]{2,})")
LAYOUT = frozenset({"left", "right", "begin", "end", "mathrm", "mathbf", "boxed", "text"})
COMMAND = re.compile(r"\\[a-zA-Z]+")
ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([a-zA-Z]+)(\*?)\s*\}")
COLUMN_SPEC = re.compile(r"(\\begin\{array\})\s*(?:\[[a-z]\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
ALIGNAT_COUNT = re.compile(r"(\\begin\s*\{align(?:ed)?at\*?\})\s*\{\d+\}")
SIMPLE_OPERATOR = re.compile(r"\\operatorname\s*\*?\s*\{[A-Za-z]{1,30}\}")
OPERATOR = re.compile(r"\\operatorname(?:withlimits)?\s*\*?")
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
ROW_STEP = re.compile(r"\\begin(?![a-zA-Z])|\\end(?![a-zA-Z])|\\.|[{}]", re.DOTALL)
BREAK_STEP = re.compile(r"\\begin|\\end|\\left(?![a-zA-Z])|\\right(?![a-zA-Z])|\\\\|\\.|[{}&]", re.DOTALL)
# A control character before these letters is a LaTeX command whose backslash JSON or Python took for an escape.
EATEN = re.compile(
    r"\x07(?=lpha|pprox|ngle|rc|st)|\x08(?=eta|ar|eg|oxed|ig|inom|f\b)|\t(?=ext|heta|imes|au|an|o\b|ilde|frac|riangle)"
    r"|\x0b(?=ec|ar|ert|phi)|\x0c(?=rac|lat)|\r(?=ight|ho|angle|m\b)"
)
EATEN_LETTER = {"\x07": r"\a", "\x08": r"\b", "\t": r"\t", "\x0b": r"\v", "\x0c": r"\f", "\r": r"\r"}
LITERAL_NEWLINE = re.compile(r"\\n(?![a-zA-Z])|\\n(?=[A-Z])(?!Rightarrow|Left|V[dD]ash)")
HTML_ENTITY = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": " "}
ENTITY = re.compile("|".join(HTML_ENTITY))
PERCENT = re.compile(r"(?<!\\)%(?!\s*\n)")
REWRITTEN = frozenset(SYNONYMS) | frozenset(MACROS) | TEXT_COMMANDS


def normalise(latex: str) -> str:
    """LaTeX that the converter reads, of the same meaning. Raises LatexFault for what must not or cannot be read."""
    text = latex.strip()
    if not text.isprintable():
        text = EATEN.sub(lambda m: EATEN_LETTER[m[0]], text)
    if "&" in text:
        text = ENTITY.sub(lambda m: HTML_ENTITY[m[0]], text)
    if "%" in text:
        text = PERCENT.sub(r"\\%", text)
    if text.startswith(r"\boxed"):
        text = BOXED_WORDS.sub(r"\\boxed{\\text{\1}}", text)
    if "\\" in text:
        text = _rewrite_commands(text)
    if "$" in text:
        text = re.sub(r"(?<!\\)\$", "", text)
    if "{" in text or "}" in text or r"\left" in text:
        text = _drop_extra_braces(text)
        check_nesting(text)
    if "&" in text or r"\\" in text:
        text = _wrap_lines(text)
    return text


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


def _drop_extra_braces(text: str) -> str:
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


NESTING = {"{": 1, "}": -1, r"\left": 1, r"\right": -1, r"\begin": 1, r"\end": -1}


def _rewrite_commands(text: str) -> str:
    if r"\\" in text:
        text = _unescape_doubled(text)
    commands = set(COMMAND.findall(text))
    if commands & FORBIDDEN:
        raise LatexFault("defines or includes something, which is not allowed here")
    if any(command.startswith(r"\n") for command in commands) or r"\n" in text:
        text = LITERAL_NEWLINE.sub("\n", text)
    text = text.replace(r"\tag*", r"\qquad\text")
    if r"\operatorname" in text:
        text = OPERATOR.sub(_rename_operator, text)
    if not REWRITTEN.isdisjoint(commands):
        text = _expand(text, 0)
    if r"\begin" in text:
        text = ALIGNAT_COUNT.sub(r"\1", text)
        text = ENVIRONMENT.sub(_rename_environment, text)
        if r"\\" not in text and "\\ " in text:
            text = _restore_rows(text)
        text = COLUMN_SPEC.sub(lambda m: f"{m[1]}{{{_clean_columns(m[2])}}}", text)
    return text


def _unescape_doubled(text: str) -> str:
    """`\\\\frac{1}{2}`, as it stands in JSON, where every command of the formula has a backslash too many."""
    if SINGLE_COMMAND.search(text):
        return text
    text = DOUBLED_NEWLINE.sub("\n", text)
    doubled = DOUBLED_COMMAND.findall(text)
    if not any(rf"\{name}" in SYMBOLS or rf"\{name}" in CONVERSION_MAP or name in LAYOUT for name in doubled):
        return text
    return text.replace("\\\\", "\\")


def _rename_operator(match: re.Match[str]) -> str:
    return match[0] if SIMPLE_OPERATOR.match(match.string, match.start()) else r"\mathrm"


def _rename_environment(match: re.Match[str]) -> str:
    word, name, star = match[1], match[2], match[3]
    if name in ALIGNED:
        name, star = "align", "*"
    elif name in STACKED:
        name, star = "matrix", ""
    elif name in PLAIN:
        return ""
    elif name in RENAMED:
        name = RENAMED[name]
    elif name not in KEPT:
        raise LatexFault(f"unknown environment {name}")
    return f"\\{word}{{{name}{star}}}"


def _restore_rows(text: str) -> str:
    """Rows of a table parted by `\\ ` alone lost a backslash on their way here (PHYBench has dozens of them)."""
    out: list[str] = []
    position = tables = braces = 0
    for step in ROW_STEP.finditer(text):
        tables += {r"\begin": 1, r"\end": -1}.get(step[0], 0)
        braces += {"{": 1, "}": -1}.get(step[0], 0)
        if step[0] == "\\ " and tables and not braces:
            out.append(text[position : step.start()] + r"\\ ")
            position = step.end()
    return "".join([*out, text[position:]])


def _clean_columns(specification: str) -> str:
    """`@{}l|r@{\\quad}p{2cm}` -> `l|rl`: what the converter knows of a column specification."""
    plain = re.sub(r"[@!>*<]\s*\{[^{}]*\}", "", specification)
    plain = re.sub(r"[pmbX]\s*\{[^{}]*\}|X", "l", plain)
    return re.sub(r"[^lcr|]", "", plain) or "c"


def _expand(text: str, depth: int) -> str:
    """Write out the macros of SYNONYMS and MACROS and make text commands plain enough for the tokenizer."""
    if depth > MAX_DEPTH // 4:
        raise LatexFault("nested too deeply")
    out: list[str] = []
    position = 0
    for match in COMMAND.finditer(text):
        command = match[0]
        if match.start() < position or command not in REWRITTEN or _is_escaped(text, match.start()):
            continue
        out.append(text[position : match.start()])
        if command in SYNONYMS:
            replacement, position = SYNONYMS[command], match.end()
            if replacement[-1:].isalpha() and text[position : position + 1].isalpha():
                replacement += " "
        elif command in MACROS:
            replacement, position = _expand_macro(text, match, depth)
        else:
            replacement, position = _expand_text(text, match, depth)
        out.append(replacement)
    out.append(text[position:])
    return "".join(out)


def _is_escaped(text: str, position: int) -> bool:
    return position > 0 and text[position - 1] == "\\" and (position < 2 or text[position - 2] != "\\")


def _expand_macro(text: str, match: re.Match[str], depth: int) -> tuple[str, int]:
    count, template = MACROS[match[0]]
    arguments: list[str] = []
    position = match.end()
    for _ in range(count):
        argument, position = read_argument(text, position)
        arguments.append(_expand(argument, depth + 1))
    wanted = template.count("%s")
    return template % tuple(arguments[:wanted]), position


def _expand_text(text: str, match: re.Match[str], depth: int) -> tuple[str, int]:
    """`\\text{if $x>0$ and \\textbf{y}}` -> `\\text{if }x>0\\text{ and }\\textbf{y}`."""
    argument, position = read_argument(text, match.end())
    if not re.search(r"[{}$]|\\[a-zA-Z]|\\[()]", argument):
        return f"{match[0]}{{{argument}}}", position
    pieces = re.split(r"(?<!\\)\$|\\[()]", argument)
    if len(pieces) > 1:
        rendered = [_expand(p, depth + 1) if odd % 2 else _text(match[0], p, depth) for odd, p in enumerate(pieces)]
        return "{" + "".join(rendered) + "}", position
    return "{" + _text(match[0], argument, depth) + "}", position


def _text(command: str, argument: str, depth: int) -> str:
    if not argument:
        return ""
    if not re.search(r"[{}]|\\[a-zA-Z]", argument):
        return f"{command}{{{argument}}}"
    spaced = re.sub(r"(?<!\\) +", lambda m: "\\ ", argument)
    return r"\mathrm{" + _expand(spaced, depth + 1) + "}"


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


def _wrap_lines(text: str) -> str:
    """Put `\\\\` and `&` that stand outside any environment into one, as `$$a \\\\ b$$` means two lines."""
    depth, has_break, has_tab = 0, False, False
    for step in BREAK_STEP.finditer(text):
        depth += NESTING.get(step[0], 0)
        if depth == 0:
            has_break |= step[0] == r"\\"
            has_tab |= step[0] == "&"
    if has_tab:
        return rf"\begin{{align*}}{text}\end{{align*}}"
    if has_break:
        return rf"\begin{{matrix}}{text}\end{{matrix}}"
    return text
