"""No address of the site answers with an error of its own, whatever is put into it: every pattern of the resolver,
every parameter that its page looks at, every odd value; as a visitor and as a maintainer, read and posted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.test import Client
from django.urls import get_resolver

from arena.models import (
    AnswerScore,
    Battle,
    CriterionScore,
    Erratum,
    JudgeSeat,
    Policy,
    ReviewItem,
    Run,
    Submission,
    User,
)
from arena.services.errata import report_erratum
from arena.services.judge_admin import add_judge
from arena.services.review_claims import claim_next
from arena.services.review_policies import QueueRequest, build_queue
from arena.services.scorers import JudgeSpec
from tests.arena.battles.scenes import publish_run
from tests.arena.reviews.scenes import make_run
from tests.factories import make_cast

pytestmark = pytest.mark.django_db

ODD = (
    "",
    "\0",
    "a\0b",
    "\ufffd",
    "-1",
    "0",
    "²",  # isdigit() holds, int() does not
    "٣",
    "nan",
    "1e999",
    "9" * 30,
    "1,2",
    "2026-02-30",
    "9999999-01-01",
    "' OR 1=1 --",
    "../../etc/passwd",
    "%",
    '{"a": ["\\ud800"]}',
    "é" * 5000,
)
WORST = ("a\0b", "²", "9" * 30)  # each alone, where the others are what they should be
# The values that a database may refuse; the others were asked on the embedded one.
TOLD = (*WORST, *ODD[-2:]) if "DATABASE_URL" in os.environ else ODD
RAW_QUERIES = ("%00", "%ff=%fe", "a=%ED%A0%80", "=&=&&", "page=1&page=\xff", "x" * 9000)
DRAFT = b'{"fields": {"reason": "\\ud800\\u0000", "points-\\ud800": "1", "seconds": "\\u00b2"}, "revised_ms": 1e999}'
RAW_BODIES = (b"", b"\0", b"\xff\xfe", b"[]", b"null", DRAFT, DRAFT.replace(b"1e999", b"1"), b"{" * 5000)
KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b")
NOWHERE, LONG = "http://127.0.0.1:9/v1", "a long enough pass phrase"
LEFT_OUT = re.compile(r"^admin/")  # Django's own


class Noted(QueryDict):
    """Parameters that note which names were asked for."""

    names: set[str]

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.names.add(key)
        return super().__getitem__(key)

    def getlist(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().getlist(key, default)

    def dict(self) -> dict[str, Any]:
        return NotedDict(super().dict(), self.names)


class NotedDict(dict):  # type: ignore[type-arg]
    def __init__(self, values: dict[str, Any], names: set[str]) -> None:
        super().__init__(values)
        self.names = names

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().get(key, default)


ASKED: dict[str, set[str]] = {"GET": set(), "POST": set()}


def note_parameters(get_response: Any) -> Any:
    """Middleware: what the view behind it reads from the address and the form."""

    def serve(request: HttpRequest) -> HttpResponse:
        for name in ("GET", "POST"):
            noted = Noted(mutable=True)
            noted.names = ASKED[name]
            for key, values in getattr(request, name).lists():
                noted.setlist(key, values)
            setattr(request, name, noted)
        return get_response(request)  # type: ignore[no-any-return]

    return serve


@pytest.fixture
def cast(settings: Any) -> dict[str, User]:
    """The people of a site with everything that has an address of its own."""
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.note_parameters"]
    settings.SIGNUP = "open"
    cast = make_cast()
    run = make_run(owner=cast["submitter"])
    submission = Submission.objects.create(entrant=run.entrant, owner=cast["submitter"], visibility="published")
    Run.objects.filter(pk=run.pk).update(submission=submission)
    benchmark = run.revision.benchmark
    build_queue(QueueRequest(benchmark, Policy.RANDOM, share=1.0), cast["maintainer"])
    report_erratum(cast["reviewer"], run.replies.all()[0].problem, "The sign is wrong.")
    add_judge(benchmark, JudgeSpec("judge-x", NOWHERE), "", cast["maintainer"])
    for name in ("Alpha", "Beta"):
        publish_run(name)
    claim_next(cast["maintainer"])
    return cast


def serve_battle(client: Client) -> Battle:
    """A battle that this browser may vote on."""
    client.get("/arena/")
    return Battle.objects.latest("pk")


def known_values(client: Client) -> dict[str, str]:
    """What stands in addresses: by the name of the part, UUIDs by the address's beginning."""
    run = Run.objects.get(entrant__name="Alpha-7")
    reply = run.replies.all()[0]
    uuids = {
        "runs/": run.uuid,
        "replies/": reply.uuid,
        "review/report/": reply.uuid,
        "submissions/": run.submission.uuid,
        "arena/battles/": serve_battle(client).uuid,
        "review/errata/": Erratum.objects.get().uuid,
        "review/": ReviewItem.objects.filter(slots__reviewer__isnull=False)[0].uuid,
    }
    return {
        **{prefix: str(uuid) for prefix, uuid in uuids.items()},
        "slug": "hipho",
        "m/": "alpha-7",
        "name": "tokens",
        "run": str(run.uuid),
        "subset": "overall",
        "metric": "exam_score",
        "external_id": reply.problem.external_id,
        "sha256": "0" * 64,
        "b/": str(JudgeSeat.objects.get().pk),
        "review/criterion/": str(CriterionScore.objects.all()[0].pk),
        "review/answer/": str(AnswerScore.objects.all()[0].pk),
        "table": "judges",
        "form": "csv",
        "digest": run.scorer.digest,
        "key": "a-b:c",
        "uidb36": "1z",
    }


