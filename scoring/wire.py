"""Requests and responses of `python -m scoring` as JSON values: checked here, shaped here (CONTRACT, one place).

`respond` answers one request in this process and without a bound on time; scoring.bounds adds the bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from scoring.errors import DeadlineExceeded, ParseError
from scoring.points import add_points
from scoring.records import read_record
from scoring.reference import Answer, Criterion, Option, Reference
from scoring.registry import POLICIES, SCORERS, find_scorer
from scoring.rubric import read_schemes, score_awards
from scoring.sample import Sample
from scoring.score import Part, Score, Status

Request = Mapping[str, Any]
Response = dict[str, Any]


def respond(request: Request) -> Response:
    """The response to one request. Never raises: a bad request or a fault of ours is `{"status": "error", ...}`."""
    try:
        response = _answer(request)
    except ParseError as error:
        response = error_response(str(error))
    except DeadlineExceeded as error:
        response = timeout_response(request, str(error))
    except RecursionError:
        response = timeout_response(request, "nested too deeply to be read")
    except MemoryError:
        raise
    except Exception as error:  # the last edge: a fault in our code is an outcome with a reason, never a number
        response = error_response(f"internal error: {type(error).__name__}: {str(error)[:200]}")
    return with_id(request, response)


def with_id(request: Any, response: Response) -> Response:
    if isinstance(request, Mapping) and "id" in request:
        return {"id": request["id"], **response}
    return response


def error_response(explanation: str) -> Response:
    return {"status": Status.ERROR.value, "points": None, "explanation": explanation}


def timeout_response(request: Request, explanation: str) -> Response:
    """The outcome of a request whose bound was passed: 0 points, in the shape of its scorer."""
    if request.get("scorer") == "eed":
        trees: Response = (
            {} if request.get("trees") is False else {"edits": [], "target_tree": None, "answer_tree": None}
        )
        return {**_EED_WITHOUT_TREE, **trees, "flags": [], "explanation": explanation}
    if request.get("scorer") == "value":
        return score_as_json(Score(0.0, 1.0, Status.TIMEOUT, explanation=explanation))
    try:
        max_points = read_reference(request).max_points
    except ParseError as error:
        return error_response(str(error))
    return score_as_json(Score(0.0, max_points, Status.TIMEOUT, explanation=explanation))


_EED_WITHOUT_TREE: Response = {
    "points": 0.0,
    "status": Status.TIMEOUT.value,
    "equivalent": False,
    "distance": None,
    "size": None,
    "relative_distance": None,
}


def count_answers(request: Request) -> int:
    """Reference answers of a benchmark's request; 1 for a single comparison."""
    if request.get("scorer") in ("eed", "value"):
        return 1
    try:
        return len(read_reference(request).answers)
    except ParseError:
        return 1


def merge_parts(responses: Sequence[Response | None], timeout: Response) -> Response:
    """One response from those made for each answer alone (`only`); None is an answer that overran its bound."""
    known = next((r for r in responses if r is not None and r.get("parts")), None)
    if known is None:
        return timeout
    parts = [
        {**known["parts"][i], "explanation": timeout["explanation"]}
        if r is None or not r.get("parts")
        else r["parts"][i]
        for i, r in enumerate(responses)
    ]
    awarded = [part["points"] for part in parts]
    is_unscorable = any(p is None and part["max_points"] for p, part in zip(awarded, parts))
    return {
        **known,
        "points": None if is_unscorable else round(add_points(p or 0.0 for p in awarded), 9),
        "status": (Status.UNSCORABLE if is_unscorable else Status.SCORED).value,
        "matched_by": "rule" if any(part["matched_by"] for part in parts) else "",
        "flags": list(dict.fromkeys(flag for r in responses if r is not None for flag in r.get("flags", ()))),
        "explanation": f"{sum(bool(part['matched_by']) for part in parts)} of {len(parts)} answers are right",
        "parts": parts,
    }


def is_cheap(request: Any) -> bool:
    """Linear in its text and without algebra: may be answered in any process, without a bound."""
    name = request.get("scorer") if isinstance(request, Mapping) else None
    if not isinstance(name, str):
        return True  # an error, found at once
    if name in ("eed", "value"):
        return False
    return name not in SCORERS or SCORERS[name].is_cheap


def _answer(request: Request) -> Response:
    if not isinstance(request, Mapping):
        raise ParseError(f"an object is expected, got {type(request).__name__}")
    name = _text(request, "scorer")
    if name == "eed":
        return _answer_eed(request)
    if name == "value":
        return _answer_value(request)
    if name == "rubric":
        return _answer_rubric(request)
    scorer = find_scorer(name)
    return score_as_json(scorer.load()(read_reference(request), read_sample(request, scorer.policy)))


def _answer_eed(request: Request) -> Response:
    from scoring.eed import score_eed  # sympy comes with it

    policy = _policy(request, "corrected")
    if policy == "rule":
        raise ParseError("policy: eed knows corrected and official")
    trees = _flag(request, "trees")
    target, answer = _text(request, "target"), _text(request, "answer", default="")
    return score_eed(target, answer, policy=policy, trees=trees).as_json(trees)


VALUE_KINDS = (
    "auto", "numeric", "expression", "equation", "inequality", "interval", "list", "set", "choice", "yes_no", "open"
)  # fmt: skip


