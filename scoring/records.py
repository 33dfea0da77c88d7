"""Official record -> Reference: what each benchmark's own files say, with every irregularity seen in real data.

Used by `python -m scoring` and by the adapters, which add figures, prompts and ids. Every error is a ParseError that
names the field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from scoring.choice import parse_option_string
from scoring.errors import ParseError
from scoring.extract import find_boxes
from scoring.points import add_points
from scoring.reference import Answer, Option, Reference
from scoring.rubric import read_schemes

Record = Mapping[str, Any]

HIPHO_KINDS = {
    "expression": "expression",
    "numerical value": "numeric",
    "multiple choice": "choice",
    "equation": "equation",
    "inequality": "inequality",
    "open-ended": "open",
}
HIPHO_LABELS = ("A", "B", "C", "D", "E")  # the options stand in the question's text
DIGIT_LABELS = {str(n): letter for n, letter in enumerate("ABCDEFGHIJ", start=1)}


def read_record(benchmark: str, record: Record) -> Reference:
    """The reference side of one official record. benchmark: a name of READERS. Raises ParseError."""
    if not isinstance(record, Mapping):
        raise ParseError(f"record: an object is expected, got {type(record).__name__}")
    return READERS[benchmark](record)


def read_hipho(record: Record) -> Reference:
    """Parallel lists answer, answer_type, unit, points; `marking` absent, null, empty, flat or nested."""
    values = _texts(record, "answer")
    n = len(values)
    kinds = [_hipho_kind(name) for name in _texts(record, "answer_type", n)]
    points = _numbers(record, "points", n)
    units = _units(record, n)
    max_points = add_points(points)
    schemes = read_schemes(record.get("marking"), max_points)
    answers = tuple(Answer(close_box(v), k, u, p) for v, k, u, p in zip(values, kinds, units, points))
    options = tuple(Option(label, "") for label in HIPHO_LABELS) if "choice" in kinds else ()
    return Reference(answers, options, schemes, max_points)


def close_box(value: str) -> str:
    """The value with the brace that its box lacks (CPhO_2025_7_6)."""
    is_open = value.lstrip().startswith("\\boxed{") and not find_boxes(value)
    return value + "}" if is_open and find_boxes(value + "}") else value


def _hipho_kind(answer_type: str) -> str:
    kind = HIPHO_KINDS.get(" ".join(answer_type.lower().split()))
    if kind is None:
        raise ParseError(f"answer_type: {answer_type!r} is none of {', '.join(HIPHO_KINDS)}")
    return kind


def _units(record: Record, n: int) -> list[str]:
    """Ten records hold `[null]` for several answers: what is short is padded, what is too long is an error."""
    units = record.get("unit")
    units = [units] if isinstance(units, str) else [] if units is None else units
    if not _is_list(units) or not all(u is None or isinstance(u, str) for u in units):
        raise ParseError("unit: a list of texts or nulls is expected")
    if len(units) > n:
        raise ParseError(f"unit: {len(units)} units for {n} answers")
    return [(u or "").strip() for u in units] + [""] * (n - len(units))


def read_phyx(record: Record) -> Reference:
    """`answer` is a label of `options` (one string, a list or an object); where there are none, the value itself."""
    options = read_options(record.get("options"))
    answer = _text(record, "answer").strip()
    chosen = next((o for o in options if o.label == answer.strip("().: ").upper()), None)
    if options and chosen is None:
        chosen = next((o for o in options if o.text.strip() == answer), None)
    if options and chosen is None and answer:
        raise ParseError(f"answer: {answer!r} is none of the options {', '.join(o.label for o in options)}")
    return Reference((Answer(chosen.label if chosen else answer, "choice" if chosen else "auto"),), options)


def read_phyx_open(record: Record) -> Reference:
    """The same record asked openly: the reference is the right option's text, trimmed."""
    reference = read_phyx(record)
    answer = reference.answers[0]
    value = next(
        (o.text for o in reference.options if o.label == answer.value and answer.kind == "choice"), answer.value
    )
    return Reference((Answer(value.strip(), "auto"),), reference.options)


def read_phyx_choice(record: Record) -> Reference:
    reference = read_phyx(record)
    if not reference.options:
        raise ParseError("options: a multiple-choice record needs its options")
    return reference


