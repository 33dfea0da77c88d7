"""A predictions file through the page: errors by line before anything is stored, bombs refused, never ranked."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from arena.models import Reply, Run, Submission
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


def test_visitor_uploads_nothing(client: Client) -> None:
    import_samples()
    assert client.get("/submit/file/").status_code == 302
    assert client.get("/submit/template/coin_flip.jsonl").status_code == 200
    assert client.get("/submit/template/nothing.jsonl").status_code == 404


def test_uploading_costs_one_run_of_the_day(signed_in: Client, settings: object) -> None:
    settings.QUOTA_RUNS_PER_DAY = 1  # type: ignore[attr-defined]
    upload(signed_in, template(signed_in))
    assert "all 1 runs of today" in upload(signed_in, template(signed_in), model="Again")
    assert Run.objects.count() == 1 and Reply.objects.count() == 20
