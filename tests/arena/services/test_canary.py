"""A key is sought everywhere it must not be: real broker and worker, every kind of failure, pages, exports, logs.

The site of this test is a whole one (`manage.py serve` with Valkey, worker and web server); the endpoint echoes the
key in each of its errors: 401, 422, an HTML page, a time-out, and inside a reply.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
import redis

from tests.browser.site import Site, run_site
from tests.fake_llm import Answer, FakeLLM, FakeRequest, echo_key, echo_key_in_page, say, silence

CANARY = "sk-CANARY-b7f2c94d1e60a8"
JUDGE_CANARY = "sk-JUDGECANARY-55aa77cc99"
PIECE = "CANARY"
ROOT = {
    "DJANGO_SUPERUSER_USERNAME": "root",
    "DJANGO_SUPERUSER_EMAIL": "",
    "DJANGO_SUPERUSER_PASSWORD": "a long enough pass phrase",
}


class Visitor:
    """A browser without scripts."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.seen: list[str] = []

    def get(self, path: str) -> str:
        return self._open(Request(self.site.url + path))

    def post(self, path: str, data: dict[str, str], page: str = "") -> str:
        form = self.get(page or path)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
        assert token is not None, path
        body = urlencode({**data, "csrfmiddlewaretoken": token[1]}).encode()
        return self._open(Request(self.site.url + path, body, {"Referer": self.site.url + path}))

    def _open(self, request: Request) -> str:
        try:
            with self.opener.open(request, timeout=90) as response:
                self.address = response.geturl()
                text = response.read().decode()
        except HTTPError as error:
            text = error.read().decode()
            assert error.code < 500, f"{request.full_url}: {self.site.log[-3000:]}"
        self.seen.append(text)
        return text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with run_site(tmp_path_factory.mktemp("canary"), SIGNUP="open", A_KEY=CANARY, **ROOT) as running:
        yield running


def misbehave(request: FakeRequest) -> Answer:
    """Every failure in turn, each repeating the key; replies repeat it too."""
    turn = sum(map(ord, request.prompt)) % 4
    if turn == 0:
        return echo_key(422)(request)
    if turn == 1:
        return echo_key_in_page(404)(request)
    return say(f"My key is {request.key}, and Bearer {request.key}. ANSWER: YES")


def submit(visitor: Visitor, base_url: str, model: str, **changes: str) -> str:
    data = {
        "act": "start-anyway",  # an endpoint that refuses the key is not started on otherwise
        "model": model,
        "base_url": base_url,
        "api_key": CANARY,
        "benchmark": "coin_flip",
        "split": "test",
        "repeats": "1",
        "temperature": "0",
        "max_tokens": "64",
        **changes,
    }
    return visitor.post("/submit/", data)


def wait_until_ended(visitor: Visitor, address: str) -> str:
    for _ in range(240):
        page = visitor.get(address)
        if "data-poll" not in page:
            return page
        time.sleep(0.5)
    raise AssertionError(f"still running:\n{visitor.site.log[-3000:]}")


def dump_broker(site: Site) -> str:
    """Everything in the broker, key by key, and its files."""
    url = site.env.get("REDIS_URL") or json.loads((site.var / "runtime.json").read_text())["redis_url"]
    found = []
    with redis.Redis.from_url(url) as client:
        for key in client.scan_iter():
            found += [key, client.dump(key) or b""]
            kind = client.type(key)
            if kind == b"list":
                found += client.lrange(key, 0, -1)
            elif kind == b"hash":
                found += [part for pair in client.hgetall(key).items() for part in pair]
            elif kind == b"string":
                found.append(client.get(key) or b"")
    return b"\n".join(bytes(part) for part in found).decode("latin-1")


def read_files(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file() and "static" not in path.relative_to(folder).parts]
    return "\n".join(path.read_bytes().decode("latin-1") for path in files)


