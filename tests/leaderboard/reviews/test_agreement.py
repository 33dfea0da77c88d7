"""The agreement and error pages: what enters, what is counted, what can be taken away as a file."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from sklearn.metrics import cohen_kappa_score

from arena.models import CriterionScore, JudgeReply, Policy, ReviewItem, Run, Scorer, User, Withdrawal
from arena.services.review_claims import claim_next
from arena.services.review_desk import Verdict, submit_review
from arena.services.review_queue import Candidate, add_candidates
from arena.services.reviews import review_part
from leaderboard.selectors.agreement import read_agreement, read_known
from leaderboard.selectors.agreement_pairs import collect_pairs, family_of, is_one_family
from leaderboard.selectors.taxonomy import read_taxonomy
from tests.arena.reviews.scenes import decide_all, make_people, make_run, make_scorer

pytestmark = pytest.mark.django_db


def review_run(run: Run, people: list[User], shares: list[str], *, policy: Policy = Policy.RANDOM) -> None:
    """Every person gives every reply of the run the share that is theirs, in turn along the replies."""
    replies = list(run.replies.order_by("pk").values_list("pk", flat=True))
    chance = 1.0 if policy == Policy.RANDOM else None
    add_candidates(policy, [Candidate(pk, run.scorer_id, probability=chance) for pk in replies], needed=len(people))
    for person in people:
        while (slot := claim_next(person)) is not None:
            place = replies.index(slot.item.reply_id)
            submit_review(person, slot.item, decide_all(slot.item, shares[place % len(shares)]))


def test_judge_report_counts_blind_settled_parts_and_nothing_else() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(1))
    other = make_run("Beta-9")
    review_run(run, make_people("ada"), ["1", "0", "1", "1"])
    score = CriterionScore.objects.filter(judgment__reply__run=other).select_related("judgment__reply__run").first()
    assert score is not None
    review_part(make_people("max")[0], score, 0, "an appeal")
    page = read_agreement()
    (row,) = page.judges
    assert (row.benchmark, row.judge, row.n, row.n_random) == ("CoinFlip", "judge-a", 20, 20)
    assert row.exact.number == pytest.approx(0.75) and row.mean_error.number == pytest.approx(0.25)
    assert row.confusion == ((0, 0, 5), (0, 0, 0), (0, 0, 15))


def test_what_is_withdrawn_measures_no_judge_from_that_moment_on() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(1))
    review_run(run, make_people("ada"), ["1"])
    assert read_agreement().judges[0].n == 20
    Withdrawal.objects.create(reply=run.replies.all()[0], reason="it names a person")
    assert read_agreement().judges[0].n == 19
    Withdrawal.objects.create(run=run, reason="the wrong checkpoint")
    assert read_agreement().judges == ()


def test_kappa_of_the_page_is_that_of_scikit_learn() -> None:
    right = make_run(benchmark="coin_flip", share=Decimal(1))
    wrong = make_run("Beta-9", "coin_flip", share=Decimal(0))
    (ada,) = make_people("ada")
    review_run(right, [ada], ["1", "1", "0"])
    review_run(wrong, [ada], ["0", "1", "0", "0"])
    pairs, _ = collect_pairs()
    judge, human = [int(pair.machine) for pair in pairs], [int(pair.human) for pair in pairs]
    (row,) = read_agreement().judges
    assert row.kappa.number == pytest.approx(cohen_kappa_score(judge, human))
    assert row.weighted_kappa.number == pytest.approx(cohen_kappa_score(judge, human, weights="quadratic"))


def test_only_the_random_sample_enters_unless_all_is_asked_for() -> None:
    sampled = make_run(benchmark="coin_flip", share=Decimal(1))
    appealed = make_run("Beta-9", "coin_flip", share=Decimal(1))
    (ada,) = make_people("ada")
    review_run(sampled, [ada], ["1"])
    review_run(appealed, [ada], ["0"], policy=Policy.REPORTED)
    assert read_agreement().judges[0].exact.number == 1.0
    assert read_agreement(sample="all").judges[0].exact.number == 0.5


def test_better_judge_stands_first() -> None:
    good, bad = make_scorer("coin_flip", "judge-good"), make_scorer("coin_flip", "judge-bad")
    (ada,) = make_people("ada")
    for scorer, name, shares in ((bad, "Alpha", ["0", "1"]), (good, "Beta", ["1", "1", "1", "0"])):
        for share, suffix in ((Decimal(1), "up"), (Decimal(0), "down")):
            turned = shares if share else [str(1 - int(s)) for s in shares]
            review_run(make_run(f"{name}-{suffix}", "coin_flip", share=share, scorer=scorer), [ada], turned)
    assert [row.judge for row in read_agreement().judges] == ["judge-good", "judge-bad"]


def test_slices_show_kinds_languages_models_families_and_months() -> None:
    run = make_run()
    scorer = make_scorer("hipho", "alpha-judge")
    own = make_run("Alpha-8", scorer=scorer)
    (ada,) = make_people("ada")
    review_run(run, [ada], ["0.5"])
    review_run(own, [ada], ["0.5", "0"])
    page = read_agreement()
    assert {row.slice for row in page.languages} == {"en", "zh"}
    assert "criterion" in {row.slice for row in page.kinds} and len({row.slice for row in page.kinds}) > 1
    assert {row.slice for row in page.models} == {"Alpha-7", "Alpha-8"}
    assert {(row.judge, row.slice) for row in page.families} == {
        ("judge-a", "other families"),
        ("alpha-judge", "own family"),
    }
    assert len({row.slice for row in page.months}) == 1


@pytest.mark.parametrize(
    ("judge", "model", "organisation", "expected"),
    [
        ("gpt-4o", "GPT-5", "OpenAI", True),
        ("qwen/qwen3-max", "Qwen3-VL", "", True),
        ("gemini-2.5-pro, gpt-4o", "Gemini 3", "Google", True),
        ("judge-a", "Alpha-7", "Alphaville", False),
        ("deepseek-v3", "R1", "DeepSeek", True),
        ("42", "42", "", False),
    ],
)
def test_family_is_the_first_word_of_a_name(judge: str, model: str, organisation: str, expected: bool) -> None:
    assert is_one_family(judge, model, organisation) is expected
    assert family_of("42") == ""


def test_reviewers_among_themselves() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(1))
    ada, ben = make_people("ada", "ben")
    replies = list(run.replies.order_by("pk").values_list("pk", flat=True))
    add_candidates(Policy.RANDOM, [Candidate(pk, run.scorer_id, probability=1.0) for pk in replies], needed=2)
    for person, step in ((ada, 2), (ben, 4)):
        while (slot := claim_next(person)) is not None:
            place = replies.index(slot.item.reply_id)
            submit_review(person, slot.item, decide_all(slot.item, "1" if place % step else "0"))
    page = read_agreement()
    (row,) = page.reviewers
    assert row.n == 20 and row.flips.number == pytest.approx(0.25)
    (pair,) = page.reviewer_pairs
    assert pair.exact.number == pytest.approx(0.75)
    text = Client().get(reverse("review-agreement")).content.decode()
    assert "reviewers 1 and 2" in text and "ada" not in text.replace("metadata", "")


def test_judges_among_themselves_where_a_scorer_asks_twice() -> None:
    run = make_run()
    scorer = Scorer.objects.create(
        name="pair", version="1", params={"judge_repeats": 2, "benchmark": "hipho"}, digest="pair"
    )
    scorer.judges.add(make_scorer().judges.get())
    twice = make_run("Beta-9", scorer=scorer)
    for n, reply in enumerate(twice.replies.order_by("pk")):
        maximum = reply.problem.criteria.get(scheme=0, position=0).max_points
        for repeat in range(2):
            awarded = maximum if repeat and not n else 0
            JudgeReply.objects.create(
                reply=reply,
                judge=scorer.judges.get(),
                purpose="criterion",
                target="s0c0",
                request_digest="x",
                repeat=repeat,
                text=f'{{"awarded": {awarded}, "evidence": "", "reason": "r"}}',
            )
    page = read_agreement()
    (row,) = page.panels
    assert row.flips.number == pytest.approx(1 / twice.replies.count())
    (gap,) = page.gaps
    assert gap.label.endswith("s0c0") and run.pk != twice.pk


def test_tables_can_be_taken_away(client: Client) -> None:
    review_run(make_run(benchmark="coin_flip", share=Decimal(1)), make_people("ada"), ["1", "0"])
    found = {}
    for table in ("judges", "kinds", "languages", "points", "models", "months", "reviewers", "panels"):
        rows = client.get(reverse("review-agreement-export", args=[table, "json"])).json()["rows"]
        text = client.get(reverse("review-agreement-export", args=[table, "csv"])).content.decode()
        assert len(list(csv.DictReader(io.StringIO(text)))) == len(rows), table
        found[table] = rows
    assert found["judges"][0]["exact"] == pytest.approx(0.5) and found["judges"][0]["n"] == 20


@pytest.mark.parametrize("address", ["/review/agreement/nothing.csv", "/review/agreement/judges.exe"])
def test_other_exports_are_not_there(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_empty_pages_say_so(client: Client) -> None:
    assert "Nothing to compare yet" in client.get(reverse("review-agreement")).content.decode()
    assert "No wrong reply is labelled yet" in client.get(reverse("review-errors")).content.decode()


def test_known_items_measure_a_reviewer_for_maintainers_and_themselves() -> None:
    run = make_run(benchmark="coin_flip", share=Decimal(1))
    replies = list(run.replies.order_by("pk"))
    ada, ben = make_people("ada", "ben")
    ReviewItem.objects.create(reply=replies[0], scorer=run.scorer, is_calibration=True, known={"a0": "1"})
    add_candidates(Policy.RANDOM, [Candidate(reply.pk, run.scorer_id) for reply in replies[1:]], needed=1)
    while (slot := claim_next(ada)) is not None:
        submit_review(ada, slot.item, decide_all(slot.item, "0"))
    (row,) = read_known(ada)
    assert (row.who, row.n, row.exact, row.mean_error) == ("ada", 1, "0 %", "-1.00")
    assert read_known(ben) == ()
    assert {pair.reply_id for pair in collect_pairs()[0]} == {reply.pk for reply in replies[1:]}


def test_taxonomy_counts_the_newest_label_of_each_reply() -> None:
    run = make_run()
    (ada,) = make_people("ada")
    replies = list(run.replies.order_by("pk").values_list("pk", flat=True))
    add_candidates(Policy.RANDOM, [Candidate(pk, run.scorer_id, probability=1.0) for pk in replies], needed=1)
    classes = ["physical_perception", "robust_semantic", "robust_symbolic"]
    n = 0
    while (slot := claim_next(ada)) is not None:
        for error_class in (classes[0], classes[n % 3]):
            wrong = Verdict(verdict="wrong", reason="no", error_class=error_class, wrong_step="balance of forces")
            submit_review(ada, slot.item, wrong)
        n += 1
    page = read_taxonomy()
    (row,) = page.by_model
    assert page.n == row.n == n and [share.n for share in row.shares] == [-(-n // 3), -(-(n - 1) // 3), n // 3]
    assert all("balance of forces" in group.examples[0].step for group in page.examples)
    assert sum(row.n for row in page.by_field) == n
