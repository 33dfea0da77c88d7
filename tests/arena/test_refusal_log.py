"""A refused request is one line of the log; what broke keeps its traceback."""

from __future__ import annotations

import io
import logging

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from arena.urls import urlpatterns as ours
from tests.factories import make_user


def break_down(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("this page breaks")


urlpatterns = [path("broken/", break_down), *ours]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the console would show."""
    stream = io.StringIO()
    console = next(handler for handler in logging.getLogger().handlers if handler.name == "console")
    monkeypatch.setattr(console, "stream", stream)
    return stream


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_a_refusal_is_one_line_and_what_broke_keeps_its_traceback(written: io.StringIO) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(make_user("reader"))
    assert client.get("/people/").status_code == 403
    assert len(written.getvalue().splitlines()) == 1 and "/people/" in written.getvalue()
    assert client.get("/broken/").status_code == 500
    assert "RuntimeError: this page breaks" in written.getvalue()
