"""The frame of every page and the account pages that it clothes."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

ACCOUNT_PAGES = ("/accounts/login/", "/accounts/password/reset/")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ACCOUNT_PAGES)
def test_account_page_stands_in_our_frame(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    assert 'class="site-header"' in page and 'class="narrow"' in page
    assert '<div class="field' in page and 'class="button"' in page


@pytest.mark.django_db
def test_error_stands_beside_its_field_and_what_was_typed_stays(client: Client) -> None:
    page = client.post("/accounts/login/", {"login": "nobody-here", "password": ""}).content.decode()
    assert 'value="nobody-here"' in page
    assert 'id="id_password_error"' in page and "id_password_error" in page.split('name="password"')[1].split(">")[0]


@pytest.mark.django_db
def test_signed_in_reader_finds_the_account_menu(client: Client) -> None:
    client.force_login(get_user_model().objects.create_user("reviewer", password="x"))
    page = client.get("/accounts/email/").content.decode()
    assert "<summary>reviewer</summary>" in page and "/accounts/logout/" in page
    assert '<a href="/accounts/email/" aria-current="page">' in page


@pytest.mark.django_db
def test_language_form_of_a_stored_page_works_without_a_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post("/i18n/setlang/", {"language": "zh-hans", "next": "/accounts/login/"})
    assert answer.status_code == 302 and answer.cookies["django_language"].value == "zh-hans"
    page = strict.get("/accounts/login/").content.decode()
    assert '<html lang="zh-hans"' in page and 'value="en"' in page


def test_frame_is_the_same_for_every_visitor() -> None:
    request = RequestFactory().get("/somewhere/")
    pages = {render_to_string("404.html", request=request) for _ in range(2)}
    assert len(pages) == 1 and "csrfmiddlewaretoken" not in pages.pop()


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "500"])
def test_error_page_needs_no_context(name: str) -> None:
    """The handler of a 500 renders without a request."""
    page = render_to_string(f"{name}.html")
    assert "<h1>" in page and 'href="#content"' in page


@pytest.mark.parametrize(
    ("outcome", "word"),
    [("right", "right"), ("judge_failed", "judge failed"), ("cut", "cut by length"), ("", "not scored")],
)
def test_outcome_says_its_word(outcome: str, word: str) -> None:
    assert word in render_to_string("_outcome.html", {"outcome": outcome})
    assert f'aria-label="attempt 2: {word}' in render_to_string(
        "_outcome.html", {"outcome": outcome, "href": "/x/", "label": "attempt 2"}
    )


def test_medal_is_a_letter_and_an_uncertain_one_says_its_share() -> None:
    assert ">G</abbr>" in render_to_string("_medal.html", {"medal": "gold"})
    ring = render_to_string("_medal.html", {"medal": "silver", "share": "5/8"})
    assert "uncertain" in ring and "5/8" in ring
    assert "<abbr" not in render_to_string("_medal.html", {"medal": ""})


def test_receipt_leaves_out_what_is_not_known() -> None:
    page = render_to_string("_receipt.html", {"receipt": {"value": "22.7", "n": "403", "judge": "judge-x"}})
    assert "22.7" in page and "judge-x" in page
    assert "Prompt" not in page and "BibTeX" not in page


def test_pagination_keeps_the_rest_of_the_query() -> None:
    page = Paginator(range(300), 10).page(5)
    html = render_to_string(
        "_pagination.html",
        {"page": page, "page_range": page.paginator.get_elided_page_range(5)},
        request=RequestFactory().get("/", {"sort": "eed", "page": 5}),
    )
    assert "sort=eed&amp;page=6" in html and 'aria-current="page">5<' in html and "…" in html
