"""LaTeX text -> formulas: strips wrappings and prose, splits relations, lists and conditions, and reads each side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scoring.errors import ParseError
from scoring.latex_parser import Parser
from scoring.latex_reading import USUAL, Reading
from scoring.latex_tables import RELATIONS
from scoring.latex_tokens import Token, classify_text, find_group_end, split_tokens
from scoring.latex_words import CONDITION_WORDS, LIST_WORDS
from scoring.syntax import Node, is_number

if TYPE_CHECKING:
    import sympy

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_EDGE = re.compile(r"^(?:\\[,;:!> ]|\s)+|(?:\\[,;:!> ]|[。,;；，\s])+$")
_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"), ("**", "**"))
_MAX_WRAPPINGS = 12
_OPERATORS = frozenset(("+", "-", "*", "/", "^", "_", "=", "\\cdot", "\\times", "\\pm", "\\mp", ","))


@dataclass(frozen=True, slots=True)
class Formula:
    """One statement as read. A chain `a = b = c` has three sides and two relations.

    sides: None where a side that does not count could not be read (never the last). relations: `=`, `~`, `<`, `<=`, ...
    conditions: what stands after `if`, `for`, `when`, as statements. ambiguous: names of open choices (see Reading).
    """

    sides: tuple[Node | None, ...]
    relations: tuple[str, ...] = ()
    conditions: tuple[Formula, ...] = ()
    flags: frozenset[str] = frozenset()
    ambiguous: frozenset[str] = frozenset()

    @property
    def value(self) -> Node:
        node = self.sides[-1]
        assert node is not None
        return node

    @property
    def is_order(self) -> bool:
        return any(relation not in ("=", "~", "=>") for relation in self.relations)

    @property
    def is_equation_to_zero(self) -> bool:
        return bool(self.relations) and not self.is_order and (is_number(self.value, 0) or _is_zero(self.sides[0]))


def _is_zero(node: Node | None) -> bool:
    return node is not None and is_number(node, 0)


def strip_math(text: str) -> str:
    """The text without boxes, dollar signs, display brackets and final punctuation; names on the left stay."""
    text = text.strip()
    for _ in range(_MAX_WRAPPINGS):
        previous = text
        text = _take_out_of_box(text).strip()
        for opening, closing in _DELIMITERS:
            inner = text[len(opening) : len(text) - len(closing)]
            if (
                len(text) > len(opening)
                and text.startswith(opening)
                and text.endswith(closing)
                and closing not in inner
            ):
                text = inner.strip()
        text = _EDGE.sub("", text)
        if text.startswith("{") and text.endswith("}") and _closes_at_end(text):
            text = text[1:-1].strip()
        if text.endswith(".") and not text.endswith(("\\right.", "..")):
            text = text[:-1].strip()
        if text == previous:
            break
    return text


def _closes_at_end(text: str) -> bool:
    try:
        return find_group_end(text, 0) == len(text) - 1
    except ParseError:
        return False


def _take_out_of_box(text: str) -> str:
    """Content of the last complete box; where operators touch the box, only the box itself goes."""
    for match in reversed(list(_BOX.finditer(text))[-50:]):
        try:
            end = find_group_end(text, match.end() - 1)
        except ParseError:
            continue
        before, inner, after = text[: match.start()], text[match.end() : end], text[end + 1 :]
        if re.match(r"\s*(?:[-+*/^_(){\\}]|\\cdot|\\times)", after) and not re.match(r"\s*\\[\])]|\s*\\text", after):
            return f"{before}{inner}{after}"
        if re.search(r"(?:[-+*/({]|\\cdot|\\times)\s*$", before) and not re.search(r"\\[\[(]\s*$", before):
            return f"{before}{inner}{after}"
        return inner
    return text


def strip_wrapping(text: str) -> str:
    """`$\\boxed{x = 2mg}$` -> `2mg`: wrappings as strip_math, then a name before an equals sign."""
    text = strip_math(text)
    try:
        tokens = split_tokens(text)
        members = _split_relations(tokens)
    except ParseError:
        return text
    if len(members) < 2 or any(RELATIONS[sign.text] not in ("=", "~") for _, sign in members[1:] if sign):
        return text
    place = max(text.rfind(sign.text) + len(sign.text) for _, sign in members[1:] if sign)
    return text[place:].strip()


@lru_cache(maxsize=4096)
def parse_formula(text: str, reading: Reading = USUAL) -> Formula:
    """Read a whole answer. A top-level list becomes one tuple. Raises ParseError with the reason."""
    tokens = split_tokens(strip_math(text))
    segments, flags = _cut_prose(tokens)
    main, flags = _strip_units(segments[0][1], flags)
    if not main:
        raise ParseError("no formula in the text")
    members = [part for part in _split_at(main, (",", ";")) if part]
    read = [_read_member(member, reading) for member in members]
    conditions = [formula for formula in read[1:] if formula.is_order and not read[0].is_order]
    read = [formula for formula in read if formula not in conditions]
    for word, segment in segments[1:]:
        conditions.extend(_read_condition(word, segment, reading))
    first = read[0]
    inner = frozenset().union(*(formula.ambiguous for formula in read))
    set_aside = tuple(condition for formula in read for condition in formula.conditions)
    if len(read) == 1:
        return Formula(first.sides, first.relations, (*set_aside, *conditions), flags, inner)
    return Formula(
        (Node("tuple", tuple(formula.value for formula in read)),), (), (*set_aside, *conditions), flags, inner
    )


def parse_value(text: str, reading: Reading = USUAL) -> Node:
    """The value alone: the last side of a chain."""
    return parse_formula(text, reading).value


def parse_latex(text: str) -> sympy.Expr:
    """sympy expression of the value in `text` (the last side of a chain). Raises ParseError, also for hostile sizes."""
    from scoring.symbolic import to_sympy

    return to_sympy(parse_value(text))


def _split_at(tokens: tuple[Token, ...], marks: tuple[str, ...]) -> list[tuple[Token, ...]]:
    parts: list[tuple[Token, ...]] = []
    start = level = 0
    for place, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPEN:
            level += 1
        elif token.kind == "op" and token.text in _CLOSE:
            level -= 1
        elif level <= 0 and token.kind == "op" and token.text in marks:
            parts.append(tokens[start:place])
            start = place + 1
    parts.append(tokens[start:])
    return parts


def _split_relations(tokens: tuple[Token, ...]) -> list[tuple[tuple[Token, ...], Token | None]]:
    """Sides with the sign before each; signs inside brackets do not count. `<T>` at a side's start is a mean."""
    parts: list[tuple[tuple[Token, ...], Token | None]] = []
    start = level = 0
    sign: Token | None = None
    for place, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPEN or token.text.startswith("\\begin"):
            level += 1
        elif token.kind == "op" and token.text in _CLOSE or token.text.startswith("\\end{"):
            level -= 1
        elif level <= 0 and token.text in RELATIONS and token.kind in ("op", "cmd"):
            if token.text in "<>" and _is_mean(tokens, place, start):
                continue
            if place > start or sign is None:
                parts.append((tokens[start:place], sign))
            sign, start = token, place + 1
    parts.append((tokens[start:], sign))
    return parts


