"""Try it: scored by rule at once, nothing stored, withheld answers left out, bounded by address."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.apps import apps
from django.core.cache import cache
from django.test import Client

from arena.models import Answer
from arena.services import tryout
from leaderboard.rendering.markdown import cache_key
from tests.leaderboard.replies.scenes import make_board, make_own_problem

pytestmark = pytest.mark.django_db


def paste(slug: str, problem: str, reply: str, status: int = 200) -> str:
    response = Client().post(f"/b/{slug}/problems/{problem}/try/", {"reply": reply})
    assert response.status_code == status
    return response.content.decode()


def count_rows() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def test_expression_shows_trees_and_words_and_stores_nothing() -> None:
    make_board("phybench")
    right = Answer.objects.get(problem__external_id="1", problem__subset__benchmark__slug="phybench").value
    before = count_rows()
    page = paste("phybench", "1", f"So $\\boxed{{7 + {right.strip('$').split('=')[-1]}}}$.")
    assert count_rows() == before
    assert page.count("<svg class=") >= 2 and "answer-found" in page and "Expression Edit Distance" in page


def test_found_answer_is_set_and_not_even_cached() -> None:
    make_board("phybench")
    page = paste("phybench", "1", "So $\\boxed{\\frac{q_{777}}{2}}$.")
    found = page.partition('<div class="found">')[2].partition("</div>")[0]
    assert "<mfrac>" in found and page.count("777") > 2
    assert cache.get(cache_key("$\\frac{q_{777}}{2}$", (), False, ())) is None


def test_right_expression_is_equivalent() -> None:
    make_board("phybench")
    right = Answer.objects.get(problem__external_id="1", problem__subset__benchmark__slug="phybench").value
    page = paste("phybench", "1", f"So \\[\\boxed{{{right.strip('$')}}}\\]")
    assert "The two expressions are equivalent: the same text." in page and 'class="outcome right"' in page


def test_answer_without_a_tree_says_why() -> None:
    make_board("phybench")
    page = paste("phybench", "1", "So $\\boxed{e_1 +}$.")
    assert "No distance could be measured: the answer cannot be read: a term is missing" in page


def test_each_of_several_answers_has_its_verdict() -> None:
    make_board()
    page = paste("hipho", "Sample_2026_en_3_1", "<answer>[\\boxed{200}, \\boxed{1}, \\boxed{2.0}]</answer>")
    assert page.count('class="outcome right"') == 2 and 'id="found-2"' in page and "1.4" in page
    assert "By rule alone" in page


def test_choice_is_read_from_words() -> None:
    make_board("phyx_mc")
    page = paste("phyx_mc", "3", "The answer is B.")
    assert "found" in page and 'href="#found-1"' in page


def test_reply_without_an_answer_is_no_failure() -> None:
    make_board("phybench")
    assert 'class="outcome no_answer"' in paste("phybench", "1", "I do not know.")


def test_withheld_answer_cannot_be_tried() -> None:
    problem = make_own_problem()
    Answer.objects.create(problem=problem, position=0, value="42", points=Decimal(1), is_hidden=True)
    page = Client().get(f"/b/hipho/problems/{problem.external_id}/try/").content.decode()
    assert "withheld" in page and "<textarea" not in page
    assert 'class="outcome' not in paste("hipho", problem.external_id, "\\boxed{42}", status=400)


@pytest.mark.parametrize("text", ["", "   ", "x" * (tryout.LONGEST + 1)])
def test_empty_and_endless_replies_are_refused(text: str) -> None:
    make_board()
    assert 'id="reply-error"' in paste("hipho", "Sample_2026_en_3_1", text, status=400)


def test_one_address_may_try_so_often_and_no_more() -> None:
    make_board("coin_flip")
    statuses = []
    while 429 not in statuses:  # on a slow machine some tries are given back meanwhile
        response = Client().post("/b/coin_flip/problems/0/try/", {"reply": "ANSWER: YES"})
        statuses.append(response.status_code)
        assert len(statuses) < 5 * tryout.TRIES
    assert set(statuses[: tryout.TRIES]) == {200} and "too many tries" in response.content.decode()


def test_pasted_markup_stays_text() -> None:
    make_board("coin_flip")
    page = paste("coin_flip", "0", "</textarea><script>alert(1)</script> ANSWER: YES")
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
