"""Whether an endpoint can be used at all: when a person asks, and before each start that they do not insist on."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.conf import settings
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.llm import check
from arena.llm.call import KeyRefused, Target
from arena.llm.check import EndpointReport
from arena.models import Run, User
from arena.security import url_guard
from arena.services.runs import Credentials, RunRequest
from arena.services.throttling import site_throttle

CHECKS_PER_HOUR = 60
PASSING = frozenset({"rate_limited"})  # address and key are fine, and a run waits by itself
KEY_CAUSES = frozenset({"unauthorized", "forbidden", "invalid_key"})


def check_endpoint(user: User, base_url: str, api_model: str, api_key: str) -> EndpointReport:
    """Ask an endpoint whether it works; nothing is stored. Raises Refused where this person asks too often."""
    allowed = site_throttle().allow(f"check:{user.pk}", CHECKS_PER_HOUR, 3600)
    if not allowed:
        raise Refused("", _("too many checks: try again in %(n)d s") % {"n": round(allowed.retry_after_s)})
    try:
        allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
        return async_to_sync(check.check_endpoint)(Target(base_url, api_model, api_key), allowlist)
    except KeyRefused as error:
        return EndpointReport(False, "invalid_key", str(error))
    except url_guard.UrlRefused as error:
        return EndpointReport(False, "invalid_url", str(error))


def check_before_start(request: RunRequest, credentials: Credentials, user: User) -> None:
    """One tiny call to the model and to each own judge. Raises Refused naming the field that is to blame."""
    _require_answer(user, "", request.base_url, request.api_model or request.model, credentials.api_key)
    for judge in request.judges:
        url = request.judge_base_url or request.base_url
        _require_answer(user, "judge-", url, judge.model, credentials.judge_api_key)


def check_before_retry(run: Run, credentials: Credentials, user: User) -> None:
    """The same for a run that is taken up again. Raises Refused."""
    if run.endpoint is not None:
        _require_answer(user, "", run.endpoint.base_url, run.endpoint.api_model, credentials.api_key)
    if run.is_own_judge and run.judge_endpoint is not None:
        for judge in run.scorer.judges.all():
            _require_answer(user, "judge-", run.judge_endpoint.base_url, judge.model, credentials.judge_api_key)


def _require_answer(user: User, prefix: str, base_url: str, model: str, key: str) -> None:
    report = check_endpoint(user, base_url, model, key)
    if report.ok or report.cause in PASSING:
        return
    field = "base-url"
    if report.cause in KEY_CAUSES:
        field = "api-key"
    elif report.cause == "not_found" and report.models:
        field = "model" if prefix else "api-model"
    raise Refused(f"{prefix}{field}", report.message)
