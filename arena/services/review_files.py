"""Reviews from a file, as `review_export` writes it. What is there already is left alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.csv_cells import unguard_cell
from arena.errors import ImportRefused, Refused
from arena.models import (
    Adjudication,
    ErrorClass,
    ErrorLabel,
    Policy,
    Reply,
    Review,
    ReviewItem,
    ReviewReason,
    ReviewSlot,
    Scorer,
    User,
)
from arena.review_parts import Part, find_evidence, parts_of, read_points
from arena.services.audit import record_event
from arena.services.settling import settle
from arena.signals import scores_changed

KINDS = ("review", "adjudication", "label")


@dataclass(frozen=True, slots=True)
class FileReport:
    """How many records were stored and how many were there already."""

    stored: int
    known: int


def read_reviews(
    data: bytes, name: str, *, actor: User | None = None, create_people: bool = False, inline: bool = False
) -> FileReport:
    """Store the records of a file; each needs `reply`, `part`, `person` (or `reviewer`), `points`, `reason`.

    A record with the uuid of one that is here is left alone. Raises ImportRefused with every bad line; then nothing
    is stored.
    """
    records = parse_file(data, name)
    desk = _Intake(create_people=create_people)
    faults: list[str] = []
    with transaction.atomic():
        for line, record in records:
            try:
                with transaction.atomic():
                    desk.store(record)
            except Refused as refused:
                faults.append(f"line {line}: {refused}")
        if faults:
            transaction.set_rollback(True)
        else:
            for item in desk.items.values():
                settle(ReviewItem.objects.select_for_update().get(pk=item.pk))
            record_event(actor, "import", f"file:{name}"[:100], {}, {"stored": desk.stored, "known": desk.known})
    if faults:
        raise ImportRefused(faults)
    if desk.run_ids:
        scores_changed.send(sender=Review, run_ids=sorted(desk.run_ids), inline=inline)
    return FileReport(desk.stored, desk.known)


def parse_file(data: bytes, name: str) -> list[tuple[int, dict[str, Any]]]:
    """(line number, record) of a JSON-lines or CSV file. Raises ImportRefused naming the lines."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ImportRefused([f"line {line}: is not UTF-8"]) from error
    if name.lower().endswith(".csv"):
        return _parse_csv(text)
    records, faults = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            faults.append(f"line {number}: is no JSON")
            continue
        if isinstance(record, dict):
            records.append((number, record))
        else:
            faults.append(f"line {number}: is no JSON object")
    if faults:
        raise ImportRefused(faults)
    return records


def _parse_csv(text: str) -> list[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text))
    missing = {"reply", "points"} - set(reader.fieldnames or ())
    if missing:
        raise ImportRefused([f"line 1: the head names no {' and no '.join(sorted(missing))}"])
    records = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise ImportRefused([f"line {reader.line_num}: has another number of cells than the head"])
            values = {key: unguard_cell(value) for key, value in row.items() if value != ""}
            if "policies" in values:
                values["policies"] = values["policies"].split()
            records.append((reader.line_num, values))
    except csv.Error as error:
        raise ImportRefused([f"line {reader.line_num}: {error}"]) from error
    return records