# What a form takes: one of its fields at a time is made odd.
FORMS: dict[str, dict[str, Any]] = {
    "submit/": {
        "model": "Aurora-2", "base_url": NOWHERE, "benchmark": "coin_flip", "split": "test", "limit": "2",
        "repeats": "1", "temperature": "0", "max_tokens": "64", "budget_tokens": "10", "budget_usd": "1",
    },
    "submit/file/": {"model": "Aurora-2", "benchmark": "coin_flip", "split": "test"},
    "submissions/<uuid:uuid>/act/": {"act": "withdraw", "reason": "wrong checkpoint"},
    "runs/<uuid:uuid>/act/": {"act": "publish"},
    "people/": {"act": "appoint", "person": "1", "roles": "reviewer"},
    "review/criterion/<int:pk>/": {"points": "0", "reason": "seen"},
    "review/answer/<int:pk>/": {"points": "0", "reason": "seen"},
    "review/queue/": {"benchmark": "hipho", "policy": "random", "needed": "2", "percent": "10", "seed": "0"},
    "review/errata/<uuid:uuid>/": {"state": "rejected", "resolution": "it is right"},
    "review/roles/": {"benchmark": "hipho", "username": "submitter", "role": "reviewer"},
    "review/report/<uuid:uuid>/": {"text": "marked wrongly"},
    "review/<uuid:uuid>/submit/": {
        "points-s0c0": "0", "other-s0c0": "0", "reason-s0c0": "seen", "evidence-s0c0": "balance", "verdict": "1",
        "error_class": "algebra", "wrong_step": "1", "erratum": "sign", "seconds": "9", "reason": "seen",
    },
    "review/<uuid:uuid>/settle/": {"points-s0c0": "0", "reason-s0c0": "seen", "error_class": "algebra"},
    "review/<uuid:uuid>/skip/": {"skip_reason": "conflict"},
    "arena/battles/<uuid:uuid>/vote/": {"choice": "left", "query": "benchmark=coin_flip"},
    "arena/voters/exclude/": {"voter": "cookie-0", "reason": "a flood", "act": "restore"},
    "b/<slug:slug>/problems/<external_id:external_id>/report/": {"claim": "The sign is wrong."},
    "b/<slug:slug>/problems/<external_id:external_id>/try/": {"reply": "<answer>[1]</answer>"},
    "b/<slug:slug>/judges/add/": {"model": "j", "base_url": NOWHERE, "temperature": "0", "max_tokens": "9"},
    "b/<slug:slug>/scorers/add/": {"rule": "hipho", "judges": "1", "judge_repeats": "1", "verdict_attempts": "3"},
    "accounts/login/": {"login": "maintainer", "password": "x"},
    "accounts/signup/": {"username": "newcomer", "email": "n@example.org", "password1": LONG, "password2": LONG},
    "accounts/password/reset/": {"email": "maintainer@example.org"},
    "accounts/password/change/": {"oldpassword": "x", "password1": LONG, "password2": LONG},
    "accounts/email/": {"action_add": "", "email": "n@example.org"},
    "accounts/delete/": {"password": "x"},
    "i18n/setlang/": {"language": "zh-hans", "next": "/"},
}  # fmt: skip


