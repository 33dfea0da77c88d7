"""Reviews out to a file and in again: nothing is lost, doubled or believed unchecked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from arena.effective import effective_points
from arena.errors import ImportRefused
from arena.models import Adjudication, ErrorLabel, Judgment, Policy, Review, ReviewItem
from arena.review_parts import parts_to_decide
from arena.services.adjudication import adjudicate
from arena.services.review_claims import claim_next
from arena.services.review_desk import Decision, Verdict, submit_review
from arena.services.review_export import COLUMNS, export_rows, to_csv, to_jsonl
from arena.services.review_files import read_reviews
from arena.services.review_queue import add_reason
from tests.arena.reviews.scenes import decide_all, make_people, make_run
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def settled_queue() -> ReviewItem:
    """One item that two disagreed on and a maintainer settled, with an error label."""
    run = make_run()
    item = add_reason(run.replies.order_by("pk")[0], run.scorer, Policy.REPORTED, "odd")
    ada, ben = make_people("ada", "ben")
    claim_next(ada)
    submit_review(ada, item, decide_all(item, "1", "=looks right"))
    claim_next(ben)
    wrong = Verdict(verdict="wrong", reason="no", error_class="robust_symbolic", wrong_step="balance of forces")
    submit_review(ben, item, wrong)
    ruling = {part.key: Decision("0", "the sign is lost") for part in parts_to_decide(item)}
    adjudicate(make_user("max", "maintainer"), item, ruling)
    item.refresh_from_db()
    return item


@pytest.mark.parametrize("write, name", [(to_jsonl, "r.jsonl"), (to_csv, "r.csv")])
def test_export_comes_back_whole_in_an_empty_table(write, name: str) -> None:  # type: ignore[no-untyped-def]
    item = settled_queue()
    counted = effective_points(Judgment.objects.filter(reply=item.reply))
    rows = list(export_rows())
    text = write(rows)
    from arena.models import Guard

    Guard.objects.update(enforced=False)
    for table in (Review, Adjudication, ErrorLabel):
        table.objects.all().delete()
    ReviewItem.objects.all().delete()
    Guard.objects.update(enforced=True)
    assert effective_points(Judgment.objects.filter(reply=item.reply)) == {}
    report = read_reviews(text.encode(), name)
    assert report.stored == len(rows) and report.known == 0
    assert effective_points(Judgment.objects.filter(reply=item.reply)) == counted
    again = [{**row, "created_at": None} for row in export_rows()]
    assert again == [{**row, "created_at": None} for row in rows]
    assert ReviewItem.objects.get().state == ReviewItem.State.DONE


def test_second_import_adds_nothing() -> None:
    settled_queue()
    text = to_jsonl(export_rows())
    before = Review.objects.count()
    report = read_reviews(text.encode(), "r.jsonl")
    assert report.stored == 0 and report.known == len(text.splitlines())
    assert Review.objects.count() == before


def test_record_of_five_fields_is_enough() -> None:
    run = make_run()
    make_people("ada")
    reply = run.replies.order_by("pk")[0]
    line = {"reply": str(reply.uuid), "part": "s0c0", "reviewer": "ada", "points": 0, "reason": "absent"}
    assert read_reviews(json.dumps(line).encode(), "r.jsonl").stored == 1
    assert Review.objects.get().decision == Review.Decision.OVERRIDE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": 99}, "points: must lie between"),
        ({"points": None}, "points: is missing"),
        ({"points": "NaN"}, "points"),
        ({"points": [1]}, "points: must be"),
        ({"part": "s7c7"}, "part:"),
        ({"reason": " "}, "reason: is missing"),
        ({"reviewer": "nobody"}, "person: there is no account"),
        ({"reply": "x"}, "reply: 'x' is no UUID"),
        ({"reply": "00000000-0000-4000-8000-000000000000"}, "reply: there is no reply"),
        ({"scorer": "abc"}, "scorer: there is no scorer"),
        ({"kind": "vote"}, "kind: must be one of"),
        ({"kind": "adjudication"}, "item: an adjudication belongs"),
        ({"kind": "label", "error_class": "typo"}, "error_class: must be one of"),
        ({"verdict": "perhaps"}, "verdict: must be one of"),
    ],
)
def test_bad_record_is_named_and_nothing_is_stored(change: dict[str, object], words: str) -> None:
    run = make_run()
    make_people("ada")
    good = {"reply": str(run.replies.order_by("pk")[0].uuid), "part": "s0c0", "reviewer": "ada", "points": 0}
    good["reason"] = "absent"
    text = json.dumps(good) + "\n\n" + json.dumps({**good, **change}) + "\n"
    with pytest.raises(ImportRefused) as refused:
        read_reviews(text.encode(), "r.jsonl")
    assert refused.value.faults[0].startswith("line 3: ") and words in refused.value.faults[0]
    assert not Review.objects.exists()


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[1]\n", b"{", b"[" * 100_000])
def test_broken_file_is_refused_with_its_line(data: bytes) -> None:
    with pytest.raises(ImportRefused, match="line 1"):
        read_reviews(data, "r.jsonl")


def test_cell_that_a_table_program_would_run_is_quoted_and_comes_back() -> None:
    settled_queue()
    text = to_csv(export_rows())
    assert "'=looks right" in text and text.splitlines()[0] == ",".join(COLUMNS)


def test_commands_write_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settled_queue()
    for name in ("r.jsonl", "r.csv"):
        call_command("export_reviews", path=tmp_path / name)
        call_command("import_reviews", path=tmp_path / name)
    assert "0 records stored" in capsys.readouterr().out
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(CommandError) as refused:
        call_command("import_reviews", path=tmp_path / "bad.jsonl")
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="nowhere"):
        call_command("import_reviews", path=tmp_path / "nowhere.jsonl")
