"""The first hour of a submitter, in a real chromium against a whole running site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.site import Site
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, say

pytestmark = pytest.mark.browser

PASSWORD = "a long enough pass phrase"
KEY = "sk-the-right-key-4711"
WAIT_MS = 90_000
expect.set_options(timeout=WAIT_MS)


def guard_door(request: FakeRequest) -> Answer:
    """A model that answers YES to whoever has the key."""
    if request.key != KEY:
        return fail(401, f"Incorrect API key provided: {request.key}")
    return say("The coin was flipped an even number of times. ANSWER: YES")


def open_page(browser: Browser, site: Site, path: str = "/") -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-GB")
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on(
        "console",
        lambda message: page.faults.append(message.text) if "Content Security" in message.text else None,  # type: ignore[attr-defined]
    )
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{site.url}{path}")
    return page


def sign_up(page: Page, name: str) -> None:
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("main").get_by_role("link", name="sign up").click()
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    expect(page.locator(".menu > summary")).to_have_text(name)


def fill_form(page: Page, server: FakeLLM, key: str, model: str) -> None:
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + "/submit/")
    page.get_by_label("Model name").fill(model)
    page.get_by_label("Organisation").fill("Aurora Lab")
    page.get_by_label("Endpoint URL", exact=True).fill(server.base_url)
    page.locator("[name=api_key]").fill(key)
    page.get_by_label("Model id").fill("aurora")
    page.get_by_label("Benchmark", exact=True).select_option("coin_flip")
    expect(page.locator("[name=max_tokens]")).to_have_value("2048")


def test_stranger_submits_a_model_and_sees_it_on_the_board(site: Site, browser: Browser) -> None:
    with FakeLLM(guard_door, models=("aurora",)) as server:
        page = open_page(browser, site)
        sign_up(page, "stranger")

        fill_form(page, server, "sk-a-wrong-key", "Aurora-2")
        expect(page.locator("#estimate")).to_contain_text("20 calls")
        page.get_by_role("button", name="Check endpoint").click()
        expect(page.locator("#endpoint-report .error")).to_contain_text("401")
        expect(page.get_by_label("Model name")).to_have_value("Aurora-2")

        page.get_by_role("button", name="Start the run").click()
        expect(page.locator("#id_api_key_error")).to_contain_text("The key was refused")
        assert "sk-a-wrong-key" not in page.content()
        page.locator("[name=api_key]").fill("sk-a-wrong-key")
        page.get_by_role("button", name="Start anyway").click()
        expect(page.locator("#run-progress")).to_contain_text("failed")
        expect(page.locator("#run-progress .error")).to_contain_text("key")
        assert "sk-a-wrong-key" not in page.content()
        expect(page.get_by_role("button", name="Publish")).to_have_count(0)

        fill_form(page, server, KEY, "Aurora-2")
        page.get_by_role("button", name="Check endpoint").click()
        expect(page.locator("#endpoint-report")).to_contain_text("The endpoint works")
        page.get_by_role("button", name="Start the run").click()
        page.wait_for_url("**/submissions/*/")
        expect(page.locator("#run-progress")).to_contain_text("finished")
        expect(page.get_by_text("private: only you")).to_be_visible()
        expect(page.get_by_role("heading", name="Result")).to_be_visible()  # the whole page follows the run's end
        expect(page.get_by_role("button", name="Cancel the run")).to_have_count(0)

        page.get_by_role("button", name="Publish").click()
        expect(page.get_by_text("The run is published")).to_be_visible()
        page.get_by_role("main").get_by_role("link", name="The board").click()
        row = page.locator(".board tbody tr", has_text="Aurora-2")
        for _ in range(20):
            if row.count():
                break
            page.wait_for_timeout(500)
            page.reload()
        expect(row).to_contain_text("not ranked: sample set")

        open_a_reply(page)
        page.get_by_role("button", name="简体中文").click()
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        assert page.faults == []  # type: ignore[attr-defined]
        page.close()


def open_a_reply(page: Page) -> None:
    """From the board to one of the model's replies, by links alone."""
    page.get_by_role("main").get_by_role("link", name="Problems").first.click()
    page.get_by_role("main").get_by_role("link", name="0", exact=True).first.click()
    page.wait_for_url("**/problems/0/*")
    page.locator("main a[href*='replies/']:visible").first.click()
    expect(page.get_by_role("main")).to_contain_text("ANSWER: YES")


