"""The problem page: what the examinee saw, what every model got, and nothing that is withheld."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import Answer, Criterion, Erratum, Image
from arena.services.catalog import import_benchmark
from arena.services.errata import decide_erratum
from arena.services.reviews import review_part
from leaderboard.selectors.catalog import find_place
from leaderboard.selectors.problems import problem_url
from tests.factories import make_cast
from tests.leaderboard.replies.scenes import (
    add_reply,
    find_problem,
    make_board,
    make_own_problem,
    make_run,
    mark_answers,
    mark_steps,
)

pytestmark = pytest.mark.django_db

HERE = "/b/hipho/problems/Sample_2026_en_1_A/"
SECRET = "seventeen-and-a-half"


def open_page(address: str = HERE, client: Client | None = None, status: int = 200) -> str:
    response = (client or Client()).get(address)
    assert response.status_code == status
    return response.content.decode()


def test_page_has_sheet_figure_scheme_and_neighbours() -> None:
    make_board()
    page = open_page()
    assert "Constants and useful information" not in page  # the sample says `None.`, which is no sheet
    figure = re.search(r'<img src="/b/hipho/figures/[0-9a-f]{64}/" alt="([^"]+)" width="(\d+)" height="(\d+)"', page)
    assert figure and figure[1]
    known = Image.objects.filter(figures__problem__external_id="Sample_2026_en_1_A").first()
    assert known and abs(int(figure[2]) / int(figure[3]) - known.width / known.height) < 0.01
    assert '<a class="figure-zoom"' in page and "Show answers" in page
    assert (
        "Marking scheme A" in page and "Marking scheme B" in page and 'rel="next"' in page and 'rel="prev"' not in page
    )
    assert "No published run has answered it yet" in page


def test_constants_sheet_is_folded_above() -> None:
    problem = make_own_problem(information="Speed of light: $c = 3 \\times 10^8$")
    page = open_page(f"/b/hipho/problems/{problem.external_id}/")
    assert page.index("Constants and useful information") < page.index("Speed of light") < page.index("What is ")


def test_options_without_texts_are_left_to_the_statement() -> None:
    problem = make_own_problem("A or B?", choices=[["A", ""], ["B", ""]])
    assert 'class="choices"' not in open_page(f"/b/hipho/problems/{problem.external_id}/")
    other = make_own_problem("Which?", choices=[["A", "one"], ["B", "$x^2$"]], external_id="Sample_2026_en_9_2")
    page = open_page(f"/b/hipho/problems/{other.external_id}/")
    assert 'class="choices"' in page and "<math" in page


def test_withheld_reference_is_nowhere() -> None:
    problem = make_own_problem("What is it?", max_points=Decimal(2), solution=f"It is {SECRET}.")
    Answer.objects.create(problem=problem, position=0, value=SECRET, points=Decimal(2), is_hidden=True)
    Criterion.objects.create(problem=problem, scheme=0, position=0, text=f"obtains {SECRET}", max_points=Decimal(2))
    reply = add_reply(make_run(), problem, "It is \\boxed{3}.")
    mark_steps(reply, {}, reason=f"not {SECRET}")
    mark_answers(reply, "3", share=Decimal(0), reason=f"3 is not {SECRET}")
    base = f"/b/hipho/problems/{problem.external_id}/"
    pages = [open_page(base), open_page(base + "try/"), open_page(f"/replies/{reply.uuid}/")]
    pages.append(open_page(f"/replies/{reply.uuid}/?view=prompt"))
    pages.append(
        Client()
        .post(base + "try/", {"reply": f"\\boxed{{{SECRET}}} x"})
        .content.decode()
        .replace(f"boxed{{{SECRET}}}", "")
    )
    assert not any(SECRET in page for page in pages)
    assert "withheld" in pages[0] and "Show answers" not in pages[0]
    open_page(base + "?criterion=1", status=404)


def test_every_model_stands_in_plot_and_table_best_first() -> None:
    make_board()
    problem = find_problem("Sample_2026_en_1_A")
    for name, share in (("Low", Decimal("0.2")), ("High", Decimal(1))):
        run = make_run(name, repeats=2)
        for repeat in range(2):
            reply = add_reply(run, problem, "words", repeat)
            mark_steps(reply, {}, share=share)
            mark_answers(reply, "1", share=Decimal(0))
    page = open_page()
    assert "dot-plot" in page and page.index(">High</a></th>") < page.index(">Low</a></th>")
    assert "1 of 2 models" in page and "60\u202f%" in page


def test_criterion_page_lists_every_models_points_and_quote() -> None:
    make_board()
    problem = find_problem("Sample_2026_en_1_A")
    for name, quote in (("Anna", "the balance of forces"), ("Bert", "words that are not there")):
        mark_steps(add_reply(make_run(name), problem, "We use the balance of forces."), {"s0c0": quote}, reason="seen")
    for query in ("1", "s0c0", "0"):
        page = open_page(f"{HERE}?criterion={query}")
        assert "the balance of forces" in page and "Quote not in the reply" in page and ">Anna</a>" in page
    assert "Criterion 1, of scheme B" in open_page(f"{HERE}?criterion=s1c0")  # as the replies number it
    for query in ("99", "s7c0", "x", "-1"):
        open_page(f"{HERE}?criterion={query}", status=404)


def test_criterion_page_shows_reviewed_points() -> None:
    make_board()
    judgment = mark_steps(add_reply(make_run(), find_problem("Sample_2026_en_1_A"), "words"), {}, share=Decimal(0))
    part = judgment.criterion_scores.get(criterion__scheme=0, criterion__position=0)
    review_part(make_cast()["maintainer"], part, part.criterion.max_points, "It is there.")
    assert "reviewed" in open_page(f"{HERE}?criterion=1")


def test_revisions_of_the_problem_are_linked(tmp_path: Path) -> None:
    make_board()
    import_benchmark("hipho", None, "second")
    page = open_page(HERE)
    assert "<b>second</b>" in page or "<b>sample</b>" in page
    other = re.search(r'href="([^"]*\?revision=[^"]+)"', page)
    assert other
    open_page(other[1])


def test_reader_reports_a_wrong_reference_and_sees_what_became_of_it() -> None:
    make_board()
    problem, cast = find_problem("Sample_2026_en_1_A"), make_cast()
    mark_steps(add_reply(make_run(), problem, "words"), {})
    client = Client()
    assert client.post(HERE + "report/", {"claim": "g is not 10"}).status_code == 302 and not Erratum.objects.exists()
    client.force_login(cast["submitter"])
    page = client.post(HERE + "report/", {"claim": "$g$ is <b>not</b> 10"}, follow=True).content.decode()
    assert "</math> is &lt;b&gt;not&lt;/b&gt; 10" in page and "a maintainer will decide" in page
    decide_erratum(cast["maintainer"], Erratum.objects.get(), "accepted", "The sheet says 9.8.")
    page = open_page()
    assert "The sheet says 9.8." in page and "1 reply is looked at again" in page
    client.post(HERE + "report/", {"claim": "  "})
    assert Erratum.objects.count() == 1


def test_ids_with_odd_signs_have_pages() -> None:
    make_own_problem("Odd", external_id="F=MA & 50 % + 1: a.b-c")
    address = problem_url(find_place("hipho"), "F=MA & 50 % + 1: a.b-c")
    assert "Odd" in open_page(address) and "Odd" in open_page(address + "try/")


def test_number_of_queries_does_not_grow_with_models_and_attempts() -> None:
    counts = []
    for n_models, repeats in ((2, 1), (60, 8)):
        problem = make_own_problem(external_id=f"Own_{n_models}")
        Criterion.objects.create(problem=problem, scheme=0, position=0, text="one", max_points=Decimal(1))
        for model in range(n_models):
            run = make_run(f"Model {n_models} {model}", repeats=repeats)
            for repeat in range(repeats):
                mark_steps(add_reply(run, problem, "words", repeat), {"s0c0": "words"})
        address = f"/b/hipho/problems/{problem.external_id}/?criterion=1"
        open_page(address)
        with CaptureQueriesContext(connection) as queries:
            open_page(address)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 45
