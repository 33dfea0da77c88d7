"""What the address of a board asks for: column, order and filters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.models import Standing

PROVENANCES = ("measured", "uploaded", "reported")
KINDS = ("model", "human", "baseline")
BOARD_PARAMETERS = (
    "subset", "metric", "basis", "sort", "kind", "org", "organisation", "open", "modality", "language", "field",
    "since", "date", "provenance", "scorer",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """All parts of a board's address; an unknown value counts as none given."""

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

    @property
    def has_slice(self) -> bool:
        """Whether the numbers are of some problems only."""
        return bool(self.modality or self.language or self.field)

    @property
    def has_filter(self) -> bool:
        return bool(self.kind or self.organisation or self.open or self.since or self.provenance or self.scorer)


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
    )


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