def read_options(raw: Any) -> tuple[Option, ...]:
    """Options from `A:"..",B:".."`, from {"A": ".."}, from {"text": [..], "label": [..]} or from a list of texts."""
    if not raw:
        return ()
    if isinstance(raw, str):
        return parse_option_string(raw)
    if isinstance(raw, Mapping) and _is_list(raw.get("text")):
        return _labelled(raw)
    if isinstance(raw, Mapping):
        found = {str(label).strip().upper(): str(text) for label, text in raw.items()}
    elif _is_list(raw):
        found = dict(zip("ABCDEFGHIJ", (str(text) for text in raw)))
    else:
        raise ParseError(f"options: a text is expected, got {type(raw).__name__}")
    return tuple(Option(label, text) for label, text in found.items())


def read_phybench(record: Record) -> Reference:
    """An absent, null or empty answer is a withheld one: the reference then has none (unscorable)."""
    answer = record.get("answer")
    if answer is not None and not isinstance(answer, str):
        raise ParseError(f"answer: a text is expected, got {type(answer).__name__}")
    answers = (Answer(answer, "expression", points=100.0),) if answer and answer.strip() else ()
    return Reference(answers, max_points=100.0)


def read_arc(record: Record) -> Reference:
    """Labels may be digits (1 is A); three to five options; the key is a label in either spelling."""
    choices = record.get("choices")
    if not isinstance(choices, Mapping):
        raise ParseError("choices: an object with `text` and `label` is expected")
    options = _labelled(choices)
    key = _text(record, "answerKey").strip().upper()
    key = DIGIT_LABELS.get(key, key)
    if key and key not in {option.label for option in options}:
        raise ParseError(f"answerKey: {key!r} is none of the labels {', '.join(o.label for o in options)}")
    return Reference((Answer(key, "choice"),) if key else (), options)


def _labelled(choices: Record) -> tuple[Option, ...]:
    texts = _texts(choices, "text")
    labels = _texts(choices, "label", len(texts)) if choices.get("label") else list("ABCDEFGHIJ"[: len(texts)])
    labels = [label.strip().upper() for label in labels]
    if all(label in DIGIT_LABELS for label in labels):
        labels = [DIGIT_LABELS[label] for label in labels]
    if len(set(labels)) < len(labels):
        raise ParseError(f"choices: labels are not unique: {', '.join(labels)}")
    return tuple(Option(label, text) for label, text in zip(labels, texts))


def read_coin_flip(record: Record) -> Reference:
    """`answer` (or `target`) is yes or no in any case."""
    word = str(record.get("answer", record.get("target", ""))).strip().strip(".").lower()
    if word not in ("yes", "no"):
        raise ParseError(f"answer: yes or no is expected, got {word[:40]!r}")
    return Reference((Answer(word.upper(), "yes_no"),))


READERS: dict[str, Callable[[Record], Reference]] = {
    "hipho": read_hipho,
    "phyx_oe": read_phyx_open,
    "phyx_mc": read_phyx_choice,
    "phybench": read_phybench,
    "arc_indic": read_arc,
    "coin_flip": read_coin_flip,
}


def _is_list(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(value, list | tuple)


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise ParseError(f"{name}: a text is expected, got {'nothing' if value is None else type(value).__name__}")
    return str(value)


def _texts(record: Record, name: str, n: int | None = None) -> list[str]:
    """A list of texts; a bare text is a list of one, null inside is an empty text."""
    value = record.get(name)
    items = [value] if isinstance(value, str) else value
    if not _is_list(items) or not all(item is None or isinstance(item, str | int | float) for item in items):
        raise ParseError(f"{name}: a list of texts is expected, got {'nothing' if value is None else repr(value)[:60]}")
    if n is not None and len(items) != n:
        raise ParseError(f"{name}: {n} entries are expected, got {len(items)}")
    if n is None and not items:
        raise ParseError(f"{name}: the list is empty")
    return ["" if item is None else str(item) for item in items]


def _numbers(record: Record, name: str, n: int) -> list[float]:
    value = record.get(name)
    items = [value] if isinstance(value, int | float) else value
    if not _is_list(items) or len(items) != n:
        raise ParseError(f"{name}: {n} numbers are expected, got {repr(value)[:60]}")
    for item in items:
        if isinstance(item, bool) or not isinstance(item, int | float) or not math.isfinite(item) or item < 0:
            raise ParseError(f"{name}: {item!r} is no number of points")
    return [float(item) for item in items]
