"""The reply page: words, marks, points, neighbours, history."""

from __future__ import annotations

import re
from decimal import Decimal
from html import unescape

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from arena.models import Reply, ReviewItem
from arena.sent_prompts import read_sent
from arena.services.doubts import queue_doubts
from arena.services.reviews import review_part
from leaderboard.selectors.kinds import say_flag
from tests.factories import make_cast
from tests.leaderboard.replies.scenes import (
    add_reply,
    find_problem,
    make_own_problem,
    make_run,
    mark_answers,
    mark_steps,
)

pytestmark = pytest.mark.django_db

TEXT = (
    "<think>\nFirst the forces balance: $N = mg$.\n\nThen the sum of torques vanishes.\n</think>\n"
    "So the answer is $\\boxed{42}$."
)
TWO_SCHEMES = "Sample_2026_en_1_A"


def address(reply: Reply, query: str = "") -> str:
    return f"/replies/{reply.uuid}/{query}"


def open_page(reply: Reply, query: str = "", client: Client | None = None) -> str:
    response = (client or Client()).get(address(reply, query))
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def reply() -> Reply:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT)
    mark_steps(reply, {"s0c0": "the forces balance: $N = mg$", "s1c0": "sum of torques vanishes"})
    mark_answers(reply, "42")
    return reply


def test_every_link_within_the_page_has_its_target(reply: Reply) -> None:
    page = open_page(reply)
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    links = {unescape(link) for link in re.findall(r'href="#([^"]+)"', page)}
    assert {"q-c0-0", "q-c1-0", "r-c0-0", "q-a0"} <= ids
    assert links - ids == set()


def test_ids_are_unique(reply: Reply) -> None:
    ids = re.findall(r'\bid="([^"]+)"', open_page(reply))
    assert len(ids) == len(set(ids))


def test_scheme_that_does_not_count_has_its_marks_too_but_quiet(reply: Reply) -> None:
    page = open_page(reply)
    assert re.search(r'<mark class="evidence partial" id="q-c0-0">', page)
    assert re.search(r'<mark class="evidence quiet partial" id="q-c1-0">', page)
    assert 'id="pick-s0" checked' in page and 'id="pick-s1"' in page


def test_found_answer_stands_marked_where_it_was_found(reply: Reply) -> None:
    page = open_page(reply)
    found = re.search(r'<mark class="answer-found" id="q-a0">(.*?)</mark>', page, re.S)
    assert found and "42" in found[1]
    raw = open_page(reply, "?view=raw")
    assert '<mark class="answer-found" id="q-a0">42</mark>' in raw


def test_quote_that_is_not_in_the_reply_is_struck_and_leads_nowhere() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT)
    mark_steps(reply, {"s0c0": "energy is conserved here"})
    page = open_page(reply)
    assert "Quote not in the reply" in page and re.search(r"<s[^>]*>“energy is conserved here”</s>", page)
    assert "q-c0-0" not in page


def test_quote_with_a_wide_formula_is_set_beside_its_link() -> None:
    wide = "$T = \\frac{4 \\pi}{3} \\frac{d^3 R \\omega}{G M_S h_{\\max} \\cos \\alpha} + \\alpha_1 + \\beta_2$"
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), f"<think>\nSo {wide} holds.\n</think>\n$\\boxed{{42}}$")
    mark_steps(reply, {"s0c0": f"So {wide} holds."})
    row = open_page(reply).partition('id="r-c0-0"')[2].partition("</li>")[0]
    quote = re.search(r'<div class="citation".*?</div>', row, re.S)
    assert quote and "<mfrac>" in quote[0] and "$T" not in re.sub(r"<annotation.*?</annotation>", "", quote[0])
    assert '<a class="place" href="#q-c0-0">in the reply</a>' in row


def test_long_quote_is_cut_outside_its_formulas() -> None:
    words = "The energy $E = mc^2$ is conserved in every step of it. " * 30
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), words)
    mark_steps(reply, {"s0c0": words.strip()})
    quote = re.search(r'<a class="citation".*?</a>', open_page(reply), re.S)
    assert quote and 9 < quote[0].count("<math") < 30 and "…" in quote[0] and "$" not in quote[0]


def test_flags_are_told_once_and_in_words() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT, finish_reason="length")
    mark_answers(reply, "42", details={"flags": ["cut by length", "1 boxes for 2 answers", "one box split in 2"]})
    page = open_page(reply)
    tags = re.findall(r'<span class="tag warning">(.*?)</span>', page)
    assert tags == ["cut by length", "1 box for 2 answers", "one box split in 2"]
    with override("zh-hans"):
        assert say_flag("1 boxes for 2 answers") != "1 boxes for 2 answers"


