"""Characters -> tokens: spelling variants are settled here, grammar is not."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from scoring.errors import ParseError
from scoring.latex_tables import BARE_FUNCTIONS, FUNCTIONS, GREEK, IGNORED, PROSE, REFUSED, ROMAN, SPACES
from scoring.latex_unicode import SUBSCRIPTS, SUPERSCRIPTS, UNICODE
from scoring.latex_words import CONDITION_WORDS, LIST_WORDS, PREFIXED_UNITS, PROSE_WORDS, UNIT_PREFIXES, UNITS

MAX_CHARS = 60_000
MAX_TOKENS = 40_000
MAX_DIGITS = 400


class Token(NamedTuple):
    """kind: num, sym (one letter), cmd (with backslash), op (one character), text (raw content of a \\text or \\mathrm
    group), word (prose between formulas), quad, end. `spaced`: something separates it from the token before."""

    kind: str
    text: str
    spaced: bool = False


END = Token("end", "")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_HAS_CJK = re.compile(f"[{_CJK}]")
_CJK_ANY = re.compile(f"[{_CJK}，。；：、！？（）【】]")
_CJK_GROUP = re.compile(f"[（(][^（）()]*[{_CJK}][^（）()]*[）)]")
_CJK_BREAK = re.compile(f"[，。；：！？]|[{_CJK}]+")
_DECORATION = re.compile(r"\\text\s*\{[^{}]*\}|\\(?:displaystyle|quad|qquad|boxed|text|left|right|[,;:! ])")
_SCRIPT_RUN = re.compile(f"([{''.join(SUPERSCRIPTS)}]+)|([{''.join(SUBSCRIPTS)}]+)")
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<num>(?:[1-9]\d{0,2}(?:(?:,|\{,\}|\\,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:[eE][+-]?\d{1,3}(?![\w^.]))?)"
    r"|(?P<cmd>\\(?:[A-Za-z]+|.))"
    r"|(?P<letters>[A-Za-z]+)"
    r"|(?P<two>:=|<=|>=|!=|\*\*)"
    r"|(?P<op>.)",
    re.DOTALL,
)
_TWO = {":=": ("op", ":="), "<=": ("cmd", "\\leq"), ">=": ("cmd", "\\geq"), "!=": ("cmd", "\\neq"), "**": ("op", "^")}
_SHORT_WORDS = frozenset(("is", "to", "be", "we", "of", "at", "by", "in", "so", "as", "on", "it", "an", "a"))
_WORD_SHAPE = re.compile(r"[A-Z]?[a-z]{5,}")


def normalise_text(text: str) -> str:
    """Look-alike signs in their LaTeX spelling, without what is no mathematics. Raises ParseError if too long."""
    if len(text) > MAX_CHARS:
        raise ParseError(f"formula of {len(text)} characters; at most {MAX_CHARS} are read")
    if text.isascii() and not _CONTROL.search(text):
        return text
    if _CJK_ANY.search(text):
        text = _take_formula_out_of_cjk(text)
    text = _SCRIPT_RUN.sub(_spell_script, text)
    return "".join(UNICODE.get(char) or _plain_character(char) for char in text)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def _spell_script(match: re.Match[str]) -> str:
    if match[1]:
        return "^{" + "".join(SUPERSCRIPTS[char] for char in match[1]) + "}"
    return "_{" + "".join(SUBSCRIPTS[char] for char in match[2]) + "}"


def _plain_character(char: str) -> str:
    if char.isascii() and char >= " " or char in "\n\t\r":
        return char
    category = unicodedata.category(char)
    if category in ("Cf", "Mn"):
        return ""
    if char in "\u2009\u202f\u00a0":
        return "\\,"
    if category in ("Cc", "Zs", "Zl", "Zp", "Cn", "Co", "Cs"):
        return " "
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    if "\U0001d400" <= char <= "\U0001d7ff":
        return unicodedata.normalize("NFKC", char)
    return char


def _take_formula_out_of_cjk(text: str) -> str:
    """Keep the first stretch of formula; sentences around it and bracketed remarks go. Names in braces stay."""
    if not _HAS_CJK.search(text):
        return text.replace("。", "").replace("、", ",")
    text = _CJK_GROUP.sub(" ", text)
    pieces: list[str] = []
    depth = start = 0
    for match in re.finditer(rf"[{{(\[]|[}})\]]|{_CJK_BREAK.pattern}", text):
        sign = match[0]
        if sign in "{([":
            depth += 1
        elif sign in "})]":
            depth -= 1
        elif depth <= 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    pieces.append(text[start:])
    return next((piece for piece in pieces if re.search(r"[A-Za-z0-9]", _DECORATION.sub("", piece))), "")


def find_group_end(text: str, start: int) -> int:
    """Index of the brace that closes the one at `start`. Raises ParseError if none does."""
    depth = 0
    position = start
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise ParseError("a brace is not closed")


@lru_cache(maxsize=2048)
def split_tokens(text: str) -> tuple[Token, ...]:
    """Tokens of a formula. Raises ParseError where the text is too long, too deep in digits or tries to give orders."""
    text = normalise_text(text)
    tokens: list[Token] = []
    position, depth, spaced = 0, 0, False
    environments = "\\begin" in text
    level = 0  # of environments: within one, a double backslash ends a row
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # cannot happen: the last branch takes any character
            raise ParseError("unreadable character")
        kind, value = str(match.lastgroup), match[0]
        position = match.end()
        if kind == "space":
            spaced = True
            continue
        if kind == "cmd":
            if value == "\\\\" and level:
                tokens.append(Token("op", value, True))
                spaced = False
                continue
            position, spaced = _read_command(text, position, value, spaced, tokens)
            level += {"\\begin": 1, "\\end": -1}.get(value, 0)
            continue
        if kind == "op" and value in "([{":
            depth += 1
        elif kind == "op" and value in ")]}":
            depth -= 1
        if kind == "num":
            _read_number(value, depth, spaced, tokens)
        elif kind == "letters":
            _read_letters(text, match, spaced, tokens)
        elif kind == "two":
            tokens.append(Token(*_TWO[value], spaced))
        elif value != "$" and (value != "&" or environments):
            tokens.append(Token("sym" if value.isalpha() else "op", value, spaced))
        spaced = False
        if len(tokens) > MAX_TOKENS:
            raise ParseError(f"formula of more than {MAX_TOKENS} signs")
    return tuple(tokens)


def _read_number(value: str, depth: int, spaced: bool, tokens: list[Token]) -> None:
    if len(value) > MAX_DIGITS:
        raise ParseError(f"number of {len(value)} digits; at most {MAX_DIGITS} are read")
    script = bool(tokens) and tokens[-1].text in ("_", "^")
    if (depth > 0 or script) and "," in value and "{,}" not in value:
        for index, part in enumerate(value.split(",")):  # (1,000) may be a pair
            if index:
                tokens.append(Token("op", ","))
            tokens.append(Token("num", part, spaced and not index))
        return
    tokens.append(Token("num", re.sub(r"\{,\}|\\,|,", "", value), spaced))


def _read_letters(text: str, match: re.Match[str], spaced: bool, tokens: list[Token]) -> None:
    """A run of letters: a function's name, a word of prose, or a product of one-letter names."""
    run = match[0]
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if len(run) > 1:
        if run in BARE_FUNCTIONS or (run in GREEK and (len(run) > 2 or run == "pi")):
            tokens.append(Token("cmd", "\\" + run, spaced))
            return
        if before not in ("_", "^", "{") and after not in ("_", "^", "("):
            after_word = bool(tokens) and tokens[-1].kind == "word"
            word = run.lower()
            if (word in PROSE_WORDS and (len(run) > 2 or word in ("if", "or")) and _stands_alone(before, after)) or (
                after_word and word in _SHORT_WORDS
            ):
                tokens.append(Token("word", word, True))
                return
            if _WORD_SHAPE.fullmatch(run) and re.search("[aeiou]", run) and _stands_alone(before, after):
                tokens.append(Token("word", word, True))
                return
    tokens.append(Token("sym", run[0], spaced))
    tokens.extend(Token("sym", letter) for letter in run[1:])


