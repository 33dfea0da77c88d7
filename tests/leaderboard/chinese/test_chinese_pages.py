"""Every page in Chinese: whoever reads it, whatever was typed, whatever went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.core import mail
from django.template.loader import render_to_string
from django.test import Client
from django.urls import resolve
from django.utils.translation import override

from arena.models import Entrant, Erratum, JudgeReply, Reply, ReviewItem, Run, Submission, User
from arena.services.invitations import make_invitation
from leaderboard.urls import urlpatterns
from tests.factories import make_cast
from tests.fake_llm import FakeLLM
from tests.leaderboard.chinese.crawl import walk
from tests.leaderboard.chinese.english import find_english, find_phrases
from tests.leaderboard.chinese.scenes import TROUBLE, World, make_world, script

SEEDS = (
    "/", "/methodology/", "/judges/", "/people/", "/style/",
    "/arena/", "/arena/ratings/", "/arena/voters/",
    "/review/", "/review/queue/", "/review/errata/", "/review/roles/", "/review/log/", "/review/agreement/",
    "/review/errors/", "/b/hipho/splits/", "/b/phyx_oe/splits/",
    "/submit/", "/submit/file/", "/submissions/",
    "/accounts/login/", "/accounts/signup/", "/accounts/delete/", "/accounts/email/", "/accounts/logout/",
    "/accounts/password/change/", "/accounts/password/reset/", "/accounts/password/reset/done/",
    "/accounts/confirm-email/", "/accounts/inactive/", "/accounts/reauthenticate/",
)  # fmt: skip
# Addresses that answer with a file, a picture, or to a form alone.
NO_PAGES = {
    "board-csv", "board-json", "chart-file", "grid-picture", "grid-point", "grid-reply", "figure", "submit-template",
    "review-agreement-export", "healthz", "set_language",
}  # fmt: skip
CHINESE = {"accept-language": "zh-hans"}

Pages = Iterator[tuple[str, str]]


@pytest.fixture
def world(db: None, tmp_path: Path) -> Iterator[World]:
    with FakeLLM(script()) as server:
        yield make_world(server, tmp_path)


def reader(person: User | None = None) -> Client:
    client = Client(headers=CHINESE)
    if person is not None:
        client.force_login(person)
    return client


def names() -> set[str]:
    """What is called so: models, makers and people."""
    columns = (Entrant, "name"), (Entrant, "organisation"), (User, "username")
    return {name for model, column in columns for name in model.objects.values_list(column, flat=True) if name}


def assert_chinese(pages: Iterable[tuple[str, str]]) -> None:
    """No page shows English; every forgotten text is named with the first page that shows it."""
    known, found = names(), dict[str, str]()
    for place, page in pages:
        for text in find_english(page, known):
            found.setdefault(text, place)
    assert not found, "\n" + "\n".join(f"{text[:300]}  <- {place[:160]}" for text, place in found.items())


@pytest.mark.timeout(1200)  # making the world takes its time, so one test tells all its stories
def test_nothing_is_english_whoever_reads_and_whatever_goes_wrong(world: World) -> None:
    stories = (
        walk_pages,
        mistype_a_submission,
        check_endpoints,
        upload_bad_files,
        review_wrongly,
        be_refused_elsewhere,
        paste_replies,
    )
    assert_chinese(found for story in stories for found in story(world))


def walk_pages(world: World) -> Pages:
    """Every page that links lead to, for each kind of reader."""
    own = [f"/submissions/{uuid}/" for uuid in Submission.objects.values_list("uuid", flat=True)]
    own += [f"/runs/{uuid}/" for uuid in Run.objects.order_by("-pk").values_list("uuid", flat=True)[:20]]
    judged = JudgeReply.objects.order_by("pk")[0].reply
    own += [f"/replies/{judged.uuid}/judging/", *vote(world.submitter)]
    pages = []
    for who in ("visitor", "submitter", "reviewer", "maintainer"):
        seeds = (*SEEDS, *own) if who == "submitter" else SEEDS
        pages += [(f"{who} {address}", page) for address, page in walk(reader(getattr(world, who)), seeds)]
    yield from pages
    seen = {resolve(place.split()[1].split("?")[0]).view_name for place, _page in pages}
    named = {pattern.name for pattern in urlpatterns if pattern.name} - NO_PAGES
    only_posted = {name for name in named if answers_forms_alone(name)}
    assert named - only_posted - seen == set(), "pages that the walk did not come to"


def answers_forms_alone(name: str) -> bool:
    return name.endswith(("-act", "-add", "-report", "-claim", "-take", "-draft", "-submit", "-settle", "-skip")) or (
        name in ("review-calibrate", "review-criterion", "review-answer", "review-erratum", "arena-vote")
        or name in ("arena-answer", "arena-judge", "arena-exclude")
    )


BAD_URLS = (
    "ftp://example.org", "http://user:word@example.org/v1", "http://", "http://exa mple.org", "http://example.org/v1?a=1",
    "http://10.0.0.1/v1", "http://169.254.169.254/v1", "http://[::1", "http://224.0.0.1/v1", "not a url",
)  # fmt: skip
SUBMIT = {
    "benchmark": "coin_flip",
    "model": "M",
    "base_url": "https://example.org/v1",
    "split": "test",
    "act": "submit",
}


def vote(person: User) -> list[str]:
    """The address of a battle with its vote."""
    client = reader(person)
    found = re.search(r'action="(/arena/battles/[0-9a-f-]{36}/)vote/"', client.get("/arena/").content.decode())
    assert found, "no battle is shown"
    client.post(f"{found[1]}vote/", {"choice": "left"})
    return [found[1]]


def mistype_a_submission(world: World) -> Pages:
    """The form with every kind of mistake in it."""
    client = reader(world.submitter)

    def post(**data: str) -> str:
        return client.post("/submit/", {**SUBMIT, **data}).content.decode()

    pages = [(url, post(base_url=url)) for url in BAD_URLS]
    numbers = {"limit": "0", "repeats": "900", "temperature": "9", "max_tokens": "-1", "shots": "x"}
    pages += [(f"{name}={value}", post(**{name: value})) for name, value in numbers.items()]
    pages += [("nothing", post(model="", base_url="", split="nonsense")), ("key", post(api_key="ключ", model="M2"))]
    judged = {"benchmark": "phyx_oe", "split": "test_mini", "judge_strategy": "llm"}
    pages += [
        ("judge without place", post(**judged, judge_model="j")),
        ("place without judge", post(**judged, judge_base_url="http://10.0.0.1/v1")),
        ("judge in a private net", post(**judged, judge_model="j", judge_base_url="http://10.0.0.1/v1")),
        ("budget without price", post(budget_usd="1")),
        ("name of another", post(model="Demo Steady")),
    ]
    assert all("errorlist" in page for _place, page in pages), [p for p, page in pages if "errorlist" not in page]
    yield from pages


def check_endpoints(world: World) -> Pages:
    """Endpoints that fail in every way, and one that works."""
    client = reader(world.submitter)
    base = world.server.base_url
    tried = [(name, base, name) for name in TROUBLE] + [("fine", base, "demo-steady"), ("unlisted", base, "nobody")]
    tried += [("closed", "http://127.0.0.1:9/v1", "m"), ("empty", "", "m")] + [(url, url, "m") for url in BAD_URLS]
    pages = [
        (
            place,
            client.post(
                "/submit/", {**SUBMIT, "act": "check", "part": "endpoint", "base_url": url, "api_model": model}
            ).content.decode(),
        )
        for place, url, model in tried
    ]
    assert all("endpoint-report" in page for _place, page in pages)
    yield from pages


BAD_LINES = (
    b"", b"\xff\xfe", b"{", b"[1", b"[{}] x", b"7", b"{}", b'{"id": true, "reply": "x"}',
    b'{"id": "nobody", "reply": "x"}', b'{"id": "0", "reply": 7}', b'{"id": "0", "reply": "x", "repeat": -1}',
    b'{"id": "0", "reply": "x", "reasoning": 1}', b'{"id" "0"}', b'{"id": "0" "reply"}', b'{"id": "\\q"}', b'{"id": "0',
    '{"question": "谁问的", "reply": "x"}'.encode(), b"PK\x03\x04 no zip", b"\x1f\x8b no gzip",
    b'{"id": "0", "reply": "x"}\n{"id": "0", "reply": "x"}',
)  # fmt: skip


def upload_bad_files(world: World) -> Pages:
    """Predictions with every kind of bad line."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    client = reader(world.submitter)
    form = {"benchmark": "coin_flip", "model": "Uploaded-2", "split": "test"}
    pages = []
    for data in BAD_LINES:
        file = {"file": SimpleUploadedFile("own.jsonl", data)}
        pages.append((repr(data), client.post("/submit/file/", {**form, **file}).content.decode()))
    pages.append(("no file", client.post("/submit/file/", form).content.decode()))
    assert all("errorlist" in page for _place, page in pages), [p for p, page in pages if "errorlist" not in page]
    yield from pages