def test_measured_reply_without_a_price_says_so() -> None:
    assert "no known price" in open_page(add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT))


def test_lost_quotes_are_queued_once_for_one_person() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT)
    mark_steps(reply, {"s0c0": "energy is conserved here", "s0c1": "the forces balance"})
    assert (queue_doubts(reply.run).new, queue_doubts(reply.run).new) == (1, 0)
    item = ReviewItem.objects.get(reply=reply)
    assert item.needed == 1 and item.focus is not None and item.focus.target == "s0c0"
    assert "in the review queue: a quote is not in the reply" in open_page(reply)


def test_unpublished_replies_are_not_queued() -> None:
    reply = add_reply(make_run(is_published=False), find_problem(TWO_SCHEMES), TEXT)
    mark_steps(reply, {"s0c0": "energy is conserved here"})
    assert queue_doubts(reply.run).new == 0


def test_totals_add_up_on_the_page(reply: Reply) -> None:
    page = open_page(reply)
    for sum_text, total in re.findall(r'class="rubric-total">([\d.+ ]+) = <b>([\d.]+)</b>', page):
        assert sum(Decimal(part) for part in sum_text.split(" + ")) == Decimal(total)
    assert "answer-level" in page and "step-level" in page and "counted" in page


def test_prompt_stands_as_it_was_sent(reply: Reply) -> None:
    sent = read_sent(reply.run, Reply.objects.get(pk=reply.pk).problem)
    for query in ("", "?view=prompt"):
        page = unescape(open_page(reply, query))
        assert all(part.text in page for part in sent if part.text)
    assert "base64" not in open_page(reply, "?view=prompt")


def test_uploaded_reply_claims_no_prompt() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT)
    reply.run.provenance = "uploaded"
    reply.run.save()
    assert "Prompt as sent" not in open_page(reply)


def test_raw_text_is_the_text(reply: Reply) -> None:
    page = open_page(reply, "?view=raw")
    block = re.search(r'<pre class="verbatim"[^>]*>(.*?)</pre>', page, re.S)
    assert block
    without_gutter = re.sub(r'<a class="gutter[^>]*>\d+</a>', "", block[1])
    assert unescape(re.sub(r"</?mark[^>]*>", "", without_gutter)) == TEXT


def test_thought_is_open_where_it_is_the_solution(reply: Reply) -> None:
    assert re.search(r'<details class="fold think" open', open_page(reply))


def test_reasoning_apart_is_folded() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), "ANSWER", reasoning="What if $a=b$?")
    page = open_page(reply)
    assert re.search(r'<details class="fold" id="thought">', page) and "<math" in page


def test_neighbours_are_one_key_away() -> None:
    problem = find_problem_of_board()
    here = make_run("Beta", repeats=3)
    attempts = [add_reply(here, problem, TEXT, repeat) for repeat in range(3)]
    before, after = make_run("Alpha", repeats=3), make_run("Gamma")
    first = [add_reply(before, problem, TEXT, repeat) for repeat in range(3)][1]
    last = add_reply(after, problem, TEXT)
    page = open_page(attempts[1])
    for key, reply in (("[", attempts[0]), ("]", attempts[2]), ("p", first), ("n", last)):
        link = re.search(rf'<a [^>]*data-key="{re.escape(key)}"[^>]*>', page)
        assert link and str(reply.uuid) in link[0], key
    assert "all 3 models" in page


def find_problem_of_board():  # type: ignore[no-untyped-def]
    make_run("Nobody", is_published=False)
    return find_problem(TWO_SCHEMES)


def test_same_run_steps_to_its_other_problems() -> None:
    run, other = make_run(), make_run("Other")
    problems = [find_problem(name) for name in (TWO_SCHEMES, "Sample_2026_en_1_B", "Sample_2026_en_2_1")]
    for problem in problems:
        add_reply(other, problem, TEXT)
    replies = [add_reply(run, problem, TEXT) for problem in problems]
    page = open_page(replies[1])
    assert str(replies[0].uuid) in page and str(replies[2].uuid) in page


