"""Every hostile text through every field that shows one, in a real chromium: nothing runs, loads or breaks out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page

from arena.models import (
    Answer,
    Benchmark,
    CallError,
    Criterion,
    Erratum,
    JudgeError,
    Judgment,
    Problem,
    Reply,
    Review,
    Run,
    ScoreError,
)
from arena.services.figures import FigureFault, check_figure
from tests.browser.hostile import ALL, PAYLOADS
from tests.browser.pages import Seen, client_of, every_address, pages_for, sign_in
from tests.factories import make_user
from tests.leaderboard.replies.scenes import add_reply, make_own_problem, make_run, mark_answers, mark_steps
from tests.site.hostile import make_hostile
from tests.site.scene import build_scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What a page may hold of its own: scripts of ours, and nothing that content could have brought.
FOREIGN = """() => {
  const bad = [];
  const isOurs = (url) => URL.canParse(url, location.href) && new URL(url, location.href).host === location.host;
  for (const script of document.querySelectorAll("script:not([type='application/json'])"))
    if (!script.src.includes("/static/") || !isOurs(script.src)) bad.push(script.outerHTML.slice(0, 200));
  const elements = "iframe, object, embed, base, style, template, foreignObject, animate, xss, marquee, video, audio";
  for (const node of document.querySelectorAll(`${elements}, meta[http-equiv], maction, mglyph, annotation-xml`))
    bad.push(node.outerHTML.slice(0, 200));
  const runs = /^\\s*(?:java\\s*script|vbscript|data):/i;
  for (const node of document.querySelectorAll("*"))
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on") || name === "style") bad.push(`${node.tagName} ${name}=${value}`);
      if (/href|src|action|data|srcdoc/i.test(name) && runs.test(value)) bad.push(`${name}=${value}`);
    }
  for (const link of document.querySelectorAll("a[href]"))
    if (/^https?:/.test(link.href) && !isOurs(link.href) && !/nofollow/.test(link.rel)) bad.push(link.href);
  for (const image of document.querySelectorAll("img")) if (!isOurs(image.src)) bad.push(image.src);
  for (const form of document.forms) if (!isOurs(form.action)) bad.push(`form to ${form.action}`);
  for (const field of document.querySelectorAll("button[formaction]")) bad.push(field.outerHTML);
  return bad;
}"""
# Reach for whatever waits for a hand: open folds, point, focus, click what leads nowhere.
STIR = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  for (const node of document.querySelectorAll("main *")) {
    node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    node.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    if (node.tabIndex >= 0) node.focus();
  }
  for (const link of document.querySelectorAll("main a[href^='#']")) link.click();
}"""
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


@pytest.fixture
def scene() -> dict[str, str]:
    """The addresses of pages on which every field is hostile."""
    problem = make_own_problem(
        ALL,
        information=ALL,
        context=ALL,
        solution=ALL,
        field=PAYLOADS[0],
        subfield=PAYLOADS[1],
        modality=PAYLOADS[2][:60],
        choices=[["A", ALL], [PAYLOADS[3][:10], PAYLOADS[4]]],
        max_points=Decimal(2),
    )
    Answer.objects.create(problem=problem, position=0, value=ALL, unit=PAYLOADS[5][:100], points=Decimal(2))
    for scheme in (0, 1):
        for position in (0, 1):
            Criterion.objects.create(problem=problem, scheme=scheme, position=position, text=ALL, max_points=Decimal(1))
    run = make_run("Alpha", repeats=2)
    reply = add_reply(run, problem, ALL, reasoning=ALL, finish_reason=PAYLOADS[6][:40])
    again = add_reply(run, problem, "\n".join(PAYLOADS), repeat=1)
    for one in (reply, again):
        quotes = {"s0c0": ALL, "s0c1": f"lost {ALL}", "s1c0": PAYLOADS[7], "s1c1": PAYLOADS[8]}
        steps = mark_steps(one, quotes, reason=ALL)
        details = {"flags": list(PAYLOADS[:20]), "injection": list(PAYLOADS[20:40]), "details": hostile_trees()}
        mark_answers(one, ALL, details=details, reason=ALL)
        fail(one)
        review(steps)
    CallError.objects.create(run=run, problem=problem, kind=PAYLOADS[9][:40], message=ALL)
    reporter = make_user("reporter")
    Erratum.objects.create(problem=problem, reporter=reporter, claim=ALL, resolution=ALL, state="accepted")
    for number, payload in enumerate(PAYLOADS):
        add_reply(rename(make_run(f"Model {number}"), payload), problem, payload)
    board = Benchmark.objects.get(slug="hipho")
    board.title, board.summary, board.licence, board.citation = PAYLOADS[10], ALL, PAYLOADS[11][:200], ALL
    board.tags = PAYLOADS[:5]
    board.save()
    base = f"/b/hipho/problems/{problem.external_id}/"
    return {
        "problem": base,
        "criterion": f"{base}?criterion=1",
        "try": f"{base}try/",
        "reply": f"/replies/{reply.uuid}/",
        "raw": f"/replies/{reply.uuid}/?view=raw",
        "prompt": f"/replies/{reply.uuid}/?view=prompt",
        "second": f"/replies/{again.uuid}/",
        "run": f"/runs/{run.uuid}/",
        "board": "/b/hipho/",
        "home": "/",
        "problems": "/b/hipho/problems/",
    }


