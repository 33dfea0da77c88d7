"""Every file that a template names is there, and a page does without one that is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import Context, Template
from django.test import Client

from arena.env import BASE_DIR

NAMED = re.compile(r"""\{%\s*static\s+["']([^"']+)["']""")
PRODUCTION = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "arena.static_files.SteadyStaticFiles"},
}


def test_every_static_file_that_a_template_names_is_there() -> None:
    names = {name for path in (BASE_DIR / "templates").rglob("*.html") for name in NAMED.findall(path.read_text())}
    assert names and not [name for name in names if finders.find(name) is None]


@pytest.mark.django_db
def test_page_without_its_static_files_is_still_a_page(
    client: Client, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.STORAGES, settings.STATIC_ROOT, settings.DEBUG = PRODUCTION, str(tmp_path / "static"), False
    assert client.get("/methodology/").status_code == 200, "collectstatic was not run"
    call_command("collectstatic", "--noinput", verbosity=0)
    render = Template("{% load static %}{% static 'css/tokens.css' %} {% static 'css/gone.css' %}").render
    kept, missing = render(Context()).split()
    caplog.clear()
    answer = Client().get(kept)
    assert "immutable" in answer["Cache-Control"] and not caplog.records, "and nothing is looked for that is not named"
    assert re.fullmatch(r"/static/css/tokens\.[0-9a-f]{12}\.css", kept) and missing == "/static/css/gone.css"


def test_settings_of_a_site_use_it() -> None:
    from arena import settings as production

    assert production.STORAGES["staticfiles"] == PRODUCTION["staticfiles"]


@pytest.mark.parametrize(
    ("path", "kind", "start"), [("favicon.ico", "image/", b"\0\0\1\0"), ("robots.txt", "text/plain", b"User-agent")]
)
def test_what_browsers_and_robots_look_for_at_the_root_is_there(path: str, kind: str, start: bytes) -> None:
    answer = Client().get(f"/{path}")
    assert answer.status_code == 200 and answer["Content-Type"].startswith(kind)
    assert b"".join(answer.streaming_content).startswith(start) and "max-age=86400" in answer["Cache-Control"]
