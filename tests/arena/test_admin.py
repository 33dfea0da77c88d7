"""The administration: maintainers look at the truth and edit what they may say anew; accounts are not among that."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from arena.models import Benchmark, Judgment, Price, User
from arena.services.people import set_roles
from tests.factories import import_samples, make_cast, make_user, run_inline
from tests.fake_llm import FakeLLM, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def maintainer(client: Client) -> Client:
    """As somebody whom another maintainer appointed."""
    import_samples()
    with FakeLLM([say("ANSWER: YES")]) as server:
        run_inline(server.base_url)
    person = make_user("boss")
    set_roles(person, {"maintainer"}, by=make_cast()["maintainer"])
    client.force_login(person)
    return client


def test_maintainer_finds_every_table_that_is_shown(maintainer: Client) -> None:
    page = maintainer.get("/admin/").content.decode()
    lists = set(re.findall(r'href="(/admin/arena/\w+/)"', page))
    assert len(lists) > 15 and "/admin/arena/reply/" in lists and "permission" not in page
    assert "/admin/arena/user/" not in lists and "/admin/auth/group/" not in page
    for path in sorted(lists):
        assert maintainer.get(path).status_code == 200, path


def test_maintainer_edits_texts_and_prices_and_no_truth(maintainer: Client) -> None:
    row = {"model": "gpt", "valid_from": "2026-01-01", "input_usd": "1", "output_usd": "2", "source": ""}
    assert maintainer.post("/admin/arena/price/add/", row).status_code == 302 and Price.objects.exists()
    benchmark = Benchmark.objects.get()
    assert 'name="title"' in maintainer.get(f"/admin/arena/benchmark/{benchmark.pk}/change/").content.decode()
    judgment = Judgment.objects.first()
    assert maintainer.get(f"/admin/arena/judgment/{judgment.pk}/change/").status_code == 200
    for act in ("change", "delete"):
        assert maintainer.post(f"/admin/arena/judgment/{judgment.pk}/{act}/", {"post": "yes"}).status_code == 403


def test_maintainer_makes_nobody_a_superuser_and_others_do_not_enter(maintainer: Client) -> None:
    person = User.objects.get(username="boss")
    assert maintainer.get(f"/admin/arena/user/{person.pk}/change/").status_code == 403
    maintainer.force_login(User.objects.get(username="reviewer"))
    assert maintainer.get("/admin/").status_code == 302


def test_tables_have_names_in_both_languages(maintainer: Client) -> None:
    plurals = r'<a href="/admin/arena/\w+/"[^>]*>\s*([^<]+?)\s*</a>'
    english = re.findall(plurals, maintainer.get("/admin/").content.decode())
    assert "Replies" in english and "Quota entries" in english
    maintainer.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    chinese = re.findall(plurals, maintainer.get("/admin/").content.decode())
    assert len(chinese) == len(english) and not [name for name in chinese if name.isascii()]