def test_override_stands_beside_the_machines_points_and_in_the_history(reply: Reply) -> None:
    part = reply.judgments.get(level="step").criterion_scores.get(criterion__scheme=0, criterion__position=0)
    review_part(make_cast()["maintainer"], part, part.criterion.max_points, "It is in line 2: $N = mg$.")
    page = open_page(reply)
    assert re.search(r"<s title=\"machine\">[\d.]+</s> <b>", page)
    note = page.partition('class="review-note"')[2].partition("</div>")[0]
    assert "It is in line 2: " in note and "<math>" in note
    assert "corrected by review" in page
    assert re.search(r'<li class="person"><time', page)


def test_receipt_tells_scorer_tokens_latency_and_reason_to_stop() -> None:
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), TEXT, cost_usd=Decimal("0.0615"))
    page = open_page(reply)
    for words in ("345", "120", "4.1\u202fs", "$0.0615", "stop", "judge-a"):
        assert words in page, words


def test_long_reply_comes_in_parts_and_quotes_lead_to_theirs() -> None:
    paragraphs = [f"Step {n}: we write $x_{{{n}}} = {n}$ and go on." for n in range(3000)]
    reply = add_reply(make_run(), find_problem(TWO_SCHEMES), "\n\n".join(paragraphs))
    mark_steps(reply, {"s0c0": "Step 2900: we write"})
    page = open_page(reply)
    assert "part 1 of" in page and page.count("<math") < 1000
    link = re.search(r'<a class="citation" href="([^"]+)"', page)
    assert link
    query, _, anchor = unescape(link[1]).partition("#")
    assert "part=" in query and f'id="{anchor}"' in open_page(reply, query)
    assert "Step 2900" not in page.partition('class="reply-text')[2].partition("</section>")[0]


def test_same_reply_is_rendered_once(reply: Reply) -> None:
    first = open_page(reply)
    seen = []
    original = cache.set

    def note(key: str, *args: object, **kwargs: object) -> object:
        seen.append(key)
        return original(key, *args, **kwargs)

    cache.set = note  # type: ignore[method-assign]
    try:
        assert open_page(reply) == first
    finally:
        cache.set = original  # type: ignore[method-assign]
    assert [key for key in seen if str(key).startswith(("rendered:", "split:", "answer-places:"))] == []


def test_part_that_is_no_number_is_the_first(reply: Reply) -> None:
    odd, plain = open_page(reply, "?part=x&thought=-1"), open_page(reply)
    assert odd.partition('class="reply-columns"')[2] == plain.partition('class="reply-columns"')[2] != ""
    assert Client().get(address(reply, "?view=nothing")).status_code == 404


def test_number_of_queries_does_not_grow_with_models_and_attempts() -> None:
    counts = []
    for n_models, repeats in ((2, 1), (60, 8)):
        problem = make_own_problem(external_id=f"Own_{n_models}")
        replies = []
        for model in range(n_models):
            run = make_run(f"Model {n_models} {model}", repeats=repeats)
            replies += [add_reply(run, problem, TEXT, repeat) for repeat in range(repeats)]
        for reply in replies[:3]:
            mark_steps(reply, {})
        open_page(replies[0])
        with CaptureQueriesContext(connection) as queries:
            open_page(replies[0])
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 45


def test_private_reply_is_not_there_for_visitors() -> None:
    reply = add_reply(make_run(is_published=False), find_problem(TWO_SCHEMES), TEXT)
    assert Client().get(address(reply)).status_code == 404
    client = Client()
    client.force_login(make_cast()["maintainer"])
    assert "Not scored yet" in open_page(reply, client=client)


def test_expressions_are_compared_tree_by_tree() -> None:
    run = make_run("Alpha", "phybench")
    problem = find_problem("1", "phybench")
    reply = add_reply(run, problem, "$\\boxed{4x}$")
    tree = {"label": "operator_Mul", "children": [{"label": "number_2"}, {"label": "symbol_x"}]}
    other = {"label": "operator_Mul", "children": [{"label": "number_4"}, {"label": "symbol_x"}]}
    edits = [{"op": "rename", "from": "number_4", "to": "number_2", "path": [0]}]
    found = {"equivalent": False, "distance": 1.0, "size": 3, "relative_distance": 1 / 3}
    details = {"details": {**found, "edits": edits, "target_tree": tree, "answer_tree": other}}
    mark_answers(reply, "4x", share=Decimal("0.2667"), details=details)
    page = open_page(reply)
    assert page.count('class="tree"') == 2 and "coefficient 2 became 4" in page
    assert "0.333" in page and "26.67" in page
