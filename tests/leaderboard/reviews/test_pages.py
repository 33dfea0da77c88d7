"""The review pages through their addresses: who may open them, what they hide, what they keep."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from arena.models import (
    AuditEvent,
    BenchmarkRole,
    Erratum,
    ErrorLabel,
    Policy,
    Review,
    ReviewDraft,
    ReviewItem,
    ReviewSlot,
    Run,
    User,
)
from arena.review_parts import parts_to_decide
from arena.services.review_queue import add_reason
from leaderboard.models import Standing
from tests.arena.reviews.scenes import decide_all, make_people, make_run
from tests.factories import make_cast, make_user

pytestmark = pytest.mark.django_db


def queue_one(run: Run, needed: int = 2, policy: Policy = Policy.REPORTED) -> ReviewItem:
    return add_reason(run.replies.order_by("pk")[0], run.scorer, policy, "the judge gave half", needed=needed)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def form_of(item: ReviewItem, share: str, reason: str = "read closely") -> dict[str, str]:
    decisions = decide_all(item, share, reason).decisions
    return {f"points-{key}": d.points for key, d in decisions.items()} | {"reason": reason, "seconds": "0"}


def claim(client: Client) -> str:
    return client.post(reverse("review-claim")).headers["Location"]


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["review", "review-queue", "review-roles", "review-log"])
def test_outsider_cannot_open_the_review_pages(client: Client, name: str) -> None:
    answer = client.get(reverse(name))
    assert answer.status_code == 302 and answer.headers["Location"].startswith("/accounts/login/")


def test_submitter_cannot_open_the_queue_nor_an_item(client: Client) -> None:
    item = queue_one(make_run())
    client = signed_in(make_user("submitter"))
    assert client.get(reverse("review")).status_code == 403
    for name in ("review-item",):
        assert client.get(reverse(name, args=[item.uuid])).status_code == 403
    for name in ("review-take", "review-submit", "review-settle", "review-skip", "review-calibrate"):
        assert client.post(reverse(name, args=[item.uuid])).status_code == 403
    assert client.post(reverse("review-draft", args=[item.uuid]), "{}", "application/json").status_code == 404
    assert not Review.objects.exists()


def test_reviewer_opens_the_queue_but_not_the_maintainers_pages() -> None:
    client = signed_in(make_cast()["reviewer"])
    assert client.get(reverse("review")).status_code == 200
    for name in ("review-queue", "review-roles", "review-log"):
        assert client.get(reverse(name)).status_code == 403
        assert client.post(reverse(name)).status_code in (403, 405)


def test_maintainer_opens_everything() -> None:
    client = signed_in(make_cast()["maintainer"])
    make_run()
    for name in ("review", "review-queue", "review-roles", "review-log", "review-errata", "review-agreement"):
        assert client.get(reverse(name)).status_code == 200


def test_visitor_reads_agreement_errors_and_errata(client: Client) -> None:
    for name in ("review-agreement", "review-errors", "review-errata"):
        assert client.get(reverse(name)).status_code == 200


def test_reviewer_of_one_benchmark_sees_that_one_only() -> None:
    hipho, coin = make_run(), make_run("Beta-9", "coin_flip")
    theirs, foreign = queue_one(hipho), queue_one(coin)
    eve = make_user("eve")
    BenchmarkRole.objects.create(benchmark=hipho.revision.benchmark, user=eve, role="reviewer")
    client = signed_in(eve)
    page = client.get(reverse("review")).content.decode()
    assert str(theirs.uuid) in page and str(foreign.uuid) not in page
    assert client.get(reverse("review-item", args=[foreign.uuid])).status_code == 404


def test_nobody_is_shown_or_given_a_model_they_submitted() -> None:
    (ada,) = make_people("ada")
    item = queue_one(make_run(owner=ada))
    client = signed_in(ada)
    assert str(item.uuid) not in client.get(reverse("review")).content.decode()
    assert claim(client) == reverse("review")
    client.post(reverse("review-submit", args=[item.uuid]), form_of(item, "1"))
    assert not Review.objects.exists()


def test_reviewer_cannot_settle_and_senior_who_reviewed_neither() -> None:
    run = make_run()
    item = queue_one(run)
    ada, ben = make_people("ada", "ben")
    BenchmarkRole.objects.create(benchmark=run.revision.benchmark, user=ada, role="senior")
    for person, share in ((ada, "1"), (ben, "0")):
        client = signed_in(person)
        claim(client)
        client.post(reverse("review-submit", args=[item.uuid]), form_of(item, share))
    ruling = {**form_of(item, "1"), **{f"reason-{p.key}": "so it is" for p in parts_to_decide(item)}}
    for person in (ada, ben):
        assert signed_in(person).post(reverse("review-settle", args=[item.uuid]), ruling).status_code == 403
    item.refresh_from_db()
    assert item.state == ReviewItem.State.DISPUTED


# --- blind ------------------------------------------------------------------------------------------------------------


def secrets_of(run: Run) -> list[str]:
    reply = run.replies.order_by("pk")[0]
    return [
        run.entrant.name, run.entrant.organisation, str(reply.uuid), str(run.uuid), "secret verdict",
        "the judge gave half", f"/m/{run.entrant.slug}/",
    ]  # fmt: skip


def test_nothing_of_model_or_verdict_is_in_the_page_until_the_reviewer_has_committed() -> None:
    run = make_run()
    item = queue_one(run)
    ada, ben = make_people("ada-first", "ben-next")
    client = signed_in(ada)
    address = reverse("review-item", args=[item.uuid])
    pages = [client.get(reverse("review")), client.get(address)]
    assert claim(client) == address
    pages += [client.get(address), client.get(address + "?again=1"), client.get(address + "?ruling=1")]
    pages.append(client.post(reverse("review-submit", args=[item.uuid]), {"points-s0c0": "0"}))
    for page in pages:
        text = page.content.decode()
        assert [secret for secret in secrets_of(run) if secret in text] == []
    assert "reported by a reader" in pages[2].content.decode()
    client.post(reverse("review-submit", args=[item.uuid]), form_of(item, "1"))
    text = client.get(address).content.decode()
    assert run.entrant.name in text and "secret verdict" in text and "the judge gave half" in text
    # The other reviewer is as blind as before, and sees nothing of the first one's review.
    other = signed_in(ben)
    claim(other)
    text = other.get(address).content.decode()
    assert [secret for secret in [*secrets_of(run), "read closely", "ada-first"] if secret in text] == []


def test_refusal_does_not_tell_whether_the_points_differ_from_the_machines() -> None:
    item = queue_one(make_run())
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    answers = []
    for share in ("0.5", "1"):
        answer = client.post(reverse("review-submit", args=[item.uuid]), {**form_of(item, share), "reason": ""})
        answers.append((answer.status_code, answer.context["refused"].message))
    assert answers[0] == answers[1] and answers[0][0] == 422


def test_model_that_says_its_name_is_blacked_out() -> None:
    run = make_run()
    reply = run.replies.order_by("pk")[0]
    item = queue_one(run)
    assert run.entrant.name in reply.text
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    text = client.get(reverse("review-item", args=[item.uuid])).content.decode()
    assert "█" * len(run.entrant.name) in text


def test_adjudicator_sees_both_reviews_without_names() -> None:
    run = make_run()
    item = queue_one(run)
    for person, share in zip(make_people("ada-reviews", "ben-reviews"), ("1", "0"), strict=True):
        client = signed_in(person)
        claim(client)
        client.post(reverse("review-submit", args=[item.uuid]), form_of(item, share, f"because {share}"))
    dora = signed_in(make_user("dora", "maintainer"))
    text = dora.get(reverse("review-item", args=[item.uuid])).content.decode()
    assert "because 1" in text and "because 0" in text and "Reviewer A" in text and "Reviewer B" in text
    assert [s for s in [*secrets_of(run), "ada-reviews", "ben-reviews"] if s in text] == []


# --- work -------------------------------------------------------------------------------------------------------------


def test_double_click_claims_once() -> None:
    run = make_run()
    queue_one(run)
    add_reason(run.replies.order_by("-pk")[0], run.scorer, Policy.REPORTED)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    assert claim(client) == claim(client) == claim(signed_in(ada))
    assert ReviewSlot.objects.filter(reviewer=ada).count() == 1


def test_board_follows_and_keeps_both_columns() -> None:
    run = make_run()
    item = queue_one(run, needed=1)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    client.post(reverse("review-submit", args=[item.uuid]), form_of(item, "1"))
    rows = Standing.objects.filter(run=run, subset__slug="overall", metric="exam_score")
    values = dict(rows.values_list("basis", "value"))
    assert values["effective"] > values["machine"]


def test_draft_is_kept_and_comes_back_with_the_page() -> None:
    item = queue_one(make_run())
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    address = reverse("review-draft", args=[item.uuid])
    body = {"revised_ms": 5, "fields": {"reason-s0c0": "half a thought", "points-s0c0": "0", "x": "never kept"}}
    answer = client.post(address, json.dumps(body), "application/json")
    assert answer.json()["saved"] is True and answer.json()["claimed_until"]
    assert ReviewDraft.objects.get().data == {"reason-s0c0": "half a thought", "points-s0c0": "0"}
    assert "half a thought" in client.get(reverse("review-item", args=[item.uuid])).content.decode()
    assert Client().post(address, json.dumps(body), "application/json").status_code == 401


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"revised_ms": -1, "fields": {}}', '{"revised_ms": 1, "fields": 2}'])
def test_draft_that_is_none_is_refused(body: str) -> None:
    item = queue_one(make_run())
    (ada,) = make_people("ada")
    client = signed_in(ada)
    assert client.post(reverse("review-draft", args=[item.uuid]), body, "application/json").status_code == 422


def test_heartbeat_tells_when_the_place_is_gone() -> None:
    item = queue_one(make_run(), needed=1)
    ada, ben = make_people("ada", "ben")
    first, second = signed_in(ada), signed_in(ben)
    claim(first)
    ReviewSlot.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    claim(second)
    body = json.dumps({"revised_ms": 1, "fields": {"reason": "mine"}})
    answer = first.post(reverse("review-draft", args=[item.uuid]), body, "application/json").json()
    assert answer["claimed_until"] is None and answer["saved"] is True


def test_what_was_typed_stays_when_the_form_is_refused() -> None:
    item = queue_one(make_run())
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    typed = {"points-s0c0": "0", "reason-s0c0": "a long thought"}
    answer = client.post(reverse("review-submit", args=[item.uuid]), typed)
    assert answer.status_code == 422 and "a long thought" in answer.content.decode()
    assert ReviewDraft.objects.get().data["reason-s0c0"] == "a long thought"


def test_free_number_goes_before_a_chosen_one() -> None:
    item = queue_one(make_run(), needed=1)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    form = form_of(item, "1") | {"other-s0c0": "0.01"}
    client.post(reverse("review-submit", args=[item.uuid]), form)
    assert (
        str(Review.objects.get(criterion_score__criterion__position=0, criterion_score__criterion__scheme=0).points)
        == "0.0100"
    )


def test_error_class_and_erratum_are_handed_in_with_the_review() -> None:
    item = queue_one(make_run(), needed=1)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    form = {
        "verdict": "wrong",
        "reason": "no",
        "error_class": "robust_semantic",
        "wrong_step": "balance of forces",
        "erratum": "lost factor",
    }
    client.post(reverse("review-submit", args=[item.uuid]), form)
    assert ErrorLabel.objects.get().step_start is not None and Erratum.objects.get().claim == "lost factor"
    page = client.get(reverse("review-errors")).content.decode()
    assert "balance of forces" in page and item.reply.run.entrant.name in page
    assert "lost factor" in client.get(reverse("review-errata")).content.decode()
    maintainer = signed_in(make_user("max", "maintainer"))
    erratum = Erratum.objects.get()
    address = reverse("review-erratum", args=[erratum.uuid])
    assert client.post(address, {"state": "accepted", "resolution": "x"}).status_code == 403
    maintainer.post(address, {"state": "accepted", "resolution": "checked"})
    erratum.refresh_from_db()
    assert erratum.state == Erratum.State.ACCEPTED


def test_maintainer_fills_the_queue_and_the_log_has_it() -> None:
    make_run(benchmark="coin_flip")
    client = signed_in(make_cast()["maintainer"])
    form = {"benchmark": "coin_flip", "policy": "random", "needed": "2", "percent": "50", "threshold": "0", "seed": "1"}
    assert client.post(reverse("review-queue"), form).status_code == 302
    assert ReviewItem.objects.filter(inclusion_probability=0.5).count() == 10
    event = AuditEvent.objects.get(act="queue")
    assert event.after["new"] == 10
    assert "random" in client.get(reverse("review-log")).content.decode()
    bad = client.post(reverse("review-queue"), {**form, "percent": "many"})
    assert bad.status_code == 422 and "percent" in bad.content.decode()


def test_maintainer_gives_and_takes_a_role() -> None:
    make_run()
    make_user("eve")
    client = signed_in(make_cast()["maintainer"])
    for role in ("senior", ""):
        client.post(reverse("review-roles"), {"username": "eve", "benchmark": "hipho", "role": role})
        assert list(BenchmarkRole.objects.values_list("role", flat=True)) == ([role] if role else [])
    assert [event.before["role"] for event in AuditEvent.objects.filter(act="role").order_by("pk")] == ["", "senior"]


def test_reader_reports_a_reply_and_it_is_queued() -> None:
    run = make_run()
    reply = run.replies.order_by("pk")[0]
    client = signed_in(make_user("reader"))
    address = reverse("review-report", args=[reply.uuid])
    assert client.get(address).status_code == 200
    client.post(address, {"text": "step two is right"})
    item = ReviewItem.objects.get()
    assert item.reply == reply and item.reasons.get().policy == "reported"


def test_decided_item_becomes_a_known_one_that_measures_reviewers() -> None:
    run = make_run()
    item = queue_one(run, needed=1)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    claim(client)
    client.post(reverse("review-submit", args=[item.uuid]), form_of(item, "1"))
    maintainer = signed_in(make_user("max", "maintainer"))
    assert client.post(reverse("review-calibrate", args=[item.uuid])).status_code == 403
    maintainer.post(reverse("review-calibrate", args=[item.uuid]))
    known = ReviewItem.objects.get(is_calibration=True)
    assert set(known.known) == {part.key for part in parts_to_decide(item)}


def test_item_page_needs_a_fixed_number_of_queries(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    run = make_run()
    for reply in run.replies.all():
        add_reason(reply, run.scorer, Policy.REPORTED)
    (ada,) = make_people("ada")
    client = signed_in(ada)
    client.get(reverse("review"))
    with django_assert_max_num_queries(25):
        client.get(reverse("review"))
    address = claim(client)
    with django_assert_max_num_queries(35):
        client.get(address)


# --- plain words ------------------------------------------------------------------------------------------------------


def test_part_that_is_refused_is_named_as_the_page_names_it() -> None:
    run = make_run()
    item = queue_one(run)
    client = signed_in(make_people("ada")[0])
    claim(client)
    page = client.post(reverse("review-submit", args=[item.uuid]), {"seconds": "0"}).content.decode()
    key = parts_to_decide(item)[0].key
    assert f'<a href="#part-{key}">Marking scheme' in page and "part 1: choose its points" in page
    assert f"{key}:" not in page
    typed = {**form_of(item, "1"), "reason": ""}
    page = client.post(reverse("review-submit", args=[item.uuid]), typed).content.decode()
    assert "part 1: say why" in page
    typed = {**form_of(item, "1"), "wrong_step": "so", "error_class": ""}
    page = client.post(reverse("review-submit", args=[item.uuid]), typed).content.decode()
    assert "Error class: say of which class" in page and "error_class:" not in page


def test_reload_of_a_refused_form_by_address_leads_to_the_item() -> None:
    item = queue_one(make_run())
    client = signed_in(make_people("ada")[0])
    for name in ("review-submit", "review-settle"):
        answer = client.get(reverse(name, args=[item.uuid]))
        assert answer.status_code == 302 and answer["Location"] == reverse("review-item", args=[item.uuid])


def test_form_tells_the_reference_from_the_reply() -> None:
    item = queue_one(make_run("Alpha-7", "coin_flip"))
    client = signed_in(make_people("ada")[0])
    claim(client)
    page = client.get(reverse("review-item", args=[item.uuid])).content.decode()
    assert "<h2>Reply</h2>" in page and ">Reference</span>" in page
    assert "CoinFlip, CoinFlip" not in page


def fill(client: Client, benchmark: str, policy: str, **more: str) -> str:
    data = {"benchmark": benchmark, "policy": policy, "needed": "2", "threshold": "0", "seed": "0", "limit": "200"}
    return client.post(reverse("review-queue"), {**data, **more}, follow=True).content.decode()


def test_queue_that_stays_empty_says_why() -> None:
    run = make_run(is_published=False)
    client = signed_in(make_cast()["maintainer"])
    assert "no run is public on the data sample of HiPhO" in fill(client, "hipho", "random", percent="50")
    Run.objects.update(published_at=timezone.now())
    assert "this policy finds no reply" in fill(client, "hipho", "injection")
    assert "items queued" in fill(client, "hipho", "random", percent="50")
    assert "are in the queue already" in fill(client, "hipho", "random", percent="50")
    assert ReviewItem.objects.filter(reply__run=run).exists()


def test_queue_is_filled_from_older_data_where_these_are_chosen() -> None:
    run = make_run()
    client = signed_in(make_cast()["maintainer"])
    assert 'name="revision"' not in client.get(reverse("review-queue")).content.decode()
    run.revision.benchmark.revisions.update(is_current=False)
    assert '<option value="sample">' in client.get(reverse("review-queue")).content.decode()
    assert "items queued" in fill(client, "hipho", "random", percent="50", revision="sample")
    assert "Data: HiPhO has none of that name" in fill(client, "hipho", "random", percent="50", revision="of-2031")


def test_a_figure_stands_where_the_problem_names_it_and_not_once_more_below() -> None:
    run = make_run()
    reply = next(r for r in run.replies.all() if "[figure1]" in r.problem.context + r.problem.statement)
    item = add_reason(reply, run.scorer, Policy.REPORTED, "the judge gave half", needed=1)
    page = signed_in(make_cast()["reviewer"]).get(reverse("review-item", args=[item.uuid])).content.decode()
    assert "[figure1]" not in page and page.count('class="figure-zoom"') == reply.problem.figures.count()
