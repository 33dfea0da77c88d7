"""Posted reviews as the services want them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, QueryDict, RawPostDataException
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Benchmark, DatasetRevision, Policy
from arena.services.review_claims import QueueFilter
from arena.services.review_desk import Decision, Verdict
from arena.services.review_policies import QueueRequest
from arena.services.texts import clean_text

_PREFIXES = ("points-", "other-", "reason-", "evidence-")
_FIELDS = frozenset({"verdict", "reason", "error_class", "wrong_step", "erratum", "seconds"})
_MAX_FIELD = 20_000


def read_filter(query: Mapping[str, str]) -> QueueFilter:
    return QueueFilter(**{name: query.get(name, "")[:200] for name in ("benchmark", "policy", "subset", "judge")})


def read_fields(post: Mapping[str, Any]) -> dict[str, str]:
    """The form's own fields as typed, to be kept as a draft or shown again."""
    return {
        clean_text(name): clean_text(str(value)[:_MAX_FIELD])
        for name, value in post.items()
        if name in _FIELDS or str(name).startswith(_PREFIXES)
    }


def read_decisions(fields: Mapping[str, str]) -> dict[str, Decision]:
    """Part key -> what was typed for it; a free number goes before a chosen one."""
    keys = {name.partition("-")[2] for name in fields if name.startswith(_PREFIXES)}
    found = {}
    for key in keys:
        points = fields.get(f"other-{key}", "").strip() or fields.get(f"points-{key}", "").strip()
        decision = Decision(points, fields.get(f"reason-{key}", ""), fields.get(f"evidence-{key}", ""))
        if points or decision.reason.strip() or decision.evidence.strip():
            found[key] = decision
    return found


def read_verdict(fields: Mapping[str, str]) -> Verdict:
    seconds = fields.get("seconds", "")
    return Verdict(
        decisions=read_decisions(fields),
        verdict=fields.get("verdict", ""),
        reason=fields.get("reason", ""),
        error_class=fields.get("error_class", ""),
        wrong_step=fields.get("wrong_step", ""),
        erratum=fields.get("erratum", ""),
        seconds=int(seconds) if re.fullmatch("[0-9]{1,8}", seconds) else None,
    )


def read_draft(request: HttpRequest) -> tuple[dict[str, str], int]:
    """(fields, revised_ms) of a draft posted as JSON. Raises Refused."""
    try:
        body = json.loads(request.body)
        revised_ms = int(body["revised_ms"])
        fields = body["fields"]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, RawPostDataException):
        raise Refused("draft", _('must be JSON: {"revised_ms": number, "fields": {...}}')) from None
    if not isinstance(fields, dict) or not 0 <= revised_ms < 2**53:
        raise Refused("draft", _("fields must be an object, revised_ms a time in ms"))
    return read_fields(fields), revised_ms


def read_queue_request(post: QueryDict, near: Mapping[int, str]) -> QueueRequest:
    """What a maintainer wants queued. Raises Refused naming the field."""
    benchmark = Benchmark.objects.filter(slug=post.get("benchmark", "")).first()
    if benchmark is None:
        raise Refused("benchmark", _("choose one"))
    if post.get("policy") not in Policy.values:
        raise Refused("policy", _("choose one"))
    percent = _number(post, "percent", None)
    number = _number(post, "number", None)
    return QueueRequest(
        benchmark=benchmark,
        policy=Policy(post["policy"]),
        revision=_revision(benchmark, post.get("revision", "")),
        subset=post.get("subset", ""),
        needed=int(_number(post, "needed", 2) or 0),
        threshold=(_number(post, "threshold", 0) or 0) / 100,
        share=None if percent is None else percent / 100,
        number=None if number is None else int(number),
        seed=int(_number(post, "seed", 0) or 0),
        limit=int(_number(post, "limit", 200) or 0),
        near=near,
    )


def _revision(benchmark: Benchmark, label: str) -> DatasetRevision | None:
    """The data of that label, or the current ones where none is named."""
    if not label:
        return benchmark.current_revision
    found = benchmark.revisions.filter(label=label).first()
    if found is None:
        raise Refused("revision", _("%(benchmark)s has none of that name") % {"benchmark": benchmark.title})
    return found


def _number(post: Mapping[str, str], name: str, default: float | None) -> float | None:
    text = post.get(name, "").strip()
    if not text:
        return default
    try:
        number = float(text)
    except ValueError:
        raise Refused(name, _("%(text)s is no number") % {"text": repr(text[:40])}) from None
    if not 0 <= number < 1e9:
        raise Refused(name, _("must not be negative or huge"))
    return number
