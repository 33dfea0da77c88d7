"""A predictions file through the page: errors by line before anything is stored, bombs refused, never ranked."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.models import Entrant, Reply, RevisionProblem, Run, Submission
from arena.services import submissions
from arena.services.engine import advance_run
from leaderboard.models import Standing
from tests.factories import import_samples, make_cast

pytestmark = pytest.mark.django_db


def upload(client: Client, data: bytes, name: str = "predictions.jsonl", **changes: str) -> str:
    form = {"model": "Brought", "organisation": "", "benchmark": "coin_flip", "split": "test", **changes}
    answer = client.post("/submit/file/", {**form, "file": SimpleUploadedFile(name, data)}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def signed_in(client: Client) -> Client:
    import_samples()
    client.force_login(make_cast()["submitter"])
    return client


def template(client: Client, reply: str = "ANSWER: YES") -> bytes:
    text = b"".join(client.get("/submit/template/coin_flip.jsonl").streaming_content).decode()  # type: ignore[attr-defined]
    lines = [{**json.loads(line), "reply": reply} for line in text.splitlines()]
    return "\n".join(map(json.dumps, lines)).encode()


def test_template_comes_back_filled_and_is_scored_unranked(signed_in: Client) -> None:
    page = upload(signed_in, template(signed_in))
    run = Run.objects.get()
    assert run.provenance == "uploaded" and not run.partial and run.replies.count() == run.planned
    assert run.state == "queued" and "uploaded" in page, "scoring is left to the workers"
    while advance_run(run.pk):
        pass
    submission = Submission.objects.get()
    submissions.publish(submission, submission.owner)
    standing = Standing.objects.filter(run=run, metric="f1_score", basis="machine", subset__slug="overall").get()
    assert standing.value is not None and not standing.is_ranked


def test_untouched_template_is_refused_and_costs_no_run(signed_in: Client) -> None:
    page = upload(signed_in, template(signed_in, reply=""))
    assert "before it was filled in" in page and not Run.objects.exists() and "20 of 20 runs" in page


def test_template_and_choices_follow_the_benchmark(signed_in: Client) -> None:
    import_samples("hipho")
    part = signed_in.get("/submit/file/?part=choices&benchmark=hipho&split=test&model=kept").content.decode()
    assert "<h1" not in part and 'name="subset"' in part and "/submit/template/hipho.jsonl?split=test" in part
    subset = RevisionProblem.objects.filter(problem__subset__benchmark__slug="hipho").first().problem.subset.slug
    link = signed_in.get(f"/submit/file/?part=template&benchmark=hipho&subset={subset}").content.decode()
    assert f"subset={subset}" in link and "<select" not in link


def test_zip_of_macos_is_accepted_and_an_empty_one_refused(signed_in: Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("replies.jsonl", template(signed_in))
        archive.writestr("__MACOSX/._replies.jsonl", b"\0")
    upload(signed_in, packed.getvalue(), "replies.zip")
    assert Run.objects.get().replies.count() == 20
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert "exactly one file" in upload(signed_in, empty.getvalue(), "replies.zip")


def test_template_of_no_subset_is_not_found(signed_in: Client) -> None:
    assert signed_in.get("/submit/template/coin_flip.jsonl?subset=nope").status_code == 404


@pytest.mark.parametrize("name", ["replies.jsonl.gz", "replies.zip"])
def test_packed_file_is_accepted(signed_in: Client, name: str) -> None:
    data = template(signed_in)
    if name.endswith(".gz"):
        data = gzip.compress(data)
    else:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("replies.jsonl", data)
        data = packed.getvalue()
    upload(signed_in, data, name)
    assert Run.objects.get().replies.count() == 20


def test_every_bad_line_is_named_and_nothing_is_stored(signed_in: Client) -> None:
    good = template(signed_in).splitlines()
    lines = [
        good[0],
        b"not json",
        b'{"id": "no such", "reply": "x"}',
        good[0],
        b'{"id": "\xff"}',
        b'{"reply": "x"}',
        b"[1]",
    ]
    page = upload(signed_in, b"\n".join(lines), model="Kept name")
    for number in range(2, 8):
        assert f"line {number}:" in page, number
    assert "line 1:" not in page and 'value="Kept name"' in page and 'id="id_file_error"' in page
    assert not Run.objects.exists() and not Reply.objects.exists()


def test_bombs_are_refused(signed_in: Client) -> None:
    zeros = b"\0" * (40 * 2**20)
    page = upload(signed_in, gzip.compress(zeros), "bomb.gz")
    assert "unpacks to more than" in page
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", zeros)
    assert "unpacks to more than" in upload(signed_in, packed.getvalue(), "bomb.zip")
    packed_well = gzip.compress(template(signed_in))
    for broken in (packed_well[:60], packed_well[:40] + b"????????" + packed_well[48:], packed.getvalue()[:200]):
        assert "cannot be unpacked" in upload(signed_in, broken, "broken.gz")
    assert not Run.objects.exists()


def test_empty_file_and_missing_file_say_so(signed_in: Client) -> None:
    assert 'id="id_file_error"' in upload(signed_in, b"")
    assert "no prediction" in upload(signed_in, b"\n\n")
    form = {"model": "Brought", "benchmark": "coin_flip", "split": "test"}
    assert 'id="id_file_error"' in signed_in.post("/submit/file/", form).content.decode()


def test_file_of_some_problems_is_partial(signed_in: Client) -> None:
    upload(signed_in, b"\n".join(template(signed_in).splitlines()[:3]))
    assert Run.objects.get().partial


def solution(name: str, **changes: object) -> dict[str, object]:
    """A record as the official pipeline of PHYBench writes it (its README)."""
    return {
        "id": name,
        "model": "gpt-4o",
        "model_solution": "Hence \\boxed{\\frac{1}{2} m v^2}",
        "model_answer": "\\frac{1}{2} m v^2",
        "timestamp": 1736156789.123,
        "time_taken": 12.5,
        "repeat_index": 0,
        "prompt_tokens": 850,
        "completion_tokens": 420,
        "total_tokens": 1270,
        **changes,
    }


def upload_pipeline(client: Client, records: object, **changes: str) -> str:
    data = records if isinstance(records, bytes) else json.dumps(records, indent=2).encode()
    return upload(client, data, "gpt-4o.json", benchmark="phybench", **changes)


@pytest.fixture
def physicist(client: Client) -> Client:
    import_samples("phybench")
    client.force_login(make_cast()["submitter"])
    return client


def ids() -> list[str]:
    return list(RevisionProblem.objects.filter(split="test").order_by("position").values_list("external_id", flat=True))


def test_solutions_of_the_official_pipeline_are_replies(physicist: Client) -> None:
    names = ids()
    assert "pipeline" in physicist.get("/submit/file/?benchmark=phybench").content.decode()
    upload_pipeline(physicist, [solution(name, repeat_index=n) for name in names for n in (0, 1)])
    run = Run.objects.get()
    assert (run.repeats, run.planned, run.replies.count()) == (2, 2 * len(names), 2 * len(names))
    reply = run.replies.all()[0]
    assert reply.text.startswith("Hence") and (reply.prompt_tokens, reply.completion_tokens) == (850, 420)


def test_failed_call_of_the_pipeline_is_no_reply_and_no_zero(physicist: Client) -> None:
    good, *failed = ids()[:4]
    words = "Error generating solution: Connection error."
    records = [
        solution(good),
        solution(failed[0], model_solution=words, model_answer="", error_message="Connection error."),
        solution(failed[1], model_solution="Error after 3 retries: time-out", model_answer=""),
        solution(failed[2], model_solution="", model_answer=""),
    ]
    upload_pipeline(physicist, records)
    run = Run.objects.get()
    assert run.replies.get().problem.external_id == good and run.partial


def test_evaluation_file_gives_the_answers_of_the_named_model(physicist: Client) -> None:
    first, second = ids()[:2]
    both = {"model_name": ["gpt-4o", "other", "gpt-4o"], "model_score": [85.2, 0, 3], "model_answer": ["a", "b", "c"]}
    records = [{"id": first, "answer": "a", **both}, {"id": second, "answer": "b", **both}]
    assert "is none of gpt-4o, other" in upload_pipeline(physicist, records, model="Mine")
    assert not Run.objects.exists()
    upload_pipeline(physicist, records, model="gpt-4o")
    replies = Reply.objects.filter(problem__external_id=first).order_by("repeat")
    assert [reply.text for reply in replies] == ["\\boxed{a}", "\\boxed{c}"]


def test_faults_of_a_pipeline_file_have_the_line_their_record_begins_in(physicist: Client) -> None:
    good = json.dumps(solution(ids()[0]))
    lines = [
        "[",
        f"{good},",
        f"{json.dumps(solution('no such'))},",
        f"{json.dumps(solution(ids()[1], model='another'))},",
        f"{json.dumps(solution(ids()[1], repeat_index='x'))},",
        "7,",
        f"{json.dumps(solution(ids()[1], model_solution=[1]))},",
        f"{good}",
        "{oops]",
    ]
    page = upload_pipeline(physicist, "\n".join(lines).encode())
    for number in range(3, 10):
        assert f"line {number}:" in page, number
    assert "line 2:" not in page and not Run.objects.exists() and not Entrant.objects.filter(name="Brought").exists()


@pytest.mark.parametrize("data", [b"[", b"[{", b"[1 2]", b"[] []", b"[\xff]", b"[" * 100_000, b"[]", b"[,]"])
def test_broken_list_says_so(physicist: Client, data: bytes) -> None:
    assert 'id="id_file_error"' in upload_pipeline(physicist, data)
    assert not Run.objects.exists()


def test_texts_that_no_database_stores_are_made_plain(signed_in: Client) -> None:
    odd = "a\\u0000b\\ud800"
    line = f'{{"id": 0, "reply": "{odd} ANSWER: YES", "reasoning": "{odd}", "finish_reason": "{odd}"}}'
    upload(signed_in, b"\xef\xbb\xbf" + line.encode())
    assert Reply.objects.get().finish_reason == "a\u2400b?"


def test_pipeline_records_are_for_phybench_alone(signed_in: Client) -> None:
    assert "reply: text is expected" in upload(signed_in, json.dumps([solution("0")]).encode())


def test_visitor_uploads_nothing(client: Client) -> None:
    import_samples()
    assert client.get("/submit/file/").status_code == 302
    assert client.get("/submit/template/coin_flip.jsonl").status_code == 200
    assert client.get("/submit/template/nothing.jsonl").status_code == 404


def test_uploading_costs_one_run_of_the_day(signed_in: Client, settings: object) -> None:
    settings.QUOTA_RUNS_PER_DAY = 1  # type: ignore[attr-defined]
    upload(signed_in, template(signed_in))
    assert "All 1 runs of today" in upload(signed_in, template(signed_in), model="Again")
    assert Run.objects.count() == 1 and Reply.objects.count() == 20
