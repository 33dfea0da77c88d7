"""Every address of the site, with arguments that lead somewhere in the scene. A pattern without any fails its test."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from arena.models import Reply
from tests.site.scene import TONGUES, TWO_SCHEMES, Scene

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# Patterns of the libraries beneath us that are regular expressions, with one address each.
EXPRESSIONS = {
    "account_confirm_email": "accounts/confirm-email/no-such-key/",
    "account_reset_password_from_key": "accounts/password/reset/key/1-no-such-key/",
    "app_list": "admin/arena/",
    "view_on_site": "admin/r/1/1/",
}
# What some addresses need behind them to lead anywhere.
QUERIES = {
    "grid-point": lambda scene: "?1,1",
    "scorer-compare": lambda scene: f"?a={scene.reply.run.scorer.digest}&b={scene.other_scorer.digest}",
}
CATCH_ALL = "admin/(?P<url>.*)$"  # the admin's own "not found"


def list_patterns() -> Iterator[tuple[str, str]]:
    """(route, name) of every pattern, the admin's among them."""
    yield from _walk(get_resolver().url_patterns, "")


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif route != CATCH_ALL:
            yield route, pattern.name or ""


def address_of(route: str, name: str, scene: Scene) -> str:
    """The address that a pattern has in the scene. Raises KeyError naming what is not known of it."""
    if name in EXPRESSIONS:
        return "/" + EXPRESSIONS[name]
    if route.startswith("admin/"):
        return "/" + PARAMETER.sub(lambda _found: _admin_row(route), route)
    values = _values(route, scene)
    query = QUERIES.get(name, lambda _scene: "")(scene)
    return "/" + PARAMETER.sub(lambda found: values[found[1]], route) + query


def _values(route: str, scene: Scene) -> dict[str, str]:
    """What each parameter of a route of ours stands for."""
    reply = scene.reply
    uuids = {
        "runs/": reply.run.uuid,
        "replies/": reply.uuid,
        "submissions/": scene.submission.uuid,
        "arena/battles/": scene.battle,
        "review/report/": reply.uuid,
        "review/errata/": scene.erratum.uuid,
        "review/": scene.item.uuid,
    }
    uuid = next((str(value) for start, value in uuids.items() if route.startswith(start)), "")
    score = reply.judgments.get(level="step", scorer=reply.run.scorer).criterion_scores.all()[0]
    answer = reply.judgments.get(level="answer").answer_scores.all()[0]
    pks = {"review/criterion/": score.pk, "review/answer/": answer.pk, "b/": scene.seat.pk}
    return {
        "slug": reply.run.entrant.slug if route.startswith("m/") else "hipho",
        "uuid": uuid,
        "pk": next((str(value) for start, value in pks.items() if route.startswith(start)), ""),
        "external_id": TWO_SCHEMES,
        "run": str(reply.run.uuid)[:8] if "/grid/" in route else str(reply.run.uuid),
        "subset": "overall",
        "metric": "exam_score",
        "name": "heat",
        "sha256": reply.problem.figures.all()[0].image.sha256,
        "digest": reply.run.scorer.digest,
        "table": "judges",
        "form": "json",
    }


def _admin_row(route: str) -> str:
    _admin, app, model, *_rest = route.split("/")
    row = apps.get_model(app, model).objects.order_by("pk").first()
    return str(row.pk) if row is not None else "0"


def _replies_in_other_scripts() -> list[Reply]:
    return [Reply.objects.filter(problem__external_id__startswith=start).earliest("pk") for start in TONGUES]


def list_states(scene: Scene) -> list[str]:
    """Further states of pages, beyond one address a pattern."""
    hipho, reply = f"/b/hipho/problems/{TWO_SCHEMES}/", reverse("reply", args=[scene.reply.uuid])
    boards = [f"/b/{slug}/" for slug in ("phybench", "phyx_oe", "phyx_mc", "arc_indic", "coin_flip")]
    return [
        *boards,
        *(reverse("reply", args=[reply.uuid]) for reply in _replies_in_other_scripts()),
        f"{hipho}?criterion=1",
        f"/b/hipho/problems/{scene.hidden.external_id}/",
        f"/b/hipho/problems/{scene.hidden.external_id}/?criterion=1",
        f"/b/hipho/problems/{scene.hidden.external_id}/try/",
        reverse("reply", args=[scene.hidden_reply.uuid]),
        reverse("reply", args=[scene.hidden_reply.uuid]) + "?view=raw",
        reverse("reply", args=[scene.hidden_reply.uuid]) + "?view=prompt",
        reverse("reply-judging", args=[scene.hidden_reply.uuid]),
        reverse("review-report", args=[scene.hidden_reply.uuid]),
        f"{reply}?view=raw",
        f"{reply}?view=prompt",
        reverse("reply", args=[scene.eed_reply.uuid]),
        reverse("review-item", args=[scene.disputed.uuid]),
        "/b/hipho/?basis=effective&open=exams",
        "/b/hipho/?metric=accuracy&sort=name",
        "/b/hipho/compare/?a=alpha-7&b=beta-9",
        f"/b/hipho/compare/?a=alpha-7&b=beta-9&problem={TWO_SCHEMES}",
        f"/b/hipho/compare/?a=alpha-7&b=beta-9&problem={scene.hidden.external_id}",
        "/b/arc_indic/compare/?a=alpha-7&b=beta-9",
        "/b/arc_indic/splits/",
        "/b/arc_indic/charts/",
        "/b/coin_flip/charts/",
        "/b/coin_flip/problems/",
        "/b/arc_indic/problems/hi%3ASample_1/",
        "/b/phybench/problems/1/try/",
        "/arena/ratings/?pool=scores",
        "/review/agreement/?benchmark=hipho",
        "/review/?state=disputed",
        "/submit/?benchmark=hipho",
        "/nothing-is-here/",
    ]
