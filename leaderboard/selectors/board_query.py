"""What the address of a board asks for: column, order and filters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from leaderboard.models import Standing

PROVENANCES = ("measured", "uploaded", "reported")
KINDS = ("model", "human", "baseline")
BOARD_PARAMETERS = (
    "subset", "metric", "basis", "sort", "kind", "org", "organisation", "open", "modality", "language", "field",
    "since", "date", "provenance", "scorer", "as_of", "ignored",
)  # fmt: skip
MAY_BE_IGNORED = (
    "subset", "metric", "basis", "sort", "kind", "org", "open", "modality", "language", "field", "since",
    "provenance", "scorer", "as_of",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """All parts of a board's address; an unknown value counts as none given.

    as_of: the moment whose board is asked for, empty for now. ignored: parameters whose value meant nothing.
    """

    subset: str = ""
    metric: str = ""
    basis: str = "machine"
    sort: str = ""  # a column, `-` in front for descending the other way round
    kind: str = ""
    organisation: str = ""
    open: str = ""
    modality: str = ""
    language: str = ""
    field: str = ""
    since: str = ""
    provenance: str = ""
    scorer: str = ""
    as_of: str = ""
    ignored: tuple[str, ...] = ()

    @property
    def moment(self) -> datetime | None:
        return datetime.fromisoformat(self.as_of) if self.as_of else None

    @property
    def of_numbers(self) -> dict[str, str]:
        """The parameters that say what a number is of, whatever column it stands in; those given alone."""
        basis = "" if self.basis == Standing.Basis.MACHINE else self.basis
        names = ("modality", "language", "field", "scorer", "as_of")
        given = {"basis": basis} | {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value}

    @property
    def has_slice(self) -> bool:
        """Whether the numbers are of some problems only."""
        return bool(self.modality or self.language or self.field)

    @property
    def has_filter(self) -> bool:
        """Whether rows may be left out, or numbers shown that not every run has."""
        is_other = self.basis != Standing.Basis.MACHINE
        return bool(
            self.kind or self.organisation or self.open or self.since or self.provenance or self.scorer or is_other
        )


def read_query(data: Mapping[str, str]) -> BoardQuery:
    basis = data.get("basis", "")
    since = data.get("since") or data.get("date") or ""
    return BoardQuery(
        subset=data.get("subset", ""),
        metric=data.get("metric", ""),
        basis=basis if basis in Standing.Basis.values else Standing.Basis.MACHINE,
        sort=data.get("sort", ""),
        kind=_one_of(data.get("kind", ""), KINDS),
        organisation=data.get("org") or data.get("organisation") or "",
        open=_yes_no(data.get("open", "")),
        modality=data.get("modality", ""),
        language=data.get("language", ""),
        field=data.get("field", ""),
        since=since if re.fullmatch(r"\d{4}-\d{2}-\d{2}", since) else "",
        provenance=_one_of(data.get("provenance", ""), PROVENANCES),
        scorer=data.get("scorer", ""),
        as_of=read_moment(data.get("as_of", "")),
        ignored=tuple(name for name in data.get("ignored", "").split(",") if name in MAY_BE_IGNORED),
    )


def read_moment(text: str) -> str:
    """An ISO time as UTC with seconds, of a day alone its end; empty where it is none."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= len("2026-01-01"):
            moment = datetime.combine(moment.date(), time(23, 59, 59), UTC)
        elif moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return print_moment(moment)
    except (ValueError, OverflowError):
        return ""


def print_moment(moment: datetime) -> str:
    """The second in which it ended, so that what happened before it in that second belongs to it."""
    whole = moment.astimezone(UTC).replace(microsecond=0) + timedelta(seconds=bool(moment.microsecond))
    return f"{whole:%Y-%m-%dT%H:%M:%SZ}"


def _one_of(value: str, known: tuple[str, ...]) -> str:
    return value if value in known else ""


def _yes_no(value: str) -> str:
    return {
        "yes": "yes",
        "1": "yes",
        "true": "yes",
        "open": "yes",
        "no": "no",
        "0": "no",
        "false": "no",
        "closed": "no",
    }.get(value.lower(), "")
