"""The arena in a real chromium on a running site: keys, races, swiping, nothing told too early, no script needed."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import find_chromium
from tests.browser.site import Site, run_site

pytestmark = pytest.mark.browser

NAMES = ("Demo Steady", "Demo Hasty")
# The demo's judge goes on filling its own table meanwhile: only people's votes are ours to count.
COUNT = (
    "from arena.models import Vote, BattleServing; from arena.models.battles import PEOPLE; "
    "print('n', Vote.objects.filter(pool__in=PEOPLE).count(), BattleServing.objects.count())"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A fresh demo site, once its two models have sat their exams."""
    find_chromium()
    folder: Path = tmp_path_factory.mktemp("arena")
    with run_site(folder, DEMO="1") as running:
        wait_for_battles(running)
        yield running


def wait_for_battles(site: Site) -> None:
    import time

    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        with build_opener(HTTPCookieProcessor(CookieJar())).open(f"{site.url}/arena/?benchmark=arc_indic") as response:
            if b"Reply A" in response.read():
                return
        time.sleep(1)
    pytest.fail(f"no battle after 180 s:\n{site.log}")


def count(site: Site) -> tuple[int, int]:
    """People's votes and servings in the database."""
    found = re.search(r"^n (\d+) (\d+)$", site.manage("shell", "-c", COUNT), re.M)
    assert found
    return int(found[1]), int(found[2])


def open_arena(browser: Browser, site: Site, query: str = "", **options: object) -> Page:
    page = browser.new_page(**options)  # type: ignore[arg-type]
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on("console", lambda m: page.faults.append(m.text) if "Content Security" in m.text else None)  # type: ignore[attr-defined]
    page.goto(f"{site.url}/arena/{query}")
    expect(page.get_by_role("heading", name="Reply A")).to_be_visible()
    return page


def test_a_vote_by_key_reveals_and_the_next_battle_is_there(site: Site, browser: Browser) -> None:
    page = open_arena(browser, site, "?benchmark=arc_indic")
    before = page.content()
    assert not any(name in before for name in NAMES)
    assert not any(name in str(page.context.cookies()) for name in NAMES)
    page.wait_for_load_state("networkidle")
    first = page.locator("#battle").get_attribute("data-after")
    page.keyboard.press("a")
    expect(page.get_by_text("You found A better.")).to_be_visible()
    assert all(name in page.content() for name in NAMES)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if request.is_navigation_request() else None)
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="Reply A")).to_be_visible()
    second = page.locator("#battle").get_attribute("data-after")
    assert second != first and requests == []  # it was fetched ahead: no page was loaded
    assert not any(name in page.locator("#battle").inner_html() for name in NAMES)
    assert page.faults == []  # type: ignore[attr-defined]
    page.close()


@pytest.mark.parametrize(("key", "words"), [("b", "You found B better."), ("t", "equally good"), ("x", "both bad")])
def test_each_outcome_has_its_key(site: Site, browser: Browser, key: str, words: str) -> None:
    page = open_arena(browser, site)
    page.keyboard.press(key)
    expect(page.get_by_text(words)).to_be_visible()
    page.close()


def test_a_double_click_votes_once(site: Site, browser: Browser) -> None:
    votes, _ = count(site)
    page = open_arena(browser, site)
    page.get_by_role("button", name="A is better").dblclick()
    expect(page.get_by_text("You found A better.")).to_be_visible()
    assert count(site)[0] == votes + 1
    page.close()


def test_two_tabs_give_one_vote_and_both_see_the_first(site: Site, browser: Browser) -> None:
    votes, _ = count(site)
    context = browser.new_context()
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(f"{site.url}/arena/?benchmark=coin_flip")
    one.get_by_role("button", name="A is better").click()
    expect(one.get_by_text("You found A better.")).to_be_visible()
    two.get_by_role("button", name="B is better").click()
    expect(two.get_by_text("You found A better.")).to_be_visible()
    assert count(site)[0] == votes + 1
    context.close()


def test_a_race_and_a_replay_over_http_leave_one_vote(site: Site) -> None:
    votes, _ = count(site)
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    page = opener.open(f"{site.url}/arena/?benchmark=arc_indic").read().decode()
    vote = re.search(r'action="([^"]+/vote/)"', page)
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert vote and token
    seen: list[str] = []
    start = threading.Barrier(8)

    def click(choice: str) -> None:
        body = urlencode({"choice": choice, "csrfmiddlewaretoken": token[1]}).encode()
        start.wait()
        answer = opener.open(Request(site.url + vote[1], body, {"Referer": site.url})).read().decode()
        found = re.search(r"You found [AB] better\.", answer)
        seen.append(found[0] if found else answer)

    threads = [threading.Thread(target=click, args=(("left", "right")[n % 2],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len(set(seen)) == 1
    assert count(site)[0] == votes + 1
    stranger = build_opener(HTTPCookieProcessor(CookieJar()))
    with pytest.raises(HTTPError) as refused:
        stranger.open(site.url + vote[1].replace("vote/", ""))
    assert refused.value.code == 404


def test_parallel_tabs_never_serve_one_pairing_twice(site: Site) -> None:
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(f"{site.url}/arena/?benchmark=arc_indic").read()
    _, servings = count(site)
    uuids: list[str] = []
    start = threading.Barrier(6)

    def look() -> None:
        start.wait()
        page = opener.open(f"{site.url}/arena/?benchmark=arc_indic").read().decode()
        uuids.extend(re.findall(r'data-after="([^"]+)"', page))

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(uuids)) == 1 and count(site)[1] == servings


def test_the_reference_opens_on_request_and_is_not_in_the_page_before(site: Site, browser: Browser) -> None:
    page = open_arena(browser, site, "?benchmark=arc_indic")
    assert page.locator("#reference").count() == 0
    page.get_by_role("button", name="Reference answer").click()
    expect(page.locator("#reference")).to_be_visible()
    expect(page.get_by_role("button", name="A is better")).to_be_visible()
    page.close()


def test_replies_are_swiped_on_a_telephone(site: Site, browser: Browser) -> None:
    page = open_arena(browser, site, "?benchmark=arc_indic", viewport={"width": 390, "height": 844})
    duel = page.locator(".duel")
    assert duel.evaluate("e => getComputedStyle(e).scrollSnapType").startswith("x")
    assert duel.evaluate("e => e.scrollWidth > e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    duel.evaluate("e => e.scrollTo({ left: e.scrollWidth, behavior: 'instant' })")
    box = page.locator("#reply-B").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 391
    page.close()


def test_everything_works_without_scripts(site: Site, browser: Browser) -> None:
    page = open_arena(browser, site, java_script_enabled=False)
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="B is better").click()
    expect(page.get_by_text("You found B better.")).to_be_visible()
    page.get_by_role("link", name="Next battle").click()
    expect(page.get_by_role("heading", name="Reply A")).to_be_visible()
    page.close()