def patterns(found: Any, before: str = "") -> Iterator[str]:
    for pattern in found:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from patterns(pattern.url_patterns, route)
        elif not LEFT_OUT.match(route):
            yield route


def list_addresses(route: str, known: dict[str, str], odd_values: Sequence[str]) -> Iterator[str]:
    """The address with what is there, and with each of its parts odd."""
    plain = re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", route).replace("^", "").replace("$", "")
    parts = re.findall(r"<(?:(\w+):)?(\w+)>", plain)
    own = next((value for name, value in known.items() if name.endswith("/") and route.startswith(name)), "")
    is_own = {"uuid", "int"} if not route.startswith("m/") else {"slug"}
    good = {name: own if kind in is_own else known[name] for kind, name in parts}

    def fill(values: dict[str, str]) -> str:
        return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda match: quote(values[match[1]], safe=""), plain)

    yield fill(good)
    for kind, name in parts:
        if kind != "uuid":
            yield from (fill({**good, name: odd}) for odd in odd_values if odd)


Request = tuple[str, str, Any]


def list_requests(route: str, known: dict[str, str], *, is_visitor: bool) -> Iterator[Request]:
    """(address, method, what is sent). Which parameters there are is known once the page has been asked for.

    A visitor's requests go the first steps of the same way, so they are fewer.
    """
    odd_values = WORST if is_visitor else TOLD
    address, *odd_addresses = list_addresses(route, known, odd_values)
    yield address, "GET", ""
    form = FORMS.get(route, {})
    yield address, "POST", form
    yield from ((odd, "GET", "") for odd in odd_addresses)
    yield from ((address, "GET", raw) for raw in RAW_QUERIES)
    for method, asked in ASKED.items():
        yield from ((address, method, _encode(method, dict.fromkeys(asked, odd))) for odd in odd_values if asked)
        if is_visitor:
            continue
        done: set[str] = set()
        while new := sorted(asked - done):
            done.add(new[0])
            yield from ((address, method, _encode(method, {new[0]: odd})) for odd in WORST)
    if is_visitor:
        return
    if ASKED["POST"] or route.endswith("draft/"):
        yield from ((address, "POST", (body, kind)) for body in RAW_BODIES for kind in KINDS)
    yield from ((address, "POST", {**form, name: odd}) for name in form for odd in (*WORST, ODD[-1]))


def _encode(method: str, data: dict[str, str]) -> Any:
    return data if method == "POST" else "&".join(f"{quote(name)}={quote(value)}" for name, value in data.items())


def send(client: Client, request: Request) -> Any:
    address, method, data = request
    if method == "GET":
        return client.get(address, QUERY_STRING=data)
    if isinstance(data, tuple):
        return client.generic("POST", address, *data)
    return client.post(address, data)


ROUTES = list(patterns(get_resolver().url_patterns))
PARTS = 8


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_that_is_asked_breaks_a_page(cast: dict[str, User], part: int) -> None:
    broken = []
    for person in (None, cast["maintainer"]):
        client = Client(raise_request_exception=False, REMOTE_ADDR="192.0.2.7")
        if person is not None:
            client.force_login(person)
        known = known_values(client)
        for route in ROUTES[part::PARTS]:
            for names in ASKED.values():
                names.clear()
            for request in list_requests(route, known, is_visitor=person is None):
                with transaction.atomic():
                    answer = send(client, request)
                    transaction.set_rollback(True)
                if answer.status_code >= 500:
                    broken.append((*map(str, request), repr(answer.exc_info and answer.exc_info[1])))
    assert not broken, "\n".join(str(found)[:300] for found in broken)
