"""What all tests share: the append-only guard around a flush, real data where it is, a model server on loopback."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real benchmark files beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with real benchmark files is not here")
    return SHARED


@pytest.fixture(autouse=True)
def own_media(tmp_path: Path) -> Iterator[None]:
    """Each test stores figures in a folder of its own."""
    before = settings.MEDIA_ROOT
    settings.MEDIA_ROOT = tmp_path / "media"
    yield
    settings.MEDIA_ROOT = before


@pytest.fixture(autouse=True)
def empty_caches() -> Iterator[None]:
    from django.core.cache import cache

    from arena.services import prompts, throttling

    cache.clear()
    prompts._shots.cache_clear()
    prompts._load.cache_clear()
    throttling.site_throttle.cache_clear()
    yield


@pytest.fixture(autouse=True)
def own_language() -> Iterator[None]:
    """A request leaves its language active in the thread: the next test starts with the default again."""
    from django.utils import translation

    yield
    translation.deactivate()


def _install_flush_guard() -> None:
    """A transactional test flushes all tables afterwards, which the triggers refuse: the guard is off for it."""
    from django.test import TransactionTestCase

    flush = TransactionTestCase._fixture_teardown

    def teardown(self: TransactionTestCase) -> None:
        from arena.models import Guard

        Guard.objects.update_or_create(pk=1, defaults={"enforced": False})
        try:
            flush(self)
        finally:
            _restore_rows()

    TransactionTestCase._fixture_teardown = teardown  # type: ignore[method-assign]


def _restore_rows() -> None:
    """What migrations put into tables and a flush took away: the guard and the groups."""
    from django.contrib.auth.models import Group

    from arena.models import MAINTAINER, REVIEWER, Guard

    Guard.objects.update_or_create(pk=1, defaults={"enforced": True})
    for name in (REVIEWER, MAINTAINER):
        Group.objects.get_or_create(name=name)


def pytest_configure(config: pytest.Config) -> None:
    _install_flush_guard()


def pytest_unconfigure(config: pytest.Config) -> None:
    from arena.env import VAR

    if VAR.name.startswith("proctor-test-") and VAR.parent == Path(tempfile.gettempdir()):
        shutil.rmtree(VAR, ignore_errors=True)
