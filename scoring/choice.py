"""Which option a reply names: letters and digits in eleven scripts, anchored on answer cues; the last cue wins.

`extract_choice` tries, in this order, and takes the last match of the first kind that has any:
1. a reply that is one label;
2. an answer cue or a box followed by one label, or a label that is called correct ("B is the answer");
3. labelled lines ("B) photosynthesis") that all carry one label, or a bare label as the last line;
4. an option cue followed by a label ("Option B: 2 m"): all cues with one label, or the last line's;
5. a concluding word followed by a capital label that ends its clause ("I think B.").
Prose capitals, articles, symbols and words that begin with a label say nothing. Rules: docs/scoring-rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from scoring.errors import ParseError
from scoring.extract import Found, hide_thinking
from scoring.option_labels import LabelReader, any_of
from scoring.reference import Option
from scoring.scripts import ANSWER_WORDS, COPULAS, CORRECT_WORDS, INDIC, NEGATIONS, OPTION_WORDS, SO_WORDS

NOT_FOUND = Found(None, None)


def extract_choice(reply: str, options: Sequence[Option]) -> Found:
    """The label of the one option that `reply` names, with its offsets; None where it names none or several."""
    texts = tuple(option.text.strip() for option in options)
    if not any(text.isdecimal() for text in texts):  # only texts that are numbers change how a digit is read
        texts = ()
    return _read(hide_thinking(reply), _reader(tuple(option.label for option in options), texts))


def read_choices(text: str, labels: Sequence[str] = ()) -> frozenset[str] | None:
    """The set of labels that a short answer lists (`A, D`, `AD`, `(A) and (D)`); None where it is no such list."""
    reader = _reader(tuple(labels) or tuple("ABCDEFGH"), ())
    if re.fullmatch(r"[\W_]*[A-Z]{2,8}[\W_]*", text):
        letters = [reader.label_by_token.get(letter) for letter in text if letter.isalpha()]
        return frozenset(x for x in letters if x) if None not in letters and len(set(letters)) == len(letters) else None
    if listed := _read_list(text, reader):
        return listed
    one = _read(text, reader).answer
    return None if one is None else frozenset({one})


_HEAD = re.compile(r'(?:^\s*|"\s*,\s*)([A-Za-z])\s*[:：]\s*"')
_TAIL = re.compile(r'"\s*[,;]?\s*\Z')


def parse_option_string(raw: str) -> tuple[Option, ...]:
    """The options of a PhyX record, `A:"..",B:".."`: values may hold commas, quotes and end in a backslash.

    Labels come out as capitals, values as they stand. ParseError where the text is not of this form.
    """
    heads: list[re.Match[str]] = []
    for head in _HEAD.finditer(raw):
        if not heads or head[1].upper() > heads[-1][1].upper():
            heads.append(head)
    tail = _TAIL.search(raw, heads[-1].end()) if heads else None
    if tail is None:
        raise ParseError(f'options: expected A:"..",B:"..", found {raw[:60]!r}')
    ends = [head.start() for head in heads[1:]] + [tail.start()]
    return tuple(Option(head[1].upper(), raw[head.end() : end].strip()) for head, end in zip(heads, ends))


@lru_cache(maxsize=512)
def _reader(labels: tuple[str, ...], texts: tuple[str, ...]) -> LabelReader:
    return LabelReader.of(labels, texts)


# What may stand between a cue and its label. Every repetition is bounded: a reply of nothing but cues stays linear.
_FILLER = (
    r"is|are|was|be|would|should|will|must|thus|clearly|definitely|most|likely|probably|indeed|the|letter|options?|choice"
    r"|answer|correct|right|best|number|no|that|final|my|i|think|believe|choose|chose|pick|select|it|simply|just"
    r"|statement|as|to|go|with|single|one"
)
_FILL = re.compile(
    r"""(?:\s++|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00]|<(?:b|i|u|em|strong)>(?=\S)|[:：=\-–—→>*_"'“”‘’`「『《〈<(\[{（【［$~]|\\{1,2}(?:boxed|fbox|text(?:bf|it|rm)?|math(?:rm|bf|sf|it))\s?\{"""
    rf"|\\[(\[,;! ]|(?i:{_FILLER})(?![A-Za-z'’])"
    rf"|(?:{any_of([*OPTION_WORDS, *CORRECT_WORDS, *COPULAS, *ANSWER_WORDS])})(?![{INDIC}])){{0,24}}+"
)
_QUOTE = re.compile(
    r"""(?:\s++|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00(\[{（【［*_"'“”‘’`$#>\-–]|\\{1,2}(?:boxed|text(?:bf|it|rm)?|math(?:rm|bf))\s?\{|\\[(\[]){0,20}+"""
)
_CLOSE = r"""[)\]}>）】］"'”’*_`$]"""
_UNQUOTE = re.compile(
    rf"(?:\s++|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00.,:;!。，：；！।]|{_CLOSE}|\\[)\]]){{0,20}}+"
)