@pytest.mark.slow
def test_key_is_found_nowhere(site: Site) -> None:
    visitor = Visitor(site)
    password = "a long enough pass phrase"
    visitor.post("/accounts/signup/", {"username": "someone", "password1": password, "password2": password})
    during: list[str] = []

    def answer_and_look(request: FakeRequest) -> Answer:
        if len(during) < 3:  # while the run is going: task arguments, and the key itself as it waits for the worker
            during.append(dump_broker(site) + read_files(site.var))
        return misbehave(request)

    with FakeLLM(answer_and_look) as server, FakeLLM(echo_key(401)) as locked, FakeLLM([silence(30)]) as silent:
        broken = submit(visitor, server.base_url, "Broken form", repeats="x")
        assert "Nothing was started" in broken
        for base_url in (server.base_url, locked.base_url):
            submit(visitor, base_url, "Checked first", act="submit")
        for base_url in (server.base_url, locked.base_url):
            visitor.post(
                "/submit/",
                {"act": "check", "base_url": base_url, "api_key": CANARY, "api_model": "m", "benchmark": "coin_flip"},
            )
        for base_url, model in ((server.base_url, "Echoing"), (locked.base_url, "Locked")):
            submit(visitor, base_url, model)
            wait_until_ended(visitor, visitor.address.removeprefix(site.url))
        time_out(site, silent.base_url)
        submit(visitor, silent.base_url, "Silent", limit="2")
        address = visitor.address.removeprefix(site.url)
        visitor.post(f"{address}act/", {"act": "cancel"}, page=address)
        wait_until_ended(visitor, address)
        submit(
            visitor,
            server.base_url,
            "Judged",
            benchmark="phyx_oe",
            split=read_split(visitor),
            limit="1",
            judge_model="judge",
            judge_base_url=locked.base_url,
            judge_api_key=JUDGE_CANARY,
        )
        wait_until_ended(visitor, visitor.address.removeprefix(site.url))
        publish_one(visitor, server.base_url)
        keep_a_judge(visitor, locked.base_url)
    assert any(request.key == CANARY for request in server.requests), "the endpoint did get the key"
    assert any(request.key == CANARY for request in silent.requests), "and so did the one that timed out"
    pages = " ".join(visitor.seen)
    runs = set(re.findall(r"/runs/[0-9a-f-]{36}/", pages))
    assert len(runs) >= 4
    for path in (*runs, *(f"{run}costs/" for run in runs), *PAGES):
        visitor.get(path)
    export(site)
    replies = set(re.findall(r"/replies/[0-9a-f-]{36}/", " ".join(visitor.seen)))
    for path in sorted(replies)[:20]:
        visitor.get(path)
        visitor.get(f"{path}?view=raw")
        visitor.get(f"{path}judging/")
    places = {
        "pages": " ".join(visitor.seen),
        "administration": look_at_administration(site),
        "broker and files while running": "\n".join(during),
        "broker": dump_broker(site),
        "database dump": site.manage("dumpdata", "--all", "--natural-foreign"),
        "files (database, logs, broker, exports)": read_files(site.var),
        "log": site.log,
    }
    assert during and all(during), "the broker was looked at while a run was going"
    for place, text in places.items():
        assert len(text) > 100 or place == "log", f"{place} is empty: nothing was looked at"
        for line in text.splitlines():
            at = line.find(PIECE)
            assert at < 0, f"{place}: …{line[max(0, at - 200) : at + 100]}…"
    stored = json.loads(site.manage("dumpdata", "arena.endpoint"))
    kept = [row["fields"] for row in stored if row["fields"]["key_ciphertext"]]
    assert len(stored) > 5 and [row["api_model"] for row in kept] == ["official"], "purged when the runs ended"
    errors = site.manage("dumpdata", "arena.callerror")
    assert "[redacted]" in errors, "the echoed key was there, and was taken out"
    kinds = {row["fields"]["kind"] for row in json.loads(errors)}
    assert {"unauthorized", "unprocessable", "not_found", "timeout"} <= kinds, "each failure happened"
    assert re.search(r'"text": "My key is \W*redacted', site.manage("dumpdata", "arena.reply"))


PAGES = (
    *("/", "/submissions/", "/submit/", "/b/coin_flip/", "/b/coin_flip.csv", "/b/coin_flip.json", "/b/phyx_oe/judges/"),
    *("/b/coin_flip/problems/", "/m/published/", "/review/log/", "/review/agreement/judges.csv"),
    "/submit/template/coin_flip.jsonl",
)


def time_out(site: Site, base_url: str) -> None:
    """A run whose only call is given up after its own limit; the worker has the key from the database."""
    options = ("--base-url", base_url, "--api-key-env", "A_KEY", "--limit", "1", "--param", "timeout_s=0.2")
    site.manage("evaluate", "coin_flip", "--model", "Timed", *options, code=3)


def publish_one(visitor: Visitor, base_url: str) -> None:
    """A published run with echoing replies, so that boards and exports hold them."""
    visitor.site.manage("make_maintainer", "someone")
    submit(visitor, base_url, "Published")
    address = visitor.address.removeprefix(visitor.site.url)
    wait_until_ended(visitor, address)
    visitor.post(f"{address}act/", {"act": "publish"}, page=address)


def keep_a_judge(visitor: Visitor, base_url: str) -> None:
    """The key of an official judge stays, encrypted."""
    judge = {"model": "official", "base_url": base_url, "api_key": JUDGE_CANARY, "temperature": "0"}
    visitor.post("/b/phyx_oe/judges/add/", judge, page="/b/phyx_oe/judges/")


def look_at_administration(site: Site) -> str:
    """The lists, and the first rows of each, as whoever may see everything."""
    site.manage("createsuperuser", "--noinput")
    root = Visitor(site)
    root.post("/accounts/login/", {"login": "root", "password": ROOT["DJANGO_SUPERUSER_PASSWORD"]})
    lists = sorted(set(re.findall(r'href="(/admin/arena/\w+/)"', root.get("/admin/"))))
    assert "/admin/arena/endpoint/" in lists and "/admin/arena/callerror/" in lists
    for path in lists:
        for row in re.findall(r'href="(/admin/arena/\w+/\d+/change/)', root.get(path))[:3]:
            root.get(row)
    return " ".join(root.seen)


def export(site: Site) -> None:
    """Every export into the folder that is searched."""
    site.manage("export_votes", "--path", str(site.var / "votes.csv"))
    site.manage("export_reviews", "--path", str(site.var / "reviews.jsonl"))


def read_split(visitor: Visitor) -> str:
    page = visitor.get("/submit/?benchmark=phyx_oe")
    found = re.search(r'<select name="split".*?<option value="([^"]+)"', page, re.S)
    assert found is not None
    return found[1]