def review_wrongly(world: World) -> Pages:
    """Reviews, queues, roles and errata, refused and stored."""
    item = ReviewItem.objects.filter(slots__reviewer=world.reviewer, slots__submitted_at=None).first()
    assert item is not None
    erratum = Erratum.objects.filter(state="open").first()
    reply = Reply.objects.filter(run__published_at__isnull=False).first()
    assert erratum is not None and reply is not None
    problem = "/b/coin_flip/problems/0/"
    posts = [
        (world.reviewer, f"/review/{item.uuid}/submit/", {}),
        (world.reviewer, f"/review/{item.uuid}/submit/", {"points-a0": "many", "reason": "x"}),
        (world.reviewer, f"/review/{item.uuid}/submit/", {"points-a0": "99", "reason": "x"}),
        (world.reviewer, f"/review/{item.uuid}/submit/", {"verdict": "maybe", "error_class": "odd"}),
        (world.reviewer, f"/review/{item.uuid}/skip/", {"skip_reason": ""}),
        (world.reviewer, f"/review/{item.uuid}/settle/", {}),
        (world.maintainer, f"/review/{item.uuid}/calibrate/", {}),
        (world.maintainer, f"/review/{item.uuid}/claim/", {}),
        (world.maintainer, "/review/queue/", {"benchmark": "nothing"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "random", "percent": "x"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "random", "percent": "0"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "random", "percent": "5", "number": "5"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "disagreement", "needed": "77"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "reported"}),
        (world.maintainer, "/review/queue/", {"benchmark": "hipho", "policy": "injection"}),
        (world.maintainer, "/review/roles/", {"benchmark": "hipho", "username": "nobody", "role": "reviewer"}),
        (world.maintainer, "/review/roles/", {"benchmark": "hipho", "username": "reviewer", "role": "king"}),
        (world.maintainer, f"/review/errata/{erratum.uuid}/", {"state": "accepted"}),
        (world.maintainer, f"/review/errata/{erratum.uuid}/", {"state": "maybe", "resolution": "x"}),
        (world.submitter, f"/review/report/{reply.uuid}/", {"text": " "}),
        (world.submitter, f"/review/report/{reply.uuid}/", {"text": "不对"}),
        (world.submitter, f"{problem}report/", {"claim": " "}),
        (world.submitter, f"{problem}report/", {"claim": "不对"}),
        (world.reviewer, "/review/claim/", {}),
    ]
    yield from answers(posts)