_ANSWER_CUE = re.compile(
    r"(?<![A-Za-z])(?:(?i:answers?|ans\.?|chosen|choose|chose|pick|select(?:ed)?|antwort|r[ée]ponse|respuesta|resposta"
    r"|risposta|ответ|(?:correct|right|best)\s{1,3}(?:option|choice|letter|one))(?![A-Za-z])"
    r"(?:(?i:[^.\n。:：]{0,60}?\s(?:is|be))(?=[\s:：]))?)"
    rf"|(?:{any_of(ANSWER_WORDS)})(?![项項])[{INDIC}]{{0,6}}"
    r"|(?P<box>\\{1,2}(?:boxed|fbox|framebox)\s{0,3}\{)"
)
_OPTION_CUE = re.compile(
    rf"(?<![A-Za-z])(?i:options?|choices?|letter)(?![A-Za-z])|(?:{any_of(OPTION_WORDS)})[{INDIC}]{{0,4}}"
)
_SO_CUE = re.compile(
    r"(?<![A-Za-z])(?i:so|therefore|thus|hence|think|believe|guess|say|go\s{1,3}with|it's|it\s{1,3}is|must\s{1,3}be)"
    rf"(?![A-Za-z])|=>|⇒|→|∴|{any_of(SO_WORDS)}"
)
_CALLED_CORRECT = re.compile(
    rf"{_CLOSE}{{0,3}}(?:\s{{1,3}}(?i:(?:is|was)\s{{1,3}}(?:(?:the|clearly|definitely|most|likely|indeed|probably|only)\s{{1,3}}){{0,3}}"
    r"(?:answer\b|(?:correct|right|best)(?:\s{1,3}(?:answer|option|choice|one|letter))?"
    r"(?=\s{0,3}(?:$|[.,;!)*\n]|because|since|as\b))))"
    rf"|\s{{0,3}}是?\s{{0,3}}(?:{any_of(CORRECT_WORDS)})[{INDIC}]{{0,6}}(?!\s{{0,3}}(?:{any_of(NEGATIONS)})))",
)
_CALLED_WRONG = re.compile(
    rf"{_CLOSE}{{0,3}}\s{{0,3}}(?:(?i:(?:is|was|are|seems|(?:would|can(?:not)?|could)\s{{1,3}}be)\s{{1,3}}(?:not|in\w+|wrong|false|ruled)"
    rf"|isn['’]t|(?:incorrect|wrong|false)\b)|是?错|是?不|是?錯|(?:{any_of(CORRECT_WORDS)})\s{{1,3}}(?:{any_of(NEGATIONS)}))"
)
_JOINT = re.compile(
    rf"{_CLOSE}{{0,4}}\s{{0,3}}(?:[,，、/&|+]\s{{0,3}}(?:(?i:and|or)\b)?|(?i:and|or)\b|和|或|与|और|या|এবং|বা|অথবা|ਅਤੇ|ਜਾਂ|અને|અથવા)"
)
_JOINT_END = re.compile(rf"\s{{0,2}}(?:\Z|[\n.;:!?/&。，,]|{_CLOSE}|(?i:and|or)\b|和|或|या|और)")
_LINE_END = re.compile(
    rf"\s{{0,2}}{_CLOSE}{{0,3}}(?:[^\S\n]*+(?:\n|\Z)|[).:：、\]）】]|,?\s(?:because|since|as)\b|\s[-–—]\s)"
)
_STOP = re.compile(rf"\s?{_CLOSE}{{0,4}}(?:\s*+\Z|[.,;!?\n。，；！।])")


def _read(text: str, reader: LabelReader) -> Found:
    if bare := _read_bare(text, 0, len(text), reader):
        return bare
    return (
        _last_cued(text, reader, _ANSWER_CUE, called_correct=True)
        or _read_lines(text, reader)
        or _read_options(text, reader)
        or _last_cued(text, reader, _SO_CUE, conclusion=True)
        or NOT_FOUND
    )


def _read_bare(text: str, start: int, end: int, reader: LabelReader) -> Found | None:
    """text[start:end] as one label with nothing but quotes, brackets and punctuation around it."""
    at = _QUOTE.match(text, start, end).end()  # type: ignore[union-attr]  # matches the empty text too
    token = reader.token.match(text, at, end)
    if token is None or _UNQUOTE.match(text, token.end(), end).end() != end:  # type: ignore[union-attr]
        return None
    return Found(reader.label_by_token[token[0]], token.span())


_WINDOWS = (400, 20_000)


