"""Find what Markdown must not touch: code, formulas, figure tokens and `<think>` tags, with their places in the text.

Formulas are found before Markdown is parsed, because `_`, `*`, `|`, `=` and blank lines mean something else to it.
The scan is one pass from left to right; a delimiter that finds no partner stays text and harms its paragraph at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

MAX_FORMULA = 20_000  # characters; a longer "formula" is an unbalanced delimiter or an attack
MAX_INLINE = 4_000
COSTLY_FAILURES = 100  # per paragraph: after these, its dollars are read as money (keeps the scan linear)

_ENVIRONMENTS = (
    "align aligned alignat alignedat flalign array bmatrix Bmatrix bsmallmatrix cases dcases rcases equation eqnarray "
    "gather gathered math displaymath matrix multline multlined pmatrix psmallmatrix smallmatrix split subequations "
    "vmatrix Vmatrix"
)
ENVIRONMENTS = frozenset(_ENVIRONMENTS.split())


class Kind(StrEnum):
    CODE = "code"
    INLINE = "inline"
    DISPLAY = "display"
    FIGURE = "figure"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Segment:
    """text[start:end] is one unit; body is the formula without delimiters, the figure's number or the tag's name."""

    kind: Kind
    start: int
    end: int
    body: str = ""


TOKEN = re.compile(
    r"""
    (?P<fence>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<run>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$)
  | (?P<ticks>`+)
  | (?P<open>\\{1,2}[(\[])
  | \\begin\{(?P<env>[a-zA-Z]+)(?P<star>\*?)\}
  | (?P<boxed>\\(?:boxed|ce|pu|num|ang|unit|si|SI|qty)[ ]?\{)
  | (?P<escape>\\.)
  | (?P<dollars>\${1,2})
  | !?\[figure[ _]?(?P<figure>\d{1,3})\](?:\([^()\s]{0,300}\))?
  | (?P<tag></?think(?:ing)?>)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
BLANK_LINE = re.compile(r"\n[ \t]*\n")
CLOSERS = {
    "\\(": re.compile(r"(?<!\\)(?:\\\\)*\\\)"),
    "\\[": re.compile(r"(?<!\\)(?:\\\\)*\\\]"),
    "\\\\(": re.compile(r"\\\\\)"),
    "\\\\[": re.compile(r"\\\\\]"),
}
OPENERS = {"\\[": re.compile(r"(?<!\\)(?:\\\\)*\\\["), "\\\\[": re.compile(r"\\\\\[(?!\d)")}
DOLLAR_STEP = re.compile(r"\\.|[{}$]", re.DOTALL)
BRACE_STEP = re.compile(r"\\.|[{}]", re.DOTALL)
TICK_RUN = re.compile(r"`+")

MATHEMATICAL = re.compile(r"[\\^_=<>+]")
PLAIN_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}[,;.:]?\s+(?:[A-Za-z]+\s+)*[A-Za-z]{2,}")
SYMBOL_OR_QUANTITY = re.compile(r"[A-Za-z](?:[_^]\S{1,20})?'*|\d[\d.,]*\s?[A-Za-z]{0,2}")
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")


def find_segments(text: str) -> list[Segment]:
    """All code, formulas, figure tokens and think tags of `text`, in order, never overlapping."""
    return _Scan(text).run()