def answers(posts: Iterable[tuple[User | None, str, dict[str, str]]]) -> Iterator[tuple[str, str]]:
    for person, address, data in posts:
        answer = reader(person).post(address, data, follow=True)
        yield f"{answer.status_code} {address} {data}", answer.content.decode()


def be_refused_elsewhere(world: World) -> Pages:
    """Judges, people, runs and the arena."""
    run = Run.objects.filter(submission__isnull=False, published_at__isnull=True).order_by("-pk")[0]
    own = Submission.objects.filter(runs__state="finished").order_by("pk")[0]
    posts = [
        (
            world.maintainer,
            "/b/hipho/judges/add/",
            {"model": "j", "base_url": "http://10.0.0.1/v1", "temperature": "0"},
        ),
        (world.maintainer, "/b/hipho/judges/add/", {"model": "", "base_url": "", "temperature": "x"}),
        (
            world.maintainer,
            "/b/coin_flip/judges/add/",
            {"model": "j", "base_url": world.server.base_url, "temperature": "0"},
        ),
        (world.maintainer, "/b/hipho/scorers/add/", {"rule": "hipho-steps"}),
        (world.maintainer, "/people/", {"person": str(world.maintainer.pk)}),
        (world.maintainer, "/people/", {"act": "invite"}),
        (world.maintainer, "/arena/voters/exclude/", {"voter": "x", "reason": ""}),
        (world.submitter, f"/runs/{run.uuid}/act/", {"act": "publish"}),
        (world.submitter, f"/submissions/{own.uuid}/act/", {"act": "withdraw"}),
        (world.submitter, f"/submissions/{own.uuid}/act/", {"act": "retry"}),
        (world.submitter, f"/submissions/{own.uuid}/act/", {"act": "publish"}),
        (None, "/arena/battles/00000000-0000-0000-0000-000000000000/vote/", {"choice": "left"}),
    ]
    yield from answers(posts)