def _stands_alone(before: str, after: str) -> bool:
    return (not before or before.isspace() or before in ",;:.()}$") and (
        not after or after.isspace() or after in ",;:.=${\\"
    )


def _read_command(text: str, position: int, value: str, spaced: bool, tokens: list[Token]) -> tuple[int, bool]:
    """Take one command; returns the new position and whether the next token counts as separated."""
    name = value[1:]
    if name in REFUSED:
        raise ParseError(f"command {value} is not mathematics")
    if value in SPACES:
        return position, True
    if name in IGNORED:
        if name in ("left", "right") and text[position : position + 1] == ".":
            position += 1
        return position, spaced
    if name in PROSE or name in ROMAN:
        return _read_text_group(text, position, name, spaced, tokens), False
    if name in ("(", ")", "[", "]"):
        return position, spaced
    if name in ("hspace", "vspace", "label", "tag", "color", "kern", "mspace", "phantom", "hphantom"):
        start = position + len(text[position:]) - len(text[position:].lstrip("* "))
        if text[start : start + 1] == "{":
            position = find_group_end(text, start) + 1
        return position, True
    if name in ("quad", "qquad", "\\"):
        tokens.append(Token("quad", value, True))
    elif name in "{}":
        tokens.append(Token("op", "(" if name == "{" else ")", spaced))
    elif name in "%&#$_":
        tokens.append(Token("op", name, spaced))
    elif name in ("begin", "end") and text[position : position + 1] == "{":
        close = find_group_end(text, position)
        tokens.append(Token("cmd", value + text[position : close + 1].replace("*", ""), spaced))
        position = close + 1
        if tokens[-1].text.startswith("\\begin{array}") and text[position : position + 1] == "{":
            position = find_group_end(text, position) + 1
    else:
        tokens.append(Token("cmd", value, spaced))
    return position, False