def test_model_is_ranked_on_the_official_data(site: Site, browser: Browser, shared: Path) -> None:
    site.manage("import_benchmark", "coin_flip", "--path", str(shared / "data/coin_flip/autoform_first500.jsonl"))
    with FakeLLM(guard_door, models=("aurora",)) as server:
        page = open_page(browser, site)
        sign_up(page, "second")
        fill_form(page, server, KEY, "Borealis-1")
        expect(page.locator("#estimate")).to_contain_text("500 calls")
        page.get_by_role("button", name="Start the run").click()
        expect(page.locator("#run-progress")).to_contain_text("finished")
        page.get_by_role("button", name="Publish").click()
        page.get_by_role("main").get_by_role("link", name="The board").click()
        row = page.locator(".board tbody tr", has_text="Borealis-1")
        for _ in range(40):
            if row.count():
                break
            page.wait_for_timeout(500)
            page.reload()
        expect(row.locator(".rank")).to_contain_text("1")
        expect(row).not_to_contain_text("not ranked")
        page.close()


def test_form_is_whole_without_scripts(site: Site, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{site.url}/accounts/signup/")
    page.get_by_label("Username").fill("plain")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.goto(f"{site.url}/submit/")
    page.get_by_label("Model name").fill("Plain-1")
    page.get_by_label("Benchmark", exact=True).select_option("coin_flip")
    page.get_by_role("button", name="Show its choices").click()
    expect(page.locator("[name=max_tokens]")).to_have_value("2048")
    expect(page.get_by_label("Model name")).to_have_value("Plain-1")
    with FakeLLM(guard_door) as server:
        page.get_by_label("Endpoint URL", exact=True).fill(server.base_url)
        page.locator("[name=api_key]").fill(KEY)
        page.get_by_role("button", name="Check endpoint").click()
        expect(page.locator("#endpoint-report")).to_contain_text("The endpoint works")
        assert KEY not in page.content()
        page.locator("[name=limit]").fill("2")
        page.locator("[name=api_key]").fill(KEY)
        page.get_by_role("button", name="Start the run").click()
        for _ in range(60):
            if "finished" in page.locator("#run-progress").inner_text():
                break
            page.wait_for_timeout(500)
            page.reload()
        expect(page.locator("#run-progress")).to_contain_text("finished")
    context.close()


def test_predictions_file_is_checked_and_scored(site: Site, browser: Browser, tmp_path: Path) -> None:
    page = open_page(browser, site)
    sign_up(page, "uploader")
    page.goto(f"{site.url}/submit/file/?benchmark=hipho")
    page.get_by_label("Model name").fill("Brought-1")
    page.get_by_label("Benchmark", exact=True).select_option("arc_indic")
    expect(page.get_by_role("link", name="Template for ARC")).to_be_visible()
    expect(page.get_by_label("Model name")).to_have_value("Brought-1")
    with page.expect_download() as download:
        page.get_by_role("link", name="Template for").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:2], "{oops", lines[0]]), encoding="utf-8")
    page.locator("[name=file]").set_input_files(broken)
    page.get_by_role("button", name="Check and score").click()
    expect(page.locator("#id_file_error")).to_contain_text("line 3: not JSON")
    expect(page.locator("#id_file_error")).to_contain_text("line 4:")
    expect(page.get_by_label("Model name")).to_have_value("Brought-1")
    whole = tmp_path / "whole.jsonl"
    whole.write_text(
        "\n".join(json.dumps({**json.loads(line), "reply": "ANSWER: A"}) for line in lines), encoding="utf-8"
    )
    page.locator("[name=file]").set_input_files(whole)
    page.get_by_role("button", name="Check and score").click()
    expect(page.locator("#run-progress")).to_contain_text("finished")
    expect(page.locator(".tag.uploaded")).to_be_visible()
    page.close()