@dataclass(slots=True)
class _Scan:
    text: str
    paragraph: tuple[int, int] = (0, -1)  # the paragraph looked up last
    costly: int = 0  # failed searches in it
    closed_until: dict[str, int] = field(default_factory=dict)  # opener -> no closer before this offset
    ticks_until: dict[int, int] = field(default_factory=dict)  # length of a tick run -> no partner before

    def run(self) -> list[Segment]:
        found: list[Segment] = []
        position = 0
        while match := TOKEN.search(self.text, position):
            segment = self._read(match)
            if segment is None:
                position = match.end()
            else:
                found.append(segment)
                position = segment.end
        return found

    def _read(self, match: re.Match[str]) -> Segment | None:
        if match["escape"]:
            return None
        if match["fence"]:
            return self._fence(match)
        if match["ticks"]:
            return self._ticks(match)
        if match["open"]:
            return self._delimited(match)
        if match["env"]:
            return self._environment(match)
        if match["boxed"]:
            return self._boxed(match)
        if match["dollars"]:
            return self._double(match) if match["dollars"] == "$$" else self._single(match)
        if match["figure"]:
            return Segment(Kind.FIGURE, match.start(), match.end(), match["figure"])
        return Segment(Kind.TAG, match.start(), match.end(), match[0])

    def paragraph_end(self, position: int) -> int:
        start, end = self.paragraph
        if not start <= position <= end:
            blank = BLANK_LINE.search(self.text, position)
            end = blank.start() if blank else len(self.text)
            self.paragraph, self.costly = (position, end), 0
        return end

    def _fence(self, match: re.Match[str]) -> Segment:
        run = match["run"]
        closing = re.compile(rf"^[ \t>]*{re.escape(run[0])}{{{len(run)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self.text, match.end())
        opening = match[0].strip()
        if end and opening.lstrip(run[0]) == "math":  # as GitHub and GitLab have it
            return Segment(Kind.DISPLAY, match.start(), end.end(), self.text[match.end() : end.start()])
        return Segment(Kind.CODE, match.start(), end.end() if end else len(self.text))

    def _ticks(self, match: re.Match[str]) -> Segment | None:
        length = len(match["ticks"])
        limit = self.paragraph_end(match.start())
        if match.end() < self.ticks_until.get(length, 0):
            return None
        for run in TICK_RUN.finditer(self.text, match.end(), limit):
            if len(run[0]) == length:
                return Segment(Kind.CODE, match.start(), run.end())
        self.ticks_until[length] = limit
        return None

    def _delimited(self, match: re.Match[str]) -> Segment | None:
        opener, start = match["open"], match.end()
        is_display = opener.endswith("[")
        limit = min(len(self.text), start + MAX_FORMULA) if is_display else self.paragraph_end(match.start())
        known = self.closed_until.get(opener, 0)
        end = CLOSERS[opener].search(self.text, max(start, known), limit) if limit > known else None
        if end is None:
            self.closed_until[opener] = max(known, limit)
            return None
        body = self.text[start : end.end() - len(opener)]
        if not body.strip() or (is_display and OPENERS[opener].search(body)):
            return None
        if opener.startswith(r"\\"):
            body = body.replace(r"\\", "\\")  # a text escaped once too often, as it stood in JSON
        kind = Kind.DISPLAY if is_display else Kind.INLINE
        return Segment(kind, match.start(), end.end(), self._unquote(body, match.start()))

    def _environment(self, match: re.Match[str]) -> Segment | None:
        name = match["env"]
        if name not in ENVIRONMENTS:
            return None
        begin, end = match[0], f"\\end{{{name}{match['star']}}}"
        limit = min(len(self.text), match.end() + MAX_FORMULA)
        depth, position = 1, match.end()
        while depth:
            close = self.text.find(end, position, limit)
            if close < 0:
                return None
            depth += self.text.count(begin, position, close) - 1
            position = close + len(end)
        body = self.text[match.start() : position]
        return Segment(Kind.DISPLAY, match.start(), position, self._unquote(body, match.start()))

    def _boxed(self, match: re.Match[str]) -> Segment | None:
        limit = min(self.paragraph_end(match.start()), match.end() + MAX_INLINE)
        depth = 1
        if self.costly > COSTLY_FAILURES:
            return None
        for step in BRACE_STEP.finditer(self.text, match.end(), limit):
            depth += {"{": 1, "}": -1}.get(step[0], 0)
            if depth == 0 and match["boxed"].startswith(("\\SI", "\\qty")) and self.text.startswith("{", step.end()):
                continue  # a quantity: the group with its unit follows
            if depth == 0:
                return Segment(Kind.INLINE, match.start(), step.end(), self.text[match.start() : step.end()])
        self.costly += 1
        return None

    def _double(self, match: re.Match[str]) -> Segment | None:
        start, limit = match.end(), self.paragraph_end(match.start())
        end = self.text.find("$$", start, limit)
        while end > 0 and self.text[end - 1] == "\\" and self.text[end - 2] != "\\":
            end = self.text.find("$$", end + 1, limit)
        if end < 0:
            end = self._lone_closing(match)
        if end < 0 or not self.text[start:end].strip() or end - start > MAX_FORMULA:
            return None
        return Segment(Kind.DISPLAY, match.start(), end + 2, self._unquote(self.text[start:end], match.start()))

    def _lone_closing(self, match: re.Match[str]) -> int:
        """The end of a formula with blank lines: both `$$` alone on their lines and no dollar between."""
        line_start = self.text.rfind("\n", 0, match.start()) + 1
        if self.text[line_start : match.start()].strip() or self.text[match.end() : match.end() + 1] != "\n":
            return -1
        end = self.text.find("$", match.end(), match.end() + MAX_INLINE)
        if end < 0 or self.text[end - 1] != "\n" or self.text[end : end + 2] != "$$":
            return -1
        return end

    def _single(self, match: re.Match[str]) -> Segment | None:
        start, limit = match.end(), min(self.paragraph_end(match.start()), match.end() + MAX_INLINE)
        if self.costly > COSTLY_FAILURES:
            return None
        depth, closing = 0, None
        for step in DOLLAR_STEP.finditer(self.text, start, limit):
            if step[0] == "$":
                closing = step if closing is None or depth <= 0 else closing
                if depth <= 0:
                    break
            depth += {"{": 1, "}": -1}.get(step[0], 0)
        else:
            self.costly += 1  # a dollar within braces closes only if none outside does: `$\frac{1}{$`
        if closing is None:
            return None
        body = self.text[start : closing.start()]
        if len(body) > 2 and body[0] == body[-1] == "`":
            body = body[1:-1]  # as GitLab has it
        if not is_formula(body, self.text[closing.end() : closing.end() + 1]):
            return None
        return Segment(Kind.INLINE, match.start(), closing.end(), self._unquote(body, match.start()))

    def _unquote(self, body: str, start: int) -> str:
        """The body without the `>` that a block quote puts before each of its lines."""
        if "\n" not in body:
            return body
        line_start = self.text.rfind("\n", 0, start) + 1
        if not self.text[line_start : line_start + 8].lstrip().startswith(">"):
            return body
        return re.sub(r"\n[ \t]*(?:>[ \t]?)+", "\n", body)


def is_formula(body: str, following: str) -> bool:
    """Whether the text between two single dollars is mathematics rather than prose between two prices.

    following: the character after the closing dollar ("" at the end of the text).
    """
    stripped = body.strip()
    if not stripped or "**" in body:
        return False
    if "\\" in body or (len(body) < 3 and body.isalpha() and body.isascii()):
        return True
    looks_mathematical = bool(MATHEMATICAL.search(body))
    if following.isdigit() and not looks_mathematical:
        return False  # `$5-$10`
    if stripped.endswith(("=", "+", "-")) and following and following in "0123456789<*":
        return False  # `$12 x 5 =$60`
    if body.count("\n") > 2 or (CJK.search(body) and not looks_mathematical) or PLAIN_WORDS.search(body):
        return False
    if body[0].isspace() or body[-1].isspace():
        return _is_padded_formula(body, stripped, looks_mathematical)
    return True


def _is_padded_formula(body: str, stripped: str, looks_mathematical: bool) -> bool:
    if body[0].isspace() and body[-1].isspace():
        return looks_mathematical or bool(SYMBOL_OR_QUANTITY.fullmatch(stripped))
    return bool(SYMBOL_OR_QUANTITY.fullmatch(stripped)) and not stripped[0].isdigit()  # `$ u$`, but `$29 and $199`