def _is_mean(tokens: tuple[Token, ...], place: int, start: int) -> bool:
    if tokens[place].text == "<":
        return place == start and any(token.text == ">" for token in tokens[place + 1 : place + 8])
    return tokens[start].text == "<" and all(token.text != ">" for token in tokens[start:place])


def _cut_prose(tokens: tuple[Token, ...]) -> tuple[list[tuple[str, tuple[Token, ...]]], frozenset[str]]:
    """Segments between words on the top level, each with the word before it; the first holds the formula."""
    segments: list[tuple[str, tuple[Token, ...]]] = []
    word, start, level, has_words = "", 0, 0, False
    for place, token in enumerate(tokens):
        if token.kind == "op" and token.text in _OPEN or token.text.startswith("\\begin"):
            level += 1
        elif token.kind == "op" and token.text in _CLOSE or token.text.startswith("\\end{"):
            level -= 1
        if level > 0:
            continue
        found = _prose_word(tokens, place)
        if found:
            segments.append((word, tokens[start:place]))
            word, start, has_words = found, place + 1, True
        elif token.text == ":" and token.kind == "op" and (has_words or _only_text(tokens[:place])):
            segments, word, start = [], "", place + 1
    segments.append((word, tokens[start:]))
    return _drop_lead(segments), frozenset(("prose",)) if has_words else frozenset()


def _only_text(tokens: tuple[Token, ...]) -> bool:
    return all(token.kind in ("text", "word") for token in tokens)


def _prose_word(tokens: tuple[Token, ...], place: int) -> str:
    """The word a prose token stands for, empty for a token of a formula."""
    token = tokens[place]
    if token.kind == "word":
        return token.text
    if token.kind == "quad":
        before, after = tokens[place - 1] if place else None, tokens[place + 1] if place + 1 < len(tokens) else None
        touching = (before is None or before.text in _OPERATORS) or (after is not None and _joins(after))
        return "" if touching else "quad"
    if token.kind not in ("text", "roman"):
        return ""
    if place and tokens[place - 1].text in ("_", "^"):
        return ""
    kind = classify_text(token.text)
    if kind == "if":
        return token.text.split()[0].lower()
    if kind == "prose" and token.kind == "text":
        return "prose"
    return token.text.strip() if kind == "and" else ""


