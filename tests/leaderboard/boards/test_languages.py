"""ARC-Indic: languages are compared on the questions that all of them have."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from arena.models import Answer, DatasetRevision, Problem, RevisionProblem, Run, Subset
from arena.signals import scores_changed
from tests.leaderboard.boards.scenes import give, make_board, make_run

pytestmark = pytest.mark.django_db
QUESTIONS = {"en": ("q1", "q2", "q3", "q4"), "hi": ("q1", "q2", "q5"), "ta": ("q2", "q1", "q3")}


@pytest.fixture
def revision() -> DatasetRevision:
    """Three languages of which only q1 and q2 stand in each."""
    revision = make_board("arc_indic", {})
    position = 0
    for order, (code, names) in enumerate(QUESTIONS.items(), start=1):
        subset = Subset.objects.create(
            benchmark=revision.benchmark, slug=code, title=code, kind="language", language=code, position=order
        )
        for name in names:
            problem = Problem.objects.create(
                subset=subset, external_id=f"{code}:{name}", statement=name, max_points=Decimal(1),
                content_hash=f"{code}{name}", cluster=name, language=code,
            )  # fmt: skip
            Answer.objects.create(problem=problem, position=0, value="A", points=1)
            RevisionProblem.objects.create(
                revision=revision, problem=problem, position=position, external_id=problem.external_id
            )
            position += 1
    return revision


def answer(revision: DatasetRevision, name: str, right: set[str]) -> Run:
    run = make_run(revision, name)
    for entry in revision.entries.select_related("problem__subset"):
        give(run, entry, 1.0 if entry.external_id in right else 0.0)
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    return run


def test_the_heat_map_counts_only_questions_that_every_language_has(revision: DatasetRevision, client: Client) -> None:
    answer(revision, "Solver", {"en:q1", "en:q3", "en:q4", "hi:q1", "hi:q2", "ta:q3"})
    page = client.get("/b/arc_indic/charts/").content.decode()
    table = page[page.index("2 questions that every language has") :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    # On their own files: en 75, hi 67, ta 33 per cent.
    assert "Solver" in table and all(f">{value}<" in table for value in ("50.0", "100.0", "0.0"))
    assert "75.0" not in table and "66.7" not in table and "33.3" not in table


def test_the_gap_to_english_is_paired_by_question(revision: DatasetRevision, client: Client) -> None:
    answer(revision, "Solver", {"en:q1", "en:q4", "hi:q1", "hi:q2", "ta:q1", "ta:q3"})
    page = client.get("/b/arc_indic/charts/").content.decode()
    table = page[page.index("Gap to English") :]
    table = table[: table.index("</table>")]
    # hi: q1, q2 right against q1; ta: q1, q3 right against q1 of the shared q1, q2, q3.
    assert "+50.0 [" in table and "+33.3 [" in table
