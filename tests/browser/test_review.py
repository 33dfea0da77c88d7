"""Two reviewers and an adjudicator take one item through, by keyboard and by pointer, and the board moves."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from arena.models import BenchmarkRole, Policy, Review, ReviewDraft, ReviewItem, Run, User
from arena.review_parts import parts_to_decide
from arena.services.review_queue import add_reason
from leaderboard.models import Standing
from tests.arena.reviews.scenes import make_people, make_run
from tests.browser.keyboard import tab_to, walk_by_tab
from tests.factories import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def run(live_server: object) -> Run:
    return make_run()


@pytest.fixture
def item(run: Run) -> ReviewItem:
    return add_reason(run.replies.order_by("pk")[0], run.scorer, Policy.REPORTED, "odd")


def sign_in(browser: Browser, url: str, user: User) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on(
        "console",
        lambda message: page.faults.append(message.text) if "Content Security" in message.text else None,  # type: ignore[attr-defined]
    )
    page.goto(f"{url}/accounts/login/?next=/review/")
    page.fill("[name=login]", user.username)
    page.fill("[name=password]", f"{user.username}-secret")
    page.locator("main form [type=submit], main form button").first.click()
    page.wait_for_url("**/review/")
    return page


def claim_next(page: Page) -> None:
    page.locator(".review-next .button").click()
    page.wait_for_selector(".review-part.current")


def select_words(page: Page, words: str) -> None:
    """As a reader drags over them."""
    page.evaluate(
        """words => {
          const walker = document.createTreeWalker(document.getElementById("reply-text"), NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const at = walker.currentNode.data.indexOf(words);
            if (at < 0) continue;
            document.getSelection().setBaseAndExtent(walker.currentNode, at, walker.currentNode, at + words.length);
            return;
          }
          throw new Error("not in the reply");
        }""",
        words,
    )


def counted_total(run: Run) -> float:
    row = Standing.objects.get(run=run, subset__slug="overall", metric="exam_score", basis="effective")
    return float(row.value or 0)


def test_two_reviewers_and_an_adjudicator_move_the_board(
    live_server: object, browser: Browser, run: Run, item: ReviewItem
) -> None:
    url = str(live_server)
    ada, ben = make_people("ada", "ben")
    dora = make_user("dora")
    BenchmarkRole.objects.create(benchmark=run.revision.benchmark, user=dora, role="senior")
    parts = parts_to_decide(item)
    n_criteria = sum(part.level == "step" for part in parts)

    # Ada marks by keys alone: the last number key of each row is its maximum.
    page = sign_in(browser, url, ada)
    claim_next(page)
    assert run.entrant.name not in page.content() and "secret verdict" not in page.content()
    select_words(page, "balance of forces")
    page.keyboard.press("m")
    assert page.locator(f"#evidence-{parts[0].key}").input_value() == "balance of forces"
    for part in parts:
        last = page.locator(f"#part-{part.key} [data-digit]").count() - 1
        page.keyboard.press(str(last))
    page.keyboard.press("u")
    assert page.locator(f"#part-{parts[-1].key} [data-digit]:checked").count() == 0
    page.keyboard.press(str(page.locator(f"#part-{parts[-1].key} [data-digit]").count() - 1))
    page.fill("#reason", "every step is there")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".verdict")
    assert run.entrant.name in page.content()
    first = Review.objects.filter(reviewer=ada)
    assert first.count() == len(parts) and all(review.is_blind for review in first)
    review = first.get(criterion_score=parts[0].score)
    assert item.reply.text[review.evidence_start : review.evidence_end] == "balance of forces"
    assert page.faults == []  # type: ignore[attr-defined]

    # Ben decides the whole answer by pointer.
    page = sign_in(browser, url, ben)
    claim_next(page)
    page.locator("[name=verdict][value=wrong]").check()
    page.fill("#reason", "nothing follows from anything")
    page.locator("#hand-in").click()
    page.wait_for_selector(".verdict")
    item.refresh_from_db()
    assert item.state == ReviewItem.State.DISPUTED

    # Dora sees both without names and decides for the points.
    before = counted_total(run) if Standing.objects.filter(run=run).exists() else None
    page = sign_in(browser, url, dora)
    page.goto(f"{url}/review/?state=disputed")
    page.locator(".queue tbody a").first.click()
    assert page.locator(".review-part.disputed").count() == len(parts)
    text = page.content()
    assert "every step is there" in text and "nothing follows" in text
    assert not any(name in text for name in (ada.username + ":", run.entrant.name, "secret verdict"))
    for part in parts:
        page.locator(f"#part-{part.key} .points label:has([data-digit])").last.click()
        page.fill(f"#reason-{part.key}", "complete")
    page.locator("#hand-in").click()
    page.wait_for_selector(".verdict, .error-summary")
    assert page.locator(".error-summary").all_inner_texts() == []
    item.refresh_from_db()
    assert item.state == ReviewItem.State.DONE
    after = counted_total(run)
    machine = Standing.objects.get(run=run, subset__slug="overall", metric="exam_score", basis="machine")
    assert after > float(machine.value or 0) and (before is None or after > before)
    page.goto(f"{url}/b/hipho/?basis=effective")
    assert f"{after:.1f}" in page.content()
    assert page.faults == []  # type: ignore[attr-defined]
    assert n_criteria > 0


def test_a_review_is_made_by_keyboard_alone(live_server: object, browser: Browser, item: ReviewItem) -> None:
    (ada,) = make_people("ada")
    page = sign_in(browser, str(live_server), ada)
    tab_to(page, ".review-next .button")
    page.keyboard.press("Enter")
    page.wait_for_selector(".review-part.current")
    assert walk_by_tab(page) > 20
    parts = parts_to_decide(item)
    tab_to(page, f"#evidence-{parts[0].key}")
    page.keyboard.type("balance of forces")
    page.keyboard.press("Escape")
    for part in parts:
        tab_to(page, f"#part-{part.key} [data-digit]")
        page.keyboard.press("Space")
    tab_to(page, "#reason")
    page.keyboard.type("every step was read")
    tab_to(page, "#hand-in")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict")
    given = Review.objects.filter(reviewer=ada)
    assert given.count() == len(parts)
    assert given.get(criterion_score=parts[0].score).evidence == "balance of forces"
    assert page.faults == []  # type: ignore[attr-defined]


def test_nothing_typed_is_lost_without_a_connection(live_server: object, browser: Browser, item: ReviewItem) -> None:
    (ada,) = make_people("ada")
    page = sign_in(browser, str(live_server), ada)
    claim_next(page)
    status = page.locator("#review-status")
    page.fill("#reason", "written with a connection")
    expect(status).to_have_text("Saved")
    assert ReviewDraft.objects.get().data["reason"] == "written with a connection"
    page.context.set_offline(True)
    page.fill("#reason", "written without one")
    expect(status).to_contain_text("kept in this browser")
    page.locator("#hand-in").click()
    expect(page.locator("#reason")).to_have_value("written without one")
    page.context.set_offline(False)
    page.reload()
    expect(page.locator("#reason")).to_have_value("written without one")
    assert not Review.objects.exists()


def test_expired_session_keeps_the_page_and_what_is_typed(
    live_server: object, browser: Browser, item: ReviewItem
) -> None:
    (ada,) = make_people("ada")
    page = sign_in(browser, str(live_server), ada)
    claim_next(page)
    context: BrowserContext = page.context
    page.locator("[name=verdict][value=right]").check()
    page.fill("#reason", "agrees with my own derivation")
    expect(page.locator("#review-status")).to_have_text("Saved")
    context.clear_cookies(name="sessionid")
    page.locator("#hand-in").click()
    expect(page.locator("#review-status")).to_contain_text("signed out")
    assert not Review.objects.exists()
    other = context.new_page()
    other.goto(f"{live_server}/accounts/login/?next=/review/")
    other.fill("[name=login]", "ada")
    other.fill("[name=password]", "ada-secret")
    other.locator("main form [type=submit], main form button").first.click()
    other.wait_for_url("**/review/")
    page.locator("#hand-in").click()
    page.wait_for_selector(".verdict")
    assert set(Review.objects.values_list("reason", flat=True)) == {"agrees with my own derivation"}


def test_search_finds_the_words_and_counts_them(live_server: object, browser: Browser, item: ReviewItem) -> None:
    (ada,) = make_people("ada")
    page = sign_in(browser, str(live_server), ada)
    claim_next(page)
    page.keyboard.press("/")
    page.keyboard.type("the")
    expect(page.locator("#reply-search-count")).to_have_text(f"1 / {item.reply.text.lower().count('the')}")


def test_form_works_without_scripts(live_server: object, browser: Browser, item: ReviewItem) -> None:
    (ada,) = make_people("ada")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{live_server}/accounts/login/?next=/review/")
    page.fill("[name=login]", "ada")
    page.fill("[name=password]", "ada-secret")
    page.locator("main form [type=submit], main form button").first.click()
    page.locator(".review-next .button").click()
    page.locator("[name=verdict][value=unreadable]").check()
    page.locator("#hand-in").click()
    assert page.locator(".error-summary").is_visible()
    assert page.locator("[name=verdict][value=unreadable]").is_checked()
    page.fill("#reason", "no word of it can be read")
    page.locator("#hand-in").click()
    assert page.locator(".verdict").is_visible()
    assert set(Review.objects.values_list("verdict", flat=True)) == {"unreadable"}