class _Intake:
    """Stores records one by one; remembers what it looked up and which runs and items it touched."""

    def __init__(self, *, create_people: bool) -> None:
        self.create_people = create_people
        self.stored = self.known = 0
        self.run_ids: set[int] = set()
        self.items: dict[int, ReviewItem] = {}
        self._people: dict[str, User] = {}
        self._parts: dict[tuple[int, int], dict[str, Part]] = {}

    def store(self, record: Mapping[str, Any]) -> None:
        kind = record.get("kind") or "review"
        if kind not in KINDS:
            raise Refused("kind", f"must be one of {', '.join(KINDS)}, not {str(kind)[:40]!r}")
        reply = self._reply(record)
        scorer = self._scorer(record, reply)
        person = self._person(record)
        if kind == "label":
            is_new = self._store_label(record, reply, scorer, person)
        else:
            is_new = self._store_decision(kind, record, reply, scorer, person)
        self.stored += is_new
        self.known += not is_new
        if is_new:
            self.run_ids.add(reply.run_id)

    def _store_decision(self, kind: str, record: Mapping[str, Any], reply: Reply, scorer: Scorer, person: User) -> bool:
        table = Review if kind == "review" else Adjudication
        uuid = _uuid(record, "uuid") if record.get("uuid") else None
        if uuid and table.objects.filter(uuid=uuid).exists():  # type: ignore[attr-defined]
            return False
        part = self._part(record, reply, scorer)
        points = read_points(_text(record, "points"), part.maximum)
        reason = _text(record, "reason").strip()
        if not reason:
            raise Refused("reason", "is missing")
        item = self._item(record, reply, scorer, is_needed=kind == "adjudication")
        extra: dict[str, Any] = {"uuid": uuid} if uuid else {}
        if kind == "adjudication":
            Adjudication.objects.create(
                item=item, **part.columns, adjudicator=person, points=points, reason=reason, **extra
            )
            return True
        verdict = record.get("verdict") or ""
        if verdict and verdict not in Review.Verdict.values:
            raise Refused("verdict", f"must be one of {', '.join(Review.Verdict.values)}")
        evidence = find_evidence(str(record.get("evidence") or ""), reply)
        Review.objects.create(
            judgment=part.score.judgment,
            **part.columns,
            reviewer=person,
            decision=Review.Decision.UPHOLD if points == part.points else Review.Decision.OVERRIDE,
            points=points,
            reason=reason,
            role=record.get("role") if record.get("role") in ("reviewer", "senior", "maintainer") else "reviewer",
            item=item,
            verdict=verdict,
            is_blind=str(record.get("is_blind")).lower() in ("true", "1"),
            evidence=evidence.text,
            evidence_start=evidence.start,
            evidence_end=evidence.end,
            **extra,
        )
        if item is not None:
            _take_place(item, person)
        return True

    def _store_label(self, record: Mapping[str, Any], reply: Reply, scorer: Scorer, person: User) -> bool:
        error_class = record.get("error_class")
        if error_class not in ErrorClass.values:
            raise Refused("error_class", f"must be one of {', '.join(ErrorClass.values)}")
        step = find_evidence(str(record.get("evidence") or ""), reply)
        same = ErrorLabel.objects.filter(reply=reply, reviewer=person, error_class=error_class, step=step.text)
        if same.exists():
            return False
        ErrorLabel.objects.create(
            reply=reply,
            item=self._item(record, reply, scorer, is_needed=False),
            reviewer=person,
            error_class=error_class,
            step=step.text,
            step_start=step.start,
            step_end=step.end,
        )
        return True

    def _reply(self, record: Mapping[str, Any]) -> Reply:
        reply = Reply.objects.filter(uuid=_uuid(record, "reply")).select_related("run__scorer", "problem").first()
        if reply is None:
            raise Refused("reply", f"there is no reply {record['reply']}")
        return reply

    def _scorer(self, record: Mapping[str, Any], reply: Reply) -> Scorer:
        digest = record.get("scorer")
        if not digest:
            return reply.run.scorer
        scorer = Scorer.objects.filter(digest=str(digest)).first()
        if scorer is None:
            raise Refused("scorer", f"there is no scorer with the digest {str(digest)[:16]}")
        return scorer

    def _part(self, record: Mapping[str, Any], reply: Reply, scorer: Scorer) -> Part:
        key = (reply.pk, scorer.pk)
        if key not in self._parts:
            self._parts[key] = {part.key: part for part in parts_of(reply, scorer)}
        part = self._parts[key].get(_text(record, "part"))
        if part is None:
            known = ", ".join(self._parts[key]) or "none"
            raise Refused("part", f"{record['part']!r} is no part of this reply (there are: {known})")
        return part

    def _person(self, record: Mapping[str, Any]) -> User:
        name = _text(record, "person" if record.get("person") else "reviewer")
        if name not in self._people:
            user = User.objects.filter(username=name).first()
            if user is None and self.create_people:
                user = User(username=name[:150], is_active=False)
                user.set_unusable_password()
                user.save()
            if user is None:
                raise Refused("person", f"there is no account {name!r} (--create-people makes inactive ones)")
            self._people[name] = user
        return self._people[name]

    def _item(self, record: Mapping[str, Any], reply: Reply, scorer: Scorer, *, is_needed: bool) -> ReviewItem | None:
        if not record.get("item"):
            if is_needed:
                raise Refused("item", "an adjudication belongs to a queue item")
            return None
        uuid = _uuid(record, "item")
        is_known = str(record.get("is_calibration")).lower() in ("true", "1")
        item = ReviewItem.objects.filter(
            Q(uuid=uuid) | Q(reply=reply, scorer=scorer, is_calibration=is_known)
        ).first() or self._make_item(record, uuid, reply, scorer, is_known)
        if item.reply_id != reply.pk:
            raise Refused("item", "belongs to another reply")
        self.items[item.pk] = item
        return item

    def _make_item(
        self, record: Mapping[str, Any], uuid: UUID, reply: Reply, scorer: Scorer, is_known: bool
    ) -> ReviewItem:
        needed = int(_number(record, "needed", 1, low=1, high=9))
        chance = record.get("inclusion_probability")
        focus = self._part({"part": record["focus"]}, reply, scorer).score if record.get("focus") else None
        item = ReviewItem.objects.create(
            uuid=uuid,
            reply=reply,
            scorer=scorer,
            focus_id=getattr(focus, "criterion_id", None),
            inclusion_probability=None if chance is None else _number(record, "inclusion_probability", 1, 1e-9, 1),
            needed=needed,
            threshold=_number(record, "threshold", 0, 0, 1),
            is_calibration=is_known,
        )
        ReviewSlot.objects.bulk_create(ReviewSlot(item=item, position=n) for n in range(0 if is_known else needed))
        for policy in record.get("policies") or []:
            if policy not in Policy.values:
                raise Refused("policies", f"{policy!r} is none")
            ReviewReason.objects.create(item=item, policy=policy)
        return item


def _take_place(item: ReviewItem, person: User) -> None:
    """Imported reviews fill places as if handed in here; more people than were asked get places of their own."""
    if item.slots.filter(reviewer=person).update(submitted_at=timezone.now(), claimed_until=None):
        return
    slot = item.slots.filter(reviewer=None).order_by("position").first()
    slot = slot or ReviewSlot(item=item, position=item.slots.count())
    slot.reviewer, slot.claimed_at, slot.submitted_at = person, timezone.now(), timezone.now()
    slot.save()


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None or isinstance(value, dict | list | bool):
        raise Refused(name, "is missing" if value is None else "must be a text or a number")
    return str(value)


def _uuid(record: Mapping[str, Any], name: str) -> UUID:
    try:
        return UUID(_text(record, name))
    except ValueError:
        raise Refused(name, f"{str(record[name])[:40]!r} is no UUID") from None


def _number(record: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = record.get(name)
    try:
        number = default if value is None else float(value)
    except (TypeError, ValueError):
        raise Refused(name, f"{str(value)[:40]!r} is no number") from None
    if not low <= number <= high:
        raise Refused(name, f"must lie between {low:g} and {high:g}")
    return number