def _joins(token: Token) -> bool:
    return token.text in _OPERATORS or token.text in RELATIONS


def _drop_lead(segments: list[tuple[str, tuple[Token, ...]]]) -> list[tuple[str, tuple[Token, ...]]]:
    """Leave out what stands before the first segment with a formula; lists joined by words become comma lists."""
    while len(segments) > 1 and not _has_formula(segments[0][1]):
        segments = segments[1:]
    while len(segments) > 1 and segments[1][0] in LIST_WORDS and _has_formula(segments[1][1]):
        joined = (*segments[0][1], Token("op", ","), *segments[1][1])
        segments = [(segments[0][0], joined), *segments[2:]]
    return segments


def _has_formula(tokens: tuple[Token, ...]) -> bool:
    return any(token.kind in ("num", "sym", "cmd", "roman", "text") for token in tokens)


def _strip_units(tokens: tuple[Token, ...], flags: frozenset[str]) -> tuple[tuple[Token, ...], frozenset[str]]:
    """Drop a unit behind the formula; `quad` and full stops on the edges go too."""
    tokens = tuple(token for token in tokens if token.kind != "quad")
    end = len(tokens)
    unit_from = end
    while end > 0:
        token = tokens[end - 1]
        is_unit_token = token.kind in ("text", "roman") and (
            classify_text(token.text) == "unit" or token.text.strip() in _UNIT_LETTERS
        )
        if is_unit_token and not (end > 1 and tokens[end - 2].text in ("_", "^", "{")):
            end -= 1
            unit_from = end
        elif (width := _unit_glue(tokens, end)) and end - width > 0:
            end -= width
        else:
            break
    if 0 < unit_from < len(tokens):
        tokens, flags = tokens[:unit_from], flags | {"unit"}
        while tokens and tokens[-1].text in ("\\cdot", "/", "\\times", "~"):
            tokens = tokens[:-1]
    while tokens and tokens[-1].kind == "op" and tokens[-1].text in ".,;:":
        tokens = tokens[:-1]
    while tokens and tokens[0].kind == "op" and tokens[0].text in ".,;:":
        tokens = tokens[1:]
    return tokens, flags


_UNIT_LETTERS = frozenset(["m", "s", "g", "N", "J", "W", "K", "A", "C", "V", "F", "T", "H"])


def _unit_glue(tokens: tuple[Token, ...], end: int) -> int:
    """How many tokens before `end` only tie units together: a dot, a slash, an integer power behind a unit."""
    if tokens[end - 1].text in ("\\cdot", "/"):
        return 1
    for width in (5, 4, 3, 2):
        part = [token.text for token in tokens[max(end - width, 0) : end]]
        spelled = "".join(part)
        behind = tokens[end - width - 1] if end - width > 0 else None
        if (
            len(part) == width
            and re.fullmatch(r"\^\{?-?\d\}?", spelled)
            and behind
            and behind.kind in ("text", "roman")
        ):
            return width
    return 0


def _read_member(tokens: tuple[Token, ...], reading: Reading) -> Formula:
    parts = _split_relations(tokens)
    sides: list[Node | None] = []
    ambiguous: set[str] = set()
    conditions: list[Formula] = []
    for place, (side, _) in enumerate(parts):
        is_last = place == len(parts) - 1
        parser = Parser(side, reading)
        try:
            sides.append(parser.parse_all())
        except ParseError:
            if is_last:
                raise
            sides.append(None)
        ambiguous |= parser.ambiguous
        for condition in parser.conditions:
            conditions.extend(_read_condition("if", condition, reading))
    relations = tuple(RELATIONS[sign.text] for _, sign in parts[1:] if sign is not None)
    return Formula(tuple(sides), relations, tuple(conditions), frozenset(), frozenset(ambiguous))


def _read_condition(word: str, tokens: tuple[Token, ...], reading: Reading) -> list[Formula]:
    """Statements after a condition word that can be read as relations; other words say nothing to compare."""
    if word not in CONDITION_WORDS and word != "quad" or word == "where":
        return []
    kept = tuple(token for token in tokens if token.kind not in ("word", "quad", "text"))
    kept = tuple(token for place, token in enumerate(kept) if not (token.text == "." and token.kind == "op"))
    try:
        formulas = [_read_member(part, reading) for part in _split_at(kept, (",", ";")) if part]
    except ParseError:
        return []
    return [formula for formula in formulas if formula.relations]