TRIED = {
    "coin_flip": ("ANSWER: YES", "I do not know"),
    "arc_indic": ("Answer: A", "none"),
    "phybench": (r"\boxed{x^2 + 1}", r"\boxed{\frac{1}{", "no box at all", r"\boxed{" + "(" * 400 + "}"),
    "phyx_oe": ("The answer is 3 m.", r"\boxed{12 km}", "words " * 200),
    "phyx_mc": ("B", "Z"),
    "hipho": (r"<answer>\boxed{3.1 \mathrm{J}}</answer>", "nothing"),
}


def paste_replies(world: World) -> Pages:
    """Replies of every kind, right and wrong, scored at once."""
    from arena.models import RevisionProblem

    pages = []
    for slug, texts in TRIED.items():
        entries = RevisionProblem.objects.filter(revision__benchmark__slug=slug, revision__label="sample")
        for entry in entries.exclude(split="validation").order_by("pk")[:3]:
            address = f"/b/{slug}/problems/{entry.external_id}/try/?revision=sample&split={entry.split}"
            posts = [(None, address, {"reply": text}) for text in (*texts, "", "x" * 300_000)]
            pages += list(answers(posts))
    assert len(pages) > 40
    yield from pages


@pytest.mark.django_db
def test_accounts_speak_chinese_when_they_refuse() -> None:
    cast = make_cast()
    join = f"/accounts/signup/?invitation={make_invitation()}"
    new = {
        "username": "neu",
        "email": "neu@example.org",
        "password1": "a long pass phrase",
        "password2": "a long pass phrase",
    }
    posts = [
        (None, "/accounts/login/", {"login": "nobody", "password": "wrong"}),
        (None, "/accounts/login/", {}),
        (None, "/accounts/signup/", new),
        (None, join, {}),
        (None, join, {**new, "username": "submitter"}),
        (None, join, {**new, "username": "deleted-7"}),
        (None, join, {**new, "username": "x y"}),
        (None, join, {**new, "email": "nonsense"}),
        (None, join, {**new, "password2": "another pass phrase"}),
        (None, join, {**new, "password1": "123", "password2": "123"}),
        (None, join, {**new, "password1": "password", "password2": "password"}),
        (None, "/accounts/password/reset/", {"email": "nonsense"}),
        (None, "/accounts/password/reset/", {"email": "submitter@example.org"}),
        (None, "/accounts/password/reset/key/7-nonsense/", {}),
        (cast["submitter"], "/accounts/password/change/", {"oldpassword": "x", "password1": "1", "password2": "2"}),
        (cast["submitter"], "/accounts/email/", {"action_add": "", "email": "nonsense"}),
        (cast["submitter"], "/accounts/email/", {"action_add": "", "email": "second@example.org"}),
        (cast["submitter"], "/accounts/email/", {"action_remove": "", "email": "nobody@example.org"}),
        (cast["submitter"], "/accounts/delete/", {"password": "wrong"}),
    ]
    form = reader().get(join).content.decode()
    assert_chinese([*answers(posts), (join, form)])
    label = form.split('for="id_email"')[1].split("</label>")[0]
    assert label.count("选填") == 1, "what may stay empty says so once"


@pytest.mark.django_db
def test_mails_are_in_the_language_of_who_asked() -> None:
    cast = make_cast()
    reader().post("/accounts/password/reset/", {"email": "submitter@example.org"})
    reader().post("/accounts/password/reset/", {"email": "stranger@example.org"})
    reader(cast["submitter"]).post("/accounts/email/", {"action_add": "", "email": "second@example.org"})
    assert len(mail.outbox) >= 3
    texts = [text for message in mail.outbox for text in (message.subject, *message.body.splitlines())]
    assert find_phrases(texts, {"submitter", "example.com"}) == []


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_pages_are_in_chinese(name: str) -> None:
    with override("zh-hans"):
        assert find_english(render_to_string(f"{name}.html")) == []


@pytest.mark.django_db
def test_what_is_not_there_is_told_in_chinese() -> None:
    for address in ("/nowhere/", "/b/nothing/", "/b/coin_flip/problems/none/", "/m/nobody/"):
        answer = reader().get(address)
        assert answer.status_code == 404 and find_english(answer.content.decode()) == []


def test_the_finder_finds_what_was_forgotten() -> None:
    page = """<html lang="zh-hans"><h1 title="Two words">标题</h1><p>See the board</p><code>git pull now</code>
        <p lang="en">Quoted from elsewhere</p><p translate="no">Data Name Here</p><p>Demo Steady 得分</p>
        <input type="submit" value="Send it"><input placeholder="Type here">
        <svg><title>A chart of it</title></svg></html>"""
    assert find_english(page, {"Demo Steady"}) == [
        "Two words",
        "See the board",
        "Send it",
        "Type here",
        "A chart of it",
    ]
