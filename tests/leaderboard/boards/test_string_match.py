"""PhyX: what the released string match alone accepts stands small beside the accuracy: the gap is what it hides."""

from __future__ import annotations

import io
import json
import zlib

import numpy as np
import pytest
from django.test import Client

from arena.models import Run
from leaderboard.models import Standing
from leaderboard.vectors import unpack
from tests.factories import import_samples, run_inline
from tests.fake_llm import FakeLLM, say
from tests.leaderboard.boards.test_board_insight import part_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """The tension is 180 N: the model says so in another unit, and nothing elsewhere."""
    import_samples("phyx_oe")
    replies = {"tension": r"\boxed{0.18 kN}", "": r"\boxed{nothing}"}
    with FakeLLM(lambda request: say(next(t for word, t in replies.items() if word in request.prompt))) as server:
        return run_inline(server.base_url, "phyx_oe", judge_strategy="rule")


def test_the_string_match_stands_small_beside_the_accuracy_and_takes_no_rank(run: Run, client: Client) -> None:
    row = json.loads(client.get("/b/phyx_oe.json").content)["rows"][0]
    assert row["metric"] == "accuracy" and row["value"] > 0 and row["metrics"]["string_match"] == 0
    page = client.get("/b/phyx_oe/").content.decode()
    cell = part_of(page, '<small class="beside">', "</small>")
    path = f"receipt/{str(run.uuid)[:8]}/overall/string_match/"
    assert path in cell and "0.0" in cell and "the gap is what it hides" in page
    assert client.get(f"/b/phyx_oe/{path}").status_code == 200
    standing = Standing.objects.get(run=run, metric="string_match", subset__slug="overall", basis="machine")
    assert standing.rank is None


def test_arrays_packed_before_the_string_match_was_kept_are_read_as_unknown(run: Run) -> None:
    packed = run.vectors.get().data
    with np.load(io.BytesIO(zlib.decompress(packed))) as arrays:
        older = {name: arrays[name] for name in arrays.files if name != "string_match"}
    buffer = io.BytesIO()
    np.savez(buffer, **older)
    vectors = unpack(zlib.compress(buffer.getvalue()))
    assert np.isnan(vectors.string_match).all() and vectors.string_match.shape == vectors.points.shape
    assert not np.isnan(unpack(packed).string_match).any()