def _answer_value(request: Request) -> Response:
    from scoring.answer_level import score_value

    kind = _text(request, "kind", default="auto")
    if kind not in VALUE_KINDS:
        raise ParseError(f"kind: {kind!r} is none of {', '.join(VALUE_KINDS)}")
    labels = request.get("labels") or ()
    if isinstance(labels, str) or not isinstance(labels, Sequence) or not all(isinstance(l, str) for l in labels):
        raise ParseError("labels: a list of texts is expected")
    answer = Answer(_text(request, "target"), kind, _text(request, "unit", default=""), 1.0, _tolerance(request))
    return score_as_json(score_value(answer, _text(request, "answer", default=""), tuple(labels)))


def _answer_rubric(request: Request) -> Response:
    schemes = read_schemes(request.get("marking"))
    if not schemes:
        raise ParseError("marking: a list of criteria, or of alternative schemes, is expected")
    awarded = request.get("awarded")
    if awarded is None:
        criteria = [[c.max_points for c in scheme] for scheme in schemes]
        return {"criteria": criteria, "max_points": score_awards(schemes, criteria).max_points}
    score = score_awards(schemes, _nested(awarded))
    return {
        "points": score.points,
        "max_points": score.max_points,
        "scheme": score.scheme,
        "schemes": [asdict(scheme) for scheme in score.schemes],
        "status": score.status.value,
    }


def _nested(awarded: Any) -> list[list[float | None]]:
    """Awards by scheme; a flat list is one scheme."""
    if not isinstance(awarded, list):
        raise ParseError("awarded: a list of numbers and nulls for each scheme is expected")
    nested = [awarded] if awarded and not any(isinstance(item, list) for item in awarded) else awarded
    if not all(isinstance(scheme, list) for scheme in nested):
        raise ParseError("awarded: a list of numbers and nulls for each scheme is expected")
    return nested


def read_reference(request: Request) -> Reference:
    """The reference side: from `record` (the official one) or from `reference` (this package's own shape)."""
    if "reference" in request:
        return reference_from_json(request["reference"])
    if "record" not in request:
        raise ParseError("record: the official record is missing")
    return read_record(find_scorer(_text(request, "scorer")).benchmark, request["record"])


def reference_from_json(value: Any) -> Reference:
    """Raises ParseError naming the field."""
    try:
        return Reference(
            tuple(_read_answer(answer) for answer in value.get("answers", ())),
            tuple(Option(**option) for option in value.get("options", ())),
            tuple(
                tuple(Criterion(str(c["text"]), float(c["max_points"])) for c in scheme)
                for scheme in value.get("schemes", ())
            ),
            float(value.get("max_points", 1.0)),
        )
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        raise ParseError(f"reference: {error}") from None


def _read_answer(value: Any) -> Answer:
    answer = Answer(**value)
    tolerance = None if answer.tolerance is None else float(answer.tolerance)
    return replace(answer, unit=answer.unit or "", points=float(answer.points), tolerance=tolerance)


def reference_as_json(reference: Reference) -> dict[str, Any]:
    """What `reference_from_json` reads; the arena sends it with a request."""
    return asdict(reference)


def read_sample(request: Request, default_policy: str) -> Sample:
    only = request.get("only")
    if only is not None and (isinstance(only, bool) or not isinstance(only, int)):
        raise ParseError("only: the index of one answer is expected")
    if "reply" not in request:
        raise ParseError("reply: the text to score is missing")
    return Sample(
        reply=_text(request, "reply", default=""),
        finish_reason=_text(request, "finish_reason", default=""),
        reasoning=_text(request, "reasoning", default=""),
        policy=_policy(request, default_policy),
        trees=_flag(request, "trees"),
        only=only,
    )


def score_as_json(score: Score) -> Response:
    response = {
        "points": score.points,
        "max_points": score.max_points,
        "status": score.status.value,
        "answer": score.answer,
        "matched_by": score.matched_by,
        "flags": list(score.flags),
        "explanation": score.explanation,
        "parts": [_part_as_json(part) for part in score.parts],
    }
    return {**response, "details": dict(score.details)} if score.details else response


def _part_as_json(part: Part) -> dict[str, Any]:
    return {  # by hand: dataclasses.asdict takes as long as finding an option letter
        "points": part.points,
        "max_points": part.max_points,
        "status": part.status.value,
        "answer": part.answer,
        "target": part.target,
        "matched_by": part.matched_by,
        "flags": list(part.flags),
        "explanation": part.explanation,
    }


def _text(request: Request, name: str, default: str | None = None) -> str:
    """A text; null and absent mean the default, where there is one."""
    value = request.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise ParseError(f"{name}: a text is expected, got {'nothing' if value is None else type(value).__name__}")
    return value


def _flag(request: Request, name: str) -> bool:
    value = request.get(name, True)
    if not isinstance(value, bool):
        raise ParseError(f"{name}: true or false is expected")
    return value


def _policy(request: Request, default: str) -> str:
    policy = _text(request, "policy", default=default)
    policy = {"official-rule": "rule", "units": "corrected"}.get(policy, policy)
    if policy not in POLICIES:
        raise ParseError(f"policy: {policy!r} is none of {', '.join(POLICIES)}")
    return policy


def _tolerance(request: Request) -> float | None:
    value = request.get("tolerance")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1):
        raise ParseError(f"tolerance: a number from 0 to 1 is expected, got {value!r}")
    return value
