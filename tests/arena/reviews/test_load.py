"""Fifty reviewers at once: no item lost, doubled or given to more people than it needs. Needs a real server."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from django.db import connection

from arena.models import Judgment, Level, Policy, Reply, Review, ReviewItem, ReviewSlot, User
from arena.services.review_claims import claim_next
from arena.services.review_desk import Decision, Verdict, submit_review
from arena.services.review_queue import Candidate, add_candidates
from tests.arena.reviews.scenes import judge_reply, make_people, make_run

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

N_REVIEWERS, N_ITEMS = 50, 2000


@pytest.fixture(autouse=True)
def needs_a_server() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("DATABASE_URL names no PostgreSQL: threads share no in-memory database")


def queue_items(n_items: int, needed: int) -> None:
    """As many judged replies as wanted, by repeats of one run that is not published, so that no board is rebuilt."""
    run = make_run(benchmark="coin_flip", is_published=False)
    problems = [reply.problem for reply in run.replies.select_related("problem").order_by("pk")]
    for n in range(n_items - len(problems)):
        problem, repeat = problems[n % len(problems)], 1 + n // len(problems)
        judge_reply(Reply.objects.create(run=run, problem=problem, repeat=repeat, text="heads"), run.scorer, 1)  # type: ignore[arg-type]
    replies = run.replies.order_by("pk").values_list("pk", flat=True)
    add_candidates(Policy.RANDOM, [Candidate(pk, run.scorer_id, probability=1.0) for pk in replies], needed=needed)
    assert ReviewItem.objects.count() == n_items


def work_through(reviewer: User, gate: threading.Barrier, faults: list[BaseException], twice: bool) -> None:
    """Claim and hand in until nothing is left; some click twice."""
    try:
        gate.wait()
        while (slot := claim_next(reviewer)) is not None:
            if twice:
                assert claim_next(reviewer) == slot
            submit_review(reviewer, slot.item, Verdict({"a0": Decision("1", "as it says")}))
    except BaseException as error:
        faults.append(error)
    finally:
        connection.close()


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("needed", [1, 2])
def test_fifty_reviewers_share_two_thousand_items(needed: int) -> None:
    n_items = N_ITEMS if needed == 1 else 300
    queue_items(n_items, needed)
    people = make_people(*(f"reviewer-{n}" for n in range(N_REVIEWERS)))
    gate, faults = threading.Barrier(len(people)), list[BaseException]()
    threads = [
        threading.Thread(target=work_through, args=(person, gate, faults, n % 5 == 0))
        for n, person in enumerate(people)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert set(ReviewItem.objects.values_list("state", flat=True)) == {ReviewItem.State.DONE}
    slots = ReviewSlot.objects.values_list("item_id", "reviewer_id", "submitted_at")
    assert len(slots) == n_items * needed and all(submitted for _, _, submitted in slots)
    assert len({(item, reviewer) for item, reviewer, _ in slots}) == n_items * needed
    reviews = Counter(Review.objects.values_list("item_id", flat=True))
    assert set(reviews.values()) == {needed} and len(reviews) == n_items
    assert Judgment.objects.filter(level=Level.ANSWER).count() == n_items


@pytest.mark.timeout(300)
def test_one_person_in_many_tabs_holds_one_place() -> None:
    queue_items(40, 1)
    (person,) = make_people("ada")
    gate, found = threading.Barrier(12), list[int]()

    def click() -> None:
        try:
            gate.wait()
            slot = claim_next(person)
            assert slot is not None
            found.append(slot.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=click) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 12 and len(set(found)) == 1
    assert ReviewSlot.objects.filter(reviewer=person).count() == 1