def hostile_trees() -> dict[str, object]:
    nodes = [{"label": f"symbol_{payload[:60]}"} for payload in PAYLOADS[:12]]
    tree = {"label": f"function_{PAYLOADS[0]}", "children": nodes}
    edits = [
        {"op": op, "from": f"symbol_{payload}", "to": f"number_{payload}", "path": [index]}
        for index, (op, payload) in enumerate(zip(["rename", "insert", "delete", "insert_tree"], PAYLOADS))
    ]
    found = {"equivalent": False, "distance": 1.0, "size": 2, "relative_distance": 0.5}
    return {**found, "target_tree": tree, "answer_tree": tree, "edits": edits}


def fail(reply: Reply) -> None:
    judge = reply.run.scorer.judges.get()
    for number, payload in enumerate(PAYLOADS[:20]):
        JudgeError.objects.create(
            reply=reply, judge=judge, purpose="criterion", request_digest=str(number), kind=payload[:40], message=ALL
        )
    ScoreError.objects.create(reply=reply, scorer=reply.run.scorer, kind=PAYLOADS[12][:40], message=ALL)


def review(judgment: Judgment) -> None:
    reviewer = make_user(f"reviewer{judgment.pk}")
    for score in judgment.criterion_scores.all():
        Review.objects.create(
            judgment=judgment,
            criterion_score=score,
            reviewer=reviewer,
            decision="override",
            points=Decimal(0),
            reason=ALL,
            role="maintainer",
        )


def rename(run: Run, name: str) -> Run:
    run.entrant.name, run.entrant.organisation = name[:200], name[:200]
    run.entrant.save()
    return run


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.add_init_script(WATCH)
    yield page
    page.close()


def test_payloads_are_many_and_different() -> None:
    assert len(set(PAYLOADS)) >= 60


def test_the_search_finds_what_it_looks_for(page: Page) -> None:
    page.set_content("<img src=x onerror='window.hit=1'><a href='javascript:1'>x</a><style></style><script>1</script>")
    page.wait_for_function("window.hit === 1")
    assert len(page.evaluate(FOREIGN)) >= 4


def test_nothing_hostile_runs_loads_or_leaves_its_place(
    live_server: object, page: Page, scene: dict[str, str], settings: Any
) -> None:
    settings.SITE_URL = str(live_server)  # permanent links lead to it
    hosts: set[str] = set()
    dialogs: list[str] = []
    console: list[str] = []
    page.on("request", lambda request: hosts.add(request.url.split("/")[2] if "://" in request.url else request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: console.append(message.text) if "Content Security" in message.text else None)
    for name, address in scene.items():
        response = page.goto(f"{live_server}{address}")
        assert response is not None and response.status == 200, name
        page.wait_for_load_state("networkidle")
        page.evaluate(STIR)
        assert page.evaluate("window.hit") is None, name
        assert page.evaluate(FOREIGN) == [], name
        assert page.evaluate("window.violations") == [], name
        assert page.evaluate("getComputedStyle(document.body).display") != "none", name
        assert page.title() and page.locator("main#content").count() == 1, name
    assert hosts == {str(live_server).partition("://")[2]}
    assert dialogs == [] and console == []


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the pages are the same on every database")
def test_no_text_of_any_table_runs_on_any_page(live_server: object, page: Page, settings: Any) -> None:
    """Every column that strangers' words can reach, by the models themselves, on every page of a maintainer."""
    settings.SITE_URL = str(live_server)
    scene = build_scene()
    touched = make_hostile()
    assert {"figure.alt", "review.reason", "judge.model", "datasetrevision.label", "erratum.claim"} <= touched
    client, hosts, told = client_of("maintainer"), set(), {}
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    sign_in(page, live_server, client)
    found = [place for place, _is_new in pages_for(client, every_address(scene), Seen())]
    assert len(found) > 50
    for place in found:
        response = page.goto(f"{live_server}{place}")
        page.evaluate(STIR)
        faults = [*page.evaluate(FOREIGN), *page.evaluate("window.violations")]
        if page.evaluate("window.hit") or faults or (response and response.status == 500):
            told[place] = faults
    assert told == {}
    assert hosts == {str(live_server).partition("://")[2]}


def test_pasted_reply_is_as_harmless_as_a_stored_one(live_server: object, page: Page, scene: dict[str, str]) -> None:
    page.goto(f"{live_server}{scene['try']}")
    page.locator("textarea[name=reply]").fill(ALL)
    page.locator("main button").click()
    page.wait_for_load_state("networkidle")
    page.evaluate(STIR)
    assert page.evaluate("window.hit") is None
    assert page.evaluate(FOREIGN) == [] and page.evaluate("window.violations") == []


def test_hostile_text_stays_readable(scene: dict[str, str]) -> None:
    """What is defused is still shown: a reader must see what the model wrote."""
    page = Client().get(scene["reply"]).content.decode()
    for words in ("&lt;script&gt;window.hit=1&lt;/script&gt;", "&lt;iframe", "javascript:window.hit=1"):
        assert words in page, words


@pytest.mark.parametrize(
    "data",
    [
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        b"<html><script>alert(1)</script></html>",
        b"GIF89a/*<svg/onload=alert(1)>*/",
    ],
)
def test_figure_that_is_no_raster_image_is_refused(data: bytes) -> None:
    with pytest.raises(FigureFault):
        check_figure(data, "figure.png")


def test_figure_is_served_as_an_image_that_can_run_nothing(scene: dict[str, str]) -> None:
    problem = Problem.objects.filter(figures__isnull=False).first()
    assert problem is not None
    sha256 = problem.figures.first().image.sha256  # type: ignore[union-attr]
    response = Client().get(f"/b/hipho/figures/{sha256}/")
    assert response["Content-Type"].startswith("image/") and response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_hostile_names_stay_values_in_json(scene: dict[str, str]) -> None:
    response = Client().get("/b/hipho/", headers={"accept": "application/json"})
    assert "<script>window" not in response.content.decode() or json.loads(response.content)