def _read_text_group(text: str, position: int, name: str, spaced: bool, tokens: list[Token]) -> int:
    while text[position : position + 1] in (" ", "*"):
        position += 1
    if text[position : position + 1] == "{":
        close = find_group_end(text, position)
        content, position = text[position + 1 : close], close + 1
    else:
        match = _TOKEN.match(text, position)
        content = match[0] if match else ""
        if match and match.lastgroup == "letters":
            content = content[0]
        position += len(content)
    tokens.append(Token("text" if name in PROSE else "roman", content, spaced))
    return position


@lru_cache(maxsize=4096)
def classify_text(content: str) -> str:
    """What a \\text or \\mathrm group in a formula is: function, letter, unit, if, and, prose, name or formula."""
    stripped = content.strip().strip("$~").strip()
    bare = stripped.lstrip("\\")
    if bare in FUNCTIONS and bare not in UNITS:
        return "function"
    if len(stripped) == 1 and stripped.isalpha():
        return "letter"
    if not stripped:
        return "prose"
    if is_unit(stripped):
        return "unit"
    words = stripped.lower().split()
    if words[0] in CONDITION_WORDS:
        return "if"
    if len(words) == 1 and words[0] in LIST_WORDS:
        return "and"
    if len(words) > 1 or _CJK_ANY.search(stripped) or stripped[-1] in ":,;." or words[0] in PROSE_WORDS:
        return "prose"
    return "name" if stripped.replace("-", "").isalnum() else "formula"


@lru_cache(maxsize=4096)
def is_unit(content: str) -> bool:
    """True if the text reads as a product of known units: `m/s^2`, `kg\\cdot m`, `N m`."""
    parts = re.split(r"\\cdot|\\times|\\text|\\mathrm|\\[,; :]|[*/·\s~{}()]|\^\{?[-+]?\d+\}?|\\(?=%)", content)
    words = [
        part.replace("\\Omega", "Ω").replace("\\mu", "μ").replace("\\", "") for part in parts if part and part.strip()
    ]
    return bool(words) and all(_is_unit_word(word) for word in words)


def _is_unit_word(word: str) -> bool:
    if word in UNITS or word == "%":
        return True
    return any(word.startswith(prefix) and word[len(prefix) :] in PREFIXED_UNITS for prefix in UNIT_PREFIXES)


def read_number(text: str) -> Fraction:
    """Exact value of a decimal literal. Raises ParseError for powers of ten beyond 10^400."""
    mantissa, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > 400:
        raise ParseError(f"power of ten out of range: {text}")
    value = Fraction(mantissa)
    return value * Fraction(10) ** int(exponent) if exponent else value
