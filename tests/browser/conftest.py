"""What browser tests share: a real chromium and a whole running site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.site import Site, run_site


def find_chromium() -> str:
    """Where chromium is; skips the test where there is none, and fails instead in CI."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        if os.environ.get("CI") == "true":
            pytest.fail("no chromium is installed")
        pytest.skip("no chromium is installed")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright's loop runs in this thread, where Django would refuse the database; it is ours alone."""
    path = find_chromium()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A fresh site with our samples, sign-up open, no demo accounts; one for all tests of a module."""
    find_chromium()
    folder: Path = tmp_path_factory.mktemp("site")
    with run_site(folder, SIGNUP="open") as running:
        yield running