def _last_cued(
    text: str, reader: LabelReader, cue: re.Pattern[str], *, called_correct: bool = False, conclusion: bool = False
) -> Found | None:
    """The label after the last cue that has one; NOT_FOUND where that cue names several.

    The end of the text is searched first: most answers stand there, and most of them alone on the last line.
    """
    last_line = text.rfind("\n", 0, len(text.rstrip())) + 1
    for start in (last_line, *(max(0, len(text) - window) for window in _WINDOWS), 0):
        cues = list(cue.finditer(text, start))
        found = next((f for c in reversed(cues) if (f := _read_after(text, c, reader, conclusion)) is not None), None)
        if called_correct and not (found and found.span and _ends_with(text, found.span[1])):
            praised = _last_called_correct(text, reader, start)
            found = max((f for f in (found, praised) if f), key=lambda f: f.span or (0, 0), default=None)
        if found is not None or start == 0:
            return found if found is None or found.answer is not None else NOT_FOUND
    return None


def _ends_with(text: str, end: int) -> bool:
    """Whether nothing but punctuation follows."""
    return _UNQUOTE.match(text, end).end() == len(text)  # type: ignore[union-attr]


def _read_after(text: str, cue: re.Match[str], reader: LabelReader, conclusion: bool) -> Found | None:
    """The label that follows a cue; an answer of None (with its offset) where several follow."""
    at = _FILL.match(text, cue.end()).end()  # type: ignore[union-attr]
    token = reader.match_label(text, at)
    if token is None or _CALLED_WRONG.match(text, token.end()):
        return None
    if "box" in cue.re.groupindex and cue["box"] and not _UNQUOTE_BOX.match(text, token.end()):
        return None
    if conclusion and not (reader.is_capital(token[0]) and _STOP.match(text, token.end())):
        return None
    several = _names_another(text, token, reader)
    return Found(None if several else reader.label_by_token[token[0]], token.span())


_UNQUOTE_BOX = re.compile(r"\s{0,3}[.,:;)\]}$*]")


def _names_another(text: str, token: re.Match[str], reader: LabelReader) -> bool:
    joint = _JOINT.match(text, token.end())
    if joint is None:
        return False
    other = reader.token.match(text, _QUOTE.match(text, joint.end()).end())  # type: ignore[union-attr]
    return (
        other is not None
        and reader.label_by_token[other[0]] != reader.label_by_token[token[0]]
        and reader.is_capital(other[0]) >= reader.is_capital(token[0])
        and _JOINT_END.match(text, other.end()) is not None
    )


def _last_called_correct(text: str, reader: LabelReader, start: int) -> Found | None:
    found: Found | None = None
    for phrase in _CALLED_CORRECT.finditer(text, start):
        token = reader.token_before(text, phrase.start())
        if token is not None:
            found = Found(reader.label_by_token[text[token[0] : token[1]]], token)
    return found


def _read_lines(text: str, reader: LabelReader) -> Found | None:
    """The one label that all labelled lines carry, or a bare label as the last line."""
    found: dict[str, Found] = {}
    for line in _LINE_START.finditer(text):
        token = reader.token.match(text, line.end())
        if token is not None and _LINE_END.match(text, token.end()):
            label = reader.label_by_token[token[0]]
            found[label] = Found(label, token.span())
    if len(found) == 1:
        return next(iter(found.values()))
    end = len(text.rstrip())
    return _read_bare(text, text.rfind("\n", 0, end) + 1, end, reader) if found else None


_LINE_START = re.compile(rf"^{_QUOTE.pattern}", re.MULTILINE)


def _read_options(text: str, reader: LabelReader) -> Found | None:
    """The one label that stands behind option cues; of several, the one that the last line names alone."""
    found: list[Found] = []
    for cue in _OPTION_CUE.finditer(text):
        label = _read_after(text, cue, reader, conclusion=False)
        if label is not None and label.span and "\n" not in text[cue.end() : label.span[0]]:
            found.append(label)
    if len({label.answer for label in found}) > 1:
        last_line = text.rfind("\n", 0, len(text.rstrip())) + 1
        found = [label for label in found if label.span and label.span[0] >= last_line]
    if not found:
        return None
    return found[-1] if len({label.answer for label in found}) == 1 and found[-1].answer else NOT_FOUND


def _read_list(text: str, reader: LabelReader) -> frozenset[str] | None:
    """Two labels or more with separators between them and nothing else."""
    labels: list[str] = []
    at = 0
    while True:
        token = reader.token.match(text, _QUOTE.match(text, at).end())  # type: ignore[union-attr]
        if token is None:
            return None
        labels.append(reader.label_by_token[token[0]])
        if len(labels) > len(reader.label_by_token):
            return None
        end = _UNQUOTE.match(text, token.end()).end()  # type: ignore[union-attr]
        if end == len(text):
            return frozenset(labels) if len(labels) == len(set(labels)) > 1 else None
        joint = _JOINT.match(text, token.end()) or _SPACE.match(text, token.end())
        if joint is None:
            return None
        at = joint.end()


_SPACE = re.compile(rf"{_CLOSE}{{0,4}}[;；\s]\s{{0,3}}(?:(?i:and)\b)?")
