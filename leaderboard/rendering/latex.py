"""Make LaTeX as people and models write it into LaTeX that `latex2mathml` converts, without changing its meaning.

Unknown to the converter, yet common: `aligned`, `gather`, column specifications, `\\text` with dollars or braces,
`siunitx` and `physics` macros, percent signs meant as percent, `\\boxed` around dollars.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from latex2mathml.commands import CONVERSION_MAP
from latex2mathml.symbols_parser import SYMBOLS

from leaderboard.rendering.braces import (
    COMMAND,
    MAX_DEPTH,
    LatexFault,
    check_nesting,
    drop_extra_braces,
    read_argument,
)
from leaderboard.rendering.environments import settle_environments, wrap_lines
from leaderboard.rendering.macros import FORBIDDEN, MACROS, SYNONYMS, TEXT_COMMANDS, WRITTEN
from leaderboard.rendering.physics import READERS

BOXED_WORDS = re.compile(
    r"^\\boxed\s*\{\s*((?:yes|no|true|false|none)\.?|[A-Za-z]{2,}(?:[ ,;-]+[\w']{2,})+\.?)\s*\}$", re.IGNORECASE
)
BOX = re.compile(r"\\boxed\s*\{")
DOLLAR = re.compile(r"(?<!\\)\$")
ROW_SKIP = re.compile(r"(\\\\)\*?\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\]")  # `\\[2pt]`
INNER_DELIMITER = re.compile(r"(?<!\\)\\[\[\]()]")  # within a formula, as in `\boxed{\[x\]}`
WORDS = re.compile(r"^[^\\^_{}=]*(?:[A-Za-z]{2}|[\u4e00-\u9fff])[^\\^_{}=]*$")
NEGATED = re.compile(r"\\not\s*(=|<|>|\\[a-zA-Z]+)")
# Feynman's slash: `\\not{p}`, `\\not\\!D`, `\\not\\partial`.
SLASHED = re.compile(
    r"\\not(?![a-zA-Z])\s*(?:\\!\s*)*(\{[^{}\\]{1,3}\}|\\(?:partial|nabla|epsilon|ell)(?![a-zA-Z])|[A-Za-z])"
)
NEGATIONS = {
    "=": r"\neq ", "<": r"\nless ", ">": r"\ngtr ", r"\sim": r"\nsim ", r"\approx": "≉", r"\simeq": "≄",
    r"\subset": "⊄", r"\parallel": r"\nparallel ", r"\mid": r"\nmid ", r"\leq": r"\nleq ", r"\geq": r"\ngeq ",
    r"\exists": r"\nexists ", r"\in": r"\notin ", r"\ni": "∌", r"\supset": "⊅", r"\subseteq": "⊈", r"\supseteq": "⊉",
    r"\equiv": "≢", r"\cong": "≇", r"\to": "↛", r"\rightarrow": "↛", r"\leftarrow": "↚", r"\Rightarrow": "⇏",
}  # fmt: skip
LARGE_NAME = re.compile(
    r"\\mathop\s*\{\s*(?:\\rm\b|\\mathrm|\\text)\s*\{?\s*([A-Za-z]+)\s*\}?\s*\}(?:(\s*\\nolimits)|\s*\\limits)?(?![a-zA-Z])"
)
# Options in brackets that only say how something looks, and stars that change nothing here.
LOOKS = re.compile(
    r"(\\(?:SI|si|num|unit|ang|SIrange|SIlist|qtyrange|qtylist|numrange|numlist|complexnum|smash|color|textcolor|colorbox"
    r"|bbox|cfrac|cmidrule)(?![a-zA-Z]))\s*\[[^\[\]]*\]"
)
STARRED = re.compile(r"(\\(?:[hv]space|abs|norm|a?comm(?:utator)?|anticommutator|pb|grad|curl)(?![a-zA-Z])|\\\\)\*")
ANGLED = re.compile(r"(\\(?:left|right|middle|[bB]igg?[lrm]?))\s*([<>])")
POWER = re.compile(r"(\\(?:sin|cos|tan|cot|sec|csc)h?)\[(-?\d|n)\](?=\s*[({])")  # `\\sin[2](x)` of the package physics
ACCENT = re.compile(r"\\([`'^\"~=.])\s*(?:\{\\?([A-Za-z])\}|([A-Za-z]))|\\([cvHur])\{([A-Za-z])\}")
COMBINING = dict(
    zip("`'^\"~=.cvHur", "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0327\u030c\u030b\u0306\u030a", strict=True)
)
TYPED = re.compile(r"``|\'\'|---?")
TYPESET = {"``": "“", "''": "”", "--": "–", "---": "—"}
SINGLE_COMMAND = re.compile(r"(?<!\\)\\[a-zA-Z]")
DOUBLED_NEWLINE = re.compile(r"\\\\n(?![a-z])")
DOUBLED_COMMAND = re.compile(r"\\\\([a-zA-Z]{2,})")
LAYOUT = frozenset({"left", "right", "begin", "end", "mathrm", "mathbf", "boxed", "text"})
SIMPLE_OPERATOR = re.compile(r"\\operatorname\s*\*?\s*\{[A-Za-z]{1,30}\}")
OPERATOR = re.compile(r"\\operatorname(?:withlimits)?\s*\*?")
# A control character before these letters is a LaTeX command whose backslash JSON or Python took for an escape.
EATEN = re.compile(
    r"\x07(?=lpha|pprox|ngle|rc|st)|\x08(?=eta|ar|eg|oxed|ig|inom|f\b)|\t(?=ext|heta|imes|au|an|o\b|ilde|frac|riangle)"
    r"|\x0b(?=ec|ar|ert|phi)|\x0c(?=rac|lat)|\r(?=ight|ho|angle|m\b)|\n(?=eq\b)|(?<=[_^{] )\n(?=u\b)"
)
EATEN_LETTER = {"\x07": r"\a", "\x08": r"\b", "\t": r"\t", "\x0b": r"\v", "\x0c": r"\f", "\r": r"\r", "\n": r"\n"}
LOST_NABLA = re.compile(r"(?<![\\A-Za-z])abla(?![A-Za-z])")  # PHYBench: `\\n` became a newline, and that a space
LITERAL_NEWLINE = re.compile(r"\\n(?![a-zA-Z])|\\n(?=[A-Z])(?!Rightarrow|Left|V[dD]ash)")
HTML_ENTITY = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": " "}
ENTITY = re.compile("|".join(HTML_ENTITY))
PERCENT = re.compile(r"(?<!\\)%(?!\s*\n)")
ARGUMENTED = frozenset(MACROS) | frozenset(WRITTEN) | frozenset(READERS)
REWRITTEN = frozenset(SYNONYMS) | ARGUMENTED | TEXT_COMMANDS


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
    if "abla" in text:
        text = LOST_NABLA.sub(r"\\nabla", text)
    text = text.replace(":=", "≔")
    if "\\" in text:
        text = _rewrite_commands(text)
    text = INNER_DELIMITER.sub("$", text)
    if "$" in text:
        text = _read_dollars(text)
    if "{" in text or "}" in text or r"\left" in text:
        text = drop_extra_braces(text)
        check_nesting(text)
    if "&" in text or r"\\" in text:
        text = wrap_lines(text)
    return text


def _read_dollars(text: str) -> str:
    """`\\boxed{$x$ if $y > 0$}`: the words between formulas are words; other dollars within a formula mean nothing."""
    out, position = [], 0
    for box in BOX.finditer(text):
        if box.start() >= position:
            inside, end = read_argument(text, box.end() - 1)
            out += [text[position : box.end()], _read_words(inside), "}"]
            position = end
    return DOLLAR.sub("", "".join([*out, text[position:]]))


def _read_words(text: str) -> str:
    pieces = DOLLAR.split(text)
    if len(pieces) % 2 == 0:
        return text
    pieces[::2] = [rf"\text{{{piece}}}" if WORDS.search(piece) else piece for piece in pieces[::2]]
    return "".join(pieces)


def _rewrite_commands(text: str) -> str:
    if r"\\" in text:
        text = ROW_SKIP.sub(r"\1", _unescape_doubled(text))
    commands = set(COMMAND.findall(text))
    if commands & FORBIDDEN:
        raise LatexFault("defines or includes something, which is not allowed here")
    if any(command.startswith(r"\n") for command in commands) or r"\n" in text:
        text = LITERAL_NEWLINE.sub("\n", text)
    text = text.replace(r"\tag*", r"\qquad\text")
    if "[" in text:
        text = POWER.sub(r"\1^{\2}", LOOKS.sub(r"\1", text))
    if "*" in text:
        text = STARRED.sub(r"\1", text)
    if "<" in text or ">" in text:
        text = ANGLED.sub(lambda m: m[1] + (r"\langle " if m[2] == "<" else r"\rangle "), text)
    if r"\not" in commands:
        text = NEGATED.sub(lambda m: NEGATIONS.get(m[1], m[0]), text)
        text = SLASHED.sub(lambda m: rf"\cancel{{{m[1]}}}", text)
    if r"\mathop" in commands:
        text = LARGE_NAME.sub(lambda m: rf"\operatorname{'' if m[2] else '*'}{{{m[1]}}}", text)
    if r"\operatorname" in text:
        text = OPERATOR.sub(_rename_operator, text)
    if not REWRITTEN.isdisjoint(commands):
        text = _expand(text, 0)
    if r"\begin" in text:
        text = settle_environments(text)
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
        elif command in ARGUMENTED:
            replacement, position = _expand_macro(text, match, depth)
        else:
            replacement, position = _expand_text(text, match, depth)
        out.append(replacement)
    out.append(text[position:])
    return "".join(out)


def _is_escaped(text: str, position: int) -> bool:
    return position > 0 and text[position - 1] == "\\" and (position < 2 or text[position - 2] != "\\")


def _expand_macro(text: str, match: re.Match[str], depth: int) -> tuple[str, int]:
    command, position = match[0], match.end()
    if command in READERS:
        latex, position = READERS[command](text, position)
        return _expand(latex, depth + 1), position
    arguments: list[str] = []
    count = (WRITTEN if command in WRITTEN else MACROS)[command][0]
    for _ in range(count):
        argument, position = read_argument(text, position)
        arguments.append(argument)
    if command in WRITTEN:
        return "{" + _expand(WRITTEN[command][1](*arguments), depth + 1) + "}", position
    template = MACROS[command][1]
    arguments = [_expand(argument, depth + 1) for argument in arguments]
    wanted = template.count("%s")
    return template % tuple(arguments[:wanted]), position


def _expand_text(text: str, match: re.Match[str], depth: int) -> tuple[str, int]:
    """`\\text{if $x>0$ and \\textbf{y}}` -> `\\text{if }x>0\\text{ and }\\textbf{y}`."""
    argument, position = read_argument(text, match.end())
    argument = TYPED.sub(lambda m: TYPESET[m[0]], ACCENT.sub(_accent, argument))
    if not re.search(r"[{}$]|\\[a-zA-Z]|\\[()]", argument):
        return f"{match[0]}{{{argument}}}", position
    pieces = re.split(r"(?<!\\)\$|\\[()]", argument)
    if len(pieces) > 1:
        rendered = [_expand(p, depth + 1) if odd % 2 else _text(match[0], p, depth) for odd, p in enumerate(pieces)]
        return "{" + "".join(rendered) + "}", position
    return "{" + _text(match[0], argument, depth) + "}", position


def _accent(match: re.Match[str]) -> str:
    """`\\"o` in words as ö."""
    letter = match[2] or match[3] or match[5]
    return normalize("NFC", letter + COMBINING[match[1] or match[4]])


def _text(command: str, argument: str, depth: int) -> str:
    if not argument:
        return ""
    if not re.search(r"[{}]|\\[a-zA-Z]", argument):
        return f"{command}{{{argument}}}"
    spaced = re.sub(r"(?<!\\) +", lambda m: "\\ ", argument)
    return r"\mathrm{" + _expand(spaced, depth + 1) + "}"
