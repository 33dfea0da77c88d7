"""A judge's reply to a verdict: the last complete JSON object that is the judge's own, checked by schema.

Nothing is guessed and nothing clamped: whatever is not a valid verdict raises VerdictError with its kind, one of
empty, http_error, prose, truncated, quoted, missing_key, duplicate_key, bad_type, not_a_number, out_of_range,
missing_index, unknown_index, duplicate_index.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.errors import VerdictError
from scoring.judge_json import DUPLICATE_KEYS, FoundObject, find_objects
from scoring.judge_prompts import Purpose

Json = Mapping[str, Any]

PROCESS_KEYS = ("answer_accuracy_score", "physical_reasoning_score", "math_derivation_score", "completeness_score")
ERROR_CLASSES = ("perception", "semantic", "symbolic", "none")
WINNERS = ("a", "b", "tie")


@dataclass(frozen=True, slots=True)
class Award:
    """Points for one criterion (its index in the scheme; 0 in a call for one), with the judge's quote and reason."""

    index: int
    awarded: float
    evidence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge decided; only the fields of its purpose are filled.

    awards: CRITERION one, SCHEME all in order. is_correct: ANSWER, VERDICT. winner: `a`, `b`, `tie`.
    subscores: PROCESS, 0-100 each, `overall_score` among them (by the official weights where the judge gave none).
    is_repaired: the JSON, or a value in it, needed a repair.
    """

    purpose: Purpose
    awards: tuple[Award, ...] = ()
    is_correct: bool | None = None
    winner: str = ""
    error_class: str = ""
    subscores: Mapping[str, float] = field(default_factory=dict)
    evidence: str = ""
    reason: str = ""
    is_repaired: bool = False


def parse_verdict(
    purpose: Purpose, text: str | None, *, candidate: str | Sequence[str] = "", max_points: Sequence[float] = ()
) -> Verdict:
    """The verdict in a judge's reply. Raises VerdictError with a kind.

    candidate: the text (or texts) that was judged; an object standing in it is a quotation and no verdict.
    max_points: the criteria's maxima in order; exactly one for CRITERION.
    """
    candidates = [candidate] if isinstance(candidate, str) else list(candidate)
    found = _pick_own(_KEY[purpose], text or "", candidates)
    verdict = _READERS[purpose](purpose, found.value, max_points)
    return replace(verdict, is_repaired=True) if found.is_repaired else verdict


_HTTP_ERROR = re.compile(
    r"^\W*(?:(?:HTTP|API)?\s*(?:error|status)(?:\s+code)?\W{0,3}\s*[45]\d\d\b|HTTP(?:/[\d.]+)?\s+[45]\d\d\b"
    r"|[45]\d\d\s+[A-Z]|<!DOCTYPE html|<html"
    r"|(?:rate limit|too many requests|internal server error|bad gateway|service unavailable|upstream))",
    re.IGNORECASE,
)
_LEADING_THOUGHT = re.compile(r"\s*<think(?:ing)?>(?:(?!</think).)*+(</think(?:ing)?>)?", re.DOTALL | re.IGNORECASE)


def _pick_own(key: str, text: str, candidates: Sequence[str]) -> FoundObject:
    thought = _LEADING_THOUGHT.match(text)
    text = text[thought.end() :] if thought else text
    if not text.strip():
        raise VerdictError("truncated" if thought else "empty", "the judge's reply is empty")
    objects, is_cut = find_objects(text)
    own = [found for found in objects if not _is_quoted(found, candidates)]
    holding = [found for found in own if key in found.value]
    if holding:
        return holding[-1]
    if _HTTP_ERROR.match(text) or any("error" in found.value for found in own):
        raise VerdictError("http_error", f"an error text instead of a verdict: {text.strip()[:120]!r}")
    if is_cut:
        raise VerdictError("truncated", "the judge's JSON object is not complete")
    if own:
        raise VerdictError("missing_key", f"the judge's JSON object has no {key!r}")
    if objects:
        raise VerdictError("quoted", "the only JSON objects are quotations from the candidate's text")
    raise VerdictError("prose", f"no JSON object in the judge's reply: {text.strip()[-120:]!r}")


def _is_quoted(found: FoundObject, candidates: Sequence[str]) -> bool:
    if not found.value:
        return False
    squeezed = _squeeze(found.raw)
    return any(
        "{" in text
        and (squeezed in _squeeze(text) or any(found.value == other.value for other in find_objects(text)[0]))
        for text in candidates
    )


_QUOTING = re.compile(r"[\s\\`>\u200b-\u200d\u2060\ufeff]+")  # what a quotation adds or loses


def _squeeze(text: str) -> str:
    return _QUOTING.sub("", text).lower()


def _check_unique(found: Json, *keys: str) -> None:
    for key in keys:
        if key in found.get(DUPLICATE_KEYS, ()):
            raise VerdictError("duplicate_key", f"{key!r} stands twice in the judge's JSON object")


_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20})\s*")


def _read_number(found: Json, key: str, maximum: float, where: str = "") -> tuple[float, bool]:
    """The number under `key` in [0, maximum], and whether it stood as text."""
    _check_unique(found, key)
    if key not in found:
        raise VerdictError("missing_key", f"{key!r} is missing{where}")
    value = found[key]
    is_text = isinstance(value, str)
    if is_text and _NUMBER.fullmatch(value):
        value = float(value)
    elif is_text and re.fullmatch(r"\s*[+-]?(?:nan|inf(?:inity)?)\s*", value, re.IGNORECASE):
        raise VerdictError("not_a_number", f"{key!r} is {value!r}, no number{where}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise VerdictError("bad_type", f"{key!r} is {str(value)[:60]!r}, no number{where}")
    if isinstance(value, float) and not math.isfinite(value):
        raise VerdictError("not_a_number", f"{key!r} is {value!r}, no number{where}")
    if not 0 <= value <= maximum:
        raise VerdictError("out_of_range", f"{key!r} is {str(value)[:30]}, outside 0..{maximum:g}{where}")
    return abs(float(value)), is_text  # abs: -0.0 is 0


def _read_bool(found: Json, key: str) -> tuple[bool, bool]:
    _check_unique(found, key)
    value = found[key]
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true", True
    if not isinstance(value, bool):
        raise VerdictError("bad_type", f"{key!r} is {str(value)[:60]!r}, neither true nor false")
    return value, False


def _read_word(found: Json, key: str, allowed: Sequence[str]) -> str:
    _check_unique(found, key)
    word = str(found[key]).strip().lower()
    if word not in allowed:
        raise VerdictError("out_of_range", f"{key!r} is {word[:60]!r}, none of {', '.join(allowed)}")
    return word


# A judge that forgets to double the backslash of `\frac` has written a form feed; no judge means one.
_LOST_BACKSLASH = {"\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t"}


def _read_text(found: Json, key: str) -> str:
    value = found.get(key)
    text = value if isinstance(value, str) else "" if value is None else str(value)
    return re.sub(r"[\b\f\r\t](?=[a-zA-Z])", lambda m: _LOST_BACKSLASH[m[0]], text).replace("\0", "\ufffd")[:20_000]


def _read_criterion(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    if len(max_points) != 1:
        raise ValueError("one maximum is needed for one criterion")
    awarded, is_repaired = _read_number(found, "awarded", max_points[0])
    award = Award(0, awarded, _read_text(found, "evidence"), _read_text(found, "reason"))
    return Verdict(purpose, awards=(award,), evidence=award.evidence, reason=award.reason, is_repaired=is_repaired)


def _read_scheme(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    _check_unique(found, "criteria")
    listed = found["criteria"]
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise VerdictError("bad_type", "'criteria' is no list of objects")
    awards: dict[int, Award] = {}
    is_repaired = False
    for item in listed:
        index = _read_index(item, len(max_points))
        if index in awards:
            raise VerdictError("duplicate_index", f"criterion {index} stands twice")
        awarded, was_text = _read_number(item, "awarded", max_points[index], f" (criterion {index})")
        is_repaired |= was_text
        awards[index] = Award(index, awarded, _read_text(item, "evidence"), _read_text(item, "reason"))
    missing = [str(i) for i in range(len(max_points)) if i not in awards]
    if missing:
        raise VerdictError("missing_index", f"no verdict for criterion {', '.join(missing)}")
    return Verdict(purpose, awards=tuple(awards[i] for i in sorted(awards)), is_repaired=is_repaired)


def _read_index(item: Json, n: int) -> int:
    _check_unique(item, "index")
    index = item.get("index")
    if isinstance(index, str) and re.fullmatch(r"\s*[0-9]{1,4}\s*", index):
        index = int(index)
    if isinstance(index, float) and index.is_integer():
        index = int(index)
    if isinstance(index, bool) or not isinstance(index, int):
        raise VerdictError("missing_index", f"an item of 'criteria' has the index {str(index)[:30]!r}")
    if not 0 <= index < n:
        raise VerdictError("unknown_index", f"there is no criterion {str(index)[:30]} among {n}")
    return index


def _read_correct(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    is_correct, is_repaired = _read_bool(found, _KEY[purpose])
    return Verdict(purpose, is_correct=is_correct, reason=_read_text(found, "reason"), is_repaired=is_repaired)


_PROCESS_WEIGHTS = dict(zip(PROCESS_KEYS, (0.5, 0.25, 0.15, 0.1)))


def _read_process(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    scores = {key: _read_number(found, key, 100)[0] for key in PROCESS_KEYS}
    weighted = sum(scores[key] * weight for key, weight in _PROCESS_WEIGHTS.items())
    overall = _read_number(found, "overall_score", 100)[0] if "overall_score" in found else round(weighted, 6)
    return Verdict(purpose, subscores={**scores, "overall_score": overall}, reason=_read_text(found, "commentary"))


def _read_error_class(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    word = _read_word(found, "error_class", ERROR_CLASSES)
    return Verdict(
        purpose, error_class=word, evidence=_read_text(found, "evidence"), reason=_read_text(found, "reason")
    )


def _read_winner(purpose: Purpose, found: Json, max_points: Sequence[float]) -> Verdict:
    return Verdict(purpose, winner=_read_word(found, "winner", WINNERS), reason=_read_text(found, "reason"))


_KEY = {
    Purpose.CRITERION: "awarded",
    Purpose.SCHEME: "criteria",
    Purpose.ANSWER: "correct",
    Purpose.VERDICT: "verdict",
    Purpose.PROCESS: PROCESS_KEYS[0],
    Purpose.ERROR_CLASS: "error_class",
    Purpose.WINNER: "winner",
}
_READERS: dict[Purpose, Callable[[Purpose, Json, Sequence[float]], Verdict]] = {
    Purpose.CRITERION: _read_criterion,
    Purpose.SCHEME: _read_scheme,
    Purpose.ANSWER: _read_correct,
    Purpose.VERDICT: _read_correct,
    Purpose.PROCESS: _read_process,
    Purpose.ERROR_CLASS: _read_error_class,
    Purpose.WINNER: _read_winner,
}
