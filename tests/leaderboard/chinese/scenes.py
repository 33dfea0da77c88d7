"""A site with something on every page: boards, runs in every state, judges, reviews, battles, errata."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.demo.library import load_library
from arena.demo.server import BadRequest, reply_of
from arena.llm.call import Target
from arena.models import MAINTAINER, REVIEWER, SAMPLE, Benchmark, CallError, DatasetRevision, Policy, Run, User
from arena.services import demo, submissions
from arena.services.canaries import check_leniency
from arena.services.catalog import get_adapter
from arena.services.engine import advance_run
from arena.services.errata import decide_erratum, report_erratum
from arena.services.judge_admin import add_judge
from arena.services.process_judge import judge_opinions
from arena.services.published import import_shipped
from arena.services.publishing import publish_run
from arena.services.rescoring import rescore_run
from arena.services.review_claims import claim_next
from arena.services.review_desk import submit_review
from arena.services.review_policies import FINDERS, QueueRequest, build_queue
from arena.services.reviews import report_reply
from arena.services.runs import Credentials, RunRequest, fail_run
from arena.services.scorers import JudgeSpec, vary_scorer
from arena.services.vote_imports import import_votes
from arena.signals import scores_changed
from leaderboard.ratings import rebuild_ratings
from leaderboard.standings import rebuild_all
from scoring.judge import Purpose
from tests.arena.reviews.scenes import decide_all
from tests.factories import make_user
from tests.fake_llm import Answer, FakeLLM, FakeRequest, fail, redirect, say, send_bytes, show_page
from tests.leaderboard.boards.scenes import give_all, make_board, make_run

TROUBLE: dict[str, Callable[[], Answer]] = {
    "trouble-401": lambda: fail(401, "你好"),
    "trouble-403": lambda: fail(403, "你好"),
    "trouble-404": lambda: fail(404, "你好"),
    "trouble-422": lambda: fail(422, "你好"),
    "trouble-500": lambda: fail(500, "你好"),
    "trouble-html": lambda: show_page("<html><title>你好</title></html>"),
    "trouble-moved": lambda: redirect("http://example.org/v1"),
    "trouble-json": lambda: send_bytes(b"[1, 2]", content_type="application/json"),
    "trouble-bytes": lambda: send_bytes(b"\xff\xfe", content_type="application/json"),
    "trouble-empty": lambda: say(""),
}

# Of these no second try is made; what the others leave behind is written down without waiting for six tries each.
AT_ONCE = ("trouble-401", "trouble-403", "trouble-404", "trouble-422", "trouble-moved")
STORED = (
    ("server_error", "It failed (500): 你好"),
    ("rate_limited", "It asks for fewer calls (429)"),
    ("html", "It answered with HTML, not JSON: is the URL missing /v1 ?"),
    ("broken_body", "The answer is a JSON list, not an object"),
    ("empty", "It answered with an empty text"),
    ("timeout", "No answer from 127.0.0.1:80 within 20 s"),
    ("dns", "The host name of nowhere.invalid:443 could not be found"),
    ("certificate", "The certificate of 127.0.0.1:443 was not accepted: 自签名"),
)


@dataclass(frozen=True, slots=True)
class World:
    """Who and what there is. server: the demo models and the broken ones."""

    server: FakeLLM
    visitor: None
    submitter: User
    reviewer: User
    maintainer: User


def script() -> Callable[[FakeRequest], Answer]:
    library = load_library()

    def answer(request: FakeRequest) -> Answer:
        model = request.json["model"]
        if model in TROUBLE:
            return TROUBLE[model]()
        try:
            return say(reply_of(model, request.prompt, library))
        except BadRequest as error:
            return fail(error.status, "你好")

    return answer


def make_world(server: FakeLLM, folder: Path) -> World:
    """Everything, through the real services."""
    world = World(
        server, None, make_user("submitter"), make_user("reviewer", REVIEWER), make_user("maintainer", MAINTAINER)
    )
    demo.import_samples()
    import_shipped()
    for run in demo.start_demo_runs(server.base_url):
        finish(run)
        publish_run(run)
    make_ranked_boards()
    rebuild_all()
    fill_judges(world)
    fill_submissions(world)
    fill_reviews(world)
    fill_arena(world, folder)
    rebuild_all()
    return world


def finish(run: Run) -> Run:
    while advance_run(run.pk):
        pass
    run.refresh_from_db()
    return run


def make_ranked_boards() -> None:
    """A board that ranks, with tiers, and one of exams with medals: the data of no benchmark, in its form."""
    DatasetRevision.objects.filter(benchmark__slug__in=("phybench", "hipho")).update(is_current=False)
    fields = make_board("phybench", {"mechanics_": 12, "optics_": 8}, max_points=100)
    exams = make_board("hipho", {"IPhO_2025": 4, "IPhO_2024": 4}, kind="exam", max_points=2, marks=(7.0, 5.0, 3.0))
    for revision, full in ((fields, 100.0), (exams, 2.0)):
        n = revision.entries.count()
        for place, name in enumerate(("Alpha-7", "Beta-9", "Gamma-3")):
            run = make_run(revision, name, repeats=2)
            right = n - place * n // 3
            for repeat in (0, 1):
                give_all(run, [full] * (right - repeat) + [0.0] * (n - right + repeat), repeat=repeat)


def fill_judges(world: World) -> None:
    """Seats, a second scorer, leniency, opinions beside the score, prices."""
    hipho, bench = (Benchmark.objects.get(slug=slug) for slug in ("hipho", "phybench"))
    seat = add_judge(hipho, JudgeSpec("demo-judge", world.server.base_url), "sk-official", world.maintainer)
    check_leniency(hipho, seat.judge)
    run = Run.objects.filter(revision__benchmark=hipho, revision__label=SAMPLE).order_by("pk")[0]
    other = vary_scorer(get_adapter("hipho"), run.scorer, "", {"combine": "median"})
    rescore_run(run, other, inline=True)
    sample = Run.objects.filter(revision__benchmark=bench, revision__label=SAMPLE).order_by("pk")[0]
    target = Target(world.server.base_url, "demo-judge")
    for purpose in (Purpose.PROCESS, Purpose.ERROR_CLASS):
        judge_opinions(sample, purpose, JudgeSpec("demo-judge"), target)


def fill_submissions(world: World) -> None:
    """Runs that wait, failed in every way, ended well, were uploaded, published, withdrawn."""

    def submit(model: str, benchmark: str = "coin_flip", **choices: object) -> submissions.Submission:
        request = RunRequest(benchmark=benchmark, model=model, base_url=world.server.base_url, **choices)  # type: ignore[arg-type]
        return submissions.submit(request, Credentials("sk-chinese-key-123"), world.submitter)

    for name in AT_ONCE:
        finish(submit(name, limit=1).runs.get())
    note_failures(submit("trouble-stored", limit=1).runs.get())
    good = [submit(f"Own-{i}", api_model="demo-steady", limit=2) for i in range(3)]
    for submission in good:
        finish(submission.runs.get())
    submissions.publish(good[1], world.maintainer)
    submissions.publish(good[2], world.maintainer)
    submissions.withdraw(good[2], world.maintainer, "不再需要")
    submit("Waiting-1", limit=1)
    submissions.cancel(submit("Stopped-1", limit=1), world.submitter)
    revision = Benchmark.objects.get(slug="coin_flip").current_revision
    assert revision is not None
    lines = [json.dumps({"id": entry.external_id, "reply": "ANSWER: YES"}) for entry in revision.entries.all()[:3]]
    uploaded = submissions.submit_predictions(
        "\n".join(lines).encode(), "own.jsonl", world.submitter, benchmark="coin_flip", model="Uploaded-1"
    )
    finish(uploaded.runs.get())


def note_failures(run: Run) -> None:
    """A run that ended with every kind of failure there is."""
    problem = run.revision.entries.all()[0].problem
    for attempt, (kind, message) in enumerate(STORED, start=1):
        CallError.objects.create(run=run, problem=problem, attempt=attempt, kind=kind, message=message)
    fail_run(run, "the judge: The key was refused (401): 你好")


def fill_reviews(world: World) -> None:
    """Items in every state, from every policy; errata open, accepted and rejected; a reported reply."""
    for benchmark in Benchmark.objects.filter(slug__in=("hipho", "coin_flip", "phyx_oe")):
        for policy in FINDERS:
            request = QueueRequest(benchmark, policy, needed=2, number=3 if policy == Policy.RANDOM else None)
            build_queue(request, world.maintainer)
    for person in (world.reviewer, world.maintainer):
        for share in ("0", "1", "0.5"):
            if slot := claim_next(person):
                submit_review(person, slot.item, decide_all(slot.item, share, "读过了"))
    claim_next(world.reviewer)
    run = Run.objects.on_board().filter(revision__benchmark__slug="coin_flip").order_by("pk")[0]
    for reply in run.replies.order_by("pk")[:2]:
        judgment = reply.judgments.order_by("pk")[0]
        report_reply(world.submitter, judgment, "我不同意")
    problems = [entry.problem for entry in run.revision.entries.all()[:3]]
    errata = [report_erratum(world.submitter, problem, "参考答案有误") for problem in problems]
    decide_erratum(world.maintainer, errata[0], "accepted", "确实")
    decide_erratum(world.maintainer, errata[1], "rejected", "没有错")
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)


def fill_arena(world: World, folder: Path) -> None:
    """Votes of an arena elsewhere, so that there are ratings, and voters to look at."""
    text = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "1"}]
    rows = [
        {
            "question_id": f"q{n}",
            "model_a": "fir",
            "model_b": ("elm", "oak")[n % 2],
            "winner": ("model_a", "model_b", "tie", "tie (bothbad)")[n % 4],
            "judge": f"arena_user_{n % 5}",
            "turn": 1,
            "anony": True,
            "language": "English",
            "tstamp": float(n),
            "conversation_a": text,
            "conversation_b": [text[0], {"role": "assistant", "content": "2 2"}],
        }
        for n in range(40)
    ]
    path = folder / "votes.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    import_votes(path)
    rebuild_ratings()
