"""Every decision of people as a file: one record each, as JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q

from arena.csv_cells import guard_cell
from arena.models import Adjudication, ErrorLabel, Reply, Review, Scorer, User

COLUMNS = (
    "kind", "uuid", "benchmark", "revision", "split", "external_id", "model", "run", "reply", "repeat", "scorer",
    "level", "part", "person", "role", "decision", "points", "machine_points", "max_points", "verdict", "reason",
    "evidence", "evidence_start", "evidence_end", "is_blind", "error_class", "item", "policies",
    "inclusion_probability", "needed", "threshold", "focus", "is_calibration", "state", "created_at",
)  # fmt: skip
_RELATED = ("reply__run__entrant", "reply__run__revision__benchmark", "reply__problem", "scorer")


def write_reviews(path: str, benchmark: str = "") -> int:
    """Write all decisions to `path` (.csv, else JSON lines); returns how many."""
    rows = list(export_rows(benchmark))
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(to_csv(rows) if path.lower().endswith(".csv") else to_jsonl(rows))
    return len(rows)


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """With a head line; lists are joined by spaces, what is missing is empty. No cell starts a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return str(guard_cell(" ".join(map(str, value)) if isinstance(value, list) else str(value)))


def export_rows(benchmark: str = "") -> Iterator[dict[str, Any]]:
    """Every review, adjudication and error label, oldest first within its kind."""
    wanted = Q(judgment__reply__run__revision__benchmark__slug=benchmark) if benchmark else Q()
    reviews = Review.objects.filter(wanted).select_related(
        *(f"judgment__{path}" for path in _RELATED), "reviewer", "item__focus",
        "criterion_score__criterion", "answer_score__answer",
    )  # fmt: skip
    for review in reviews.prefetch_related("item__reasons").order_by("created_at", "pk"):
        yield _record("review", review, review.judgment.reply, review.judgment.scorer, review.reviewer)
    wanted = Q(item__reply__run__revision__benchmark__slug=benchmark) if benchmark else Q()
    rulings = Adjudication.objects.filter(wanted).select_related(
        *(f"item__{path}" for path in _RELATED), "adjudicator", "item__focus",
        "criterion_score__criterion", "answer_score__answer",
    )  # fmt: skip
    for ruling in rulings.prefetch_related("item__reasons").order_by("created_at", "pk"):
        yield _record("adjudication", ruling, ruling.item.reply, ruling.item.scorer, ruling.adjudicator)
    wanted = Q(reply__run__revision__benchmark__slug=benchmark) if benchmark else Q()
    labels = ErrorLabel.objects.filter(wanted).select_related(
        "reply__run__entrant", "reply__run__revision__benchmark", "reply__problem", "reply__run__scorer",
        "reviewer", "item__focus",
    )  # fmt: skip
    for label in labels.prefetch_related("item__reasons").order_by("created_at", "pk"):
        yield _record("label", label, label.reply, label.reply.run.scorer, label.reviewer)


def _record(kind: str, row: Any, reply: Reply, scorer: Scorer, person: User) -> dict[str, Any]:
    run, item = reply.run, row.item
    score = None if kind == "label" else row.criterion_score or row.answer_score
    is_step = kind != "label" and row.criterion_score_id is not None
    record: dict[str, Any] = dict.fromkeys(COLUMNS)
    record |= {
        "kind": kind,
        "uuid": None if kind == "label" else str(row.uuid),
        "benchmark": run.revision.benchmark.slug,
        "revision": run.revision.label,
        "split": run.split,
        "external_id": reply.problem.external_id,
        "model": run.entrant.name,
        "run": str(run.uuid),
        "reply": str(reply.uuid),
        "repeat": reply.repeat,
        "scorer": scorer.digest,
        "person": person.username,
        "created_at": row.created_at.isoformat(),
    }
    if score is not None:
        maximum = score.criterion.max_points if is_step else score.answer.points
        record |= {
            "level": "step" if is_step else "answer",
            "part": score.criterion.target if is_step else f"a{score.answer.position}",
            "points": float(row.points),
            "machine_points": float(score.points),
            "max_points": float(maximum),
            "reason": row.reason,
        }
    if kind == "review":
        names = ("role", "decision", "verdict", "evidence", "evidence_start", "evidence_end", "is_blind")
        record |= {name: getattr(row, name) for name in names}
    if kind == "label":
        record |= {
            "error_class": row.error_class,
            "evidence": row.step,
            "evidence_start": row.step_start,
            "evidence_end": row.step_end,
        }
    if item is not None:
        record |= {
            "item": str(item.uuid),
            "policies": [reason.policy for reason in item.reasons.all()],
            "inclusion_probability": item.inclusion_probability,
            "needed": item.needed,
            "threshold": item.threshold,
            "focus": item.focus.target if item.focus else None,
            "is_calibration": item.is_calibration,
            "state": item.state,
        }
    return record
