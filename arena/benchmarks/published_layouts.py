"""The kinds of published tables that are known, and how a row of each becomes numbers: our long form, and the wide
files recognised by their headers. No Django here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .base import ImportFault
from .published_numbers import OVERALL, BadCell, PublishedNumber, Row, read_name, read_number, read_percent

_EXAM = re.compile(r"[\w=]+_20\d\d")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a wide file comes from, and what was the same for all its numbers."""

    source: str
    date: str
    source_url: str = ""
    repeats: int | None = None
    judge: str = ""
    temperature: float | None = None
    setting: str = ""


HIPHO_TABLE3 = Origin(
    "HiPhO paper, Table 3 (arXiv:2509.07894)",
    "2025-09-22",
    "https://arxiv.org/abs/2509.07894",
    repeats=8,
    judge="Gemini-2.5-Flash",
    temperature=0.6,
    setting="theory part, mean of 8 runs, the better of answer and step level",
)
HIPHO_P1VL = replace(HIPHO_TABLE3, source="P1-VL paper, Table 3", date="2026-02", source_url="")
HIPHO_PEOPLE = Origin(
    "HiPhO paper, Table 3 (arXiv:2509.07894)",
    "2025-09-22",
    "https://arxiv.org/abs/2509.07894",
    setting="the contest's own marking of the whole theory paper, diagrams drawn by hand included",
)
PHYBENCH_SITE = Origin(
    "PHYBench leaderboard (phybench-official/exhibit-website 189f0cc)",
    "2025-12-05",
    "https://github.com/phybench-official/exhibit-website",
)
PHYBENCH_PAPER = Origin("PHYBench paper, Figure 3 (arXiv:2504.16074)", "2025-05", "https://arxiv.org/abs/2504.16074")
PHYX_SITE = Origin(
    "PhyX leaderboard (phyx-bench/phyx-bench.github.io 691736f)", "2025-07-21", "https://phyx-bench.github.io"
)
PHYX_TABLE2 = Origin("PhyX paper, Table 2 (arXiv:2505.15929)", "2025-05", "https://arxiv.org/abs/2505.15929")
PHYX_TABLE3 = replace(PHYX_TABLE2, source="PhyX paper, Table 3 (arXiv:2505.15929)")

PHYBENCH_FIELDS = {
    "all": OVERALL,
    **{name: name for name in ("mechanics", "electricity", "thermodynamics", "optics", "modern", "advanced")},
}
PHYX_DOMAINS = ("mechanics", "electromagnetism", "thermodynamics", "waves_acoustics", "optics", "modern_physics")
PHYX_STYLES = {
    "text_deredundancy": "text-deredundancy",
    "full_text": "full-text",
    "text_minimal": "text-minimal",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of table: the columns that tell it, the benchmarks it speaks of, and how a row becomes numbers."""

    name: str
    columns: frozenset[str]
    benchmarks: tuple[str, ...]
    read: Callable[[str, Row, int, Origin], Iterator[PublishedNumber]]
    origin: Origin = Origin("", "")


LONG_COLUMNS = (
    *(
        "entrant",
        "organisation",
        "kind",
        "split",
        "subset",
        "metric",
        "value",
        "low",
        "high",
        "setting",
        "source",
        "date",
    ),
    *("style", "repeats", "judge", "temperature", "source_url"),
)


def _read_long(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    value = read_number(row, "value")
    if value is None:
        return
    repeats = read_number(row, "repeats")
    if repeats is not None and (repeats < 1 or repeats != int(repeats)):
        raise BadCell(f"repeats: {row['repeats']!r} is no whole number from 1")
    metric, subset = row["metric"], row.get("subset", "")
    yield PublishedNumber(
        entrant=read_name(row, "entrant"),
        organisation=row.get("organisation", ""),
        kind=row.get("kind") or "model",
        split=row.get("split", ""),
        subset=OVERALL if subset in ("", "all") else subset,
        metric="accuracy" if metric == "acc" else metric,
        value=value,
        low=read_number(row, "low"),
        high=read_number(row, "high"),
        style=row.get("style", ""),
        repeats=None if repeats is None else int(repeats),
        judge=row.get("judge", ""),
        temperature=read_number(row, "temperature"),
        setting=row.get("setting", ""),
        source=origin.source or row.get("source", ""),
        source_url=row.get("source_url", ""),
        date=origin.date or row.get("date", ""),
        line=line,
    )


def _base(entrant: str, line: int, origin: Origin, *, kind: str = "model", organisation: str = "") -> PublishedNumber:
    """A number still without metric and value, with all that its file has in common."""
    return PublishedNumber(
        entrant=entrant,
        metric="accuracy",
        value=0.0,
        source=origin.source,
        date=origin.date,
        line=line,
        organisation=organisation,
        kind="human" if entrant.lower().startswith("human") else kind,
        repeats=origin.repeats,
        judge=origin.judge,
        temperature=origin.temperature,
        setting=origin.setting,
        source_url=origin.source_url,
    )


def _read_hipho(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    base = _base(read_name(row, "model"), line, origin)
    for column in row:
        if _EXAM.fullmatch(column) and (value := read_number(row, column)) is not None:
            yield replace(base, subset=column, metric="exam_score", value=value)
    if (value := read_number(row, "avg")) is not None:
        yield replace(base, metric="exam_score_mean", value=value)
    for medal in ("gold", "silver", "bronze"):
        if (value := read_number(row, f"{medal}_medals")) is not None:
            yield replace(base, metric=medal, value=value)


def _read_exam_reference(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    base = _base("Best contestant", line, origin, kind="human")
    if (value := read_number(row, "top1_human")) is not None:
        full = row.get("full_mark_human", "")
        setting = f"{origin.setting}; full mark {full}" if full else origin.setting
        yield replace(base, subset=read_name(row, "exam"), metric="exam_score", value=value, setting=setting)


def _read_phybench_site(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    base = _base(read_name(row, "name"), line, origin, organisation=row.get("org", ""))
    base = replace(base, setting=", ".join(part for part in (row.get("id", ""), row.get("note", "")) if part))
    for field, subset in PHYBENCH_FIELDS.items():
        if (value := read_percent(row, f"acc_{field}")) is not None:
            yield replace(base, subset=subset, metric="accuracy", value=value)
        if (value := read_number(row, f"eed_{field}")) is not None:
            yield replace(base, subset=subset, metric="eed", value=value)


def _read_phybench_paper(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    base = _base(read_name(row, "model"), line, origin)
    if base.kind == "human":  # published so; what the "±" is, is not said
        base = replace(base, setting="81 students, 8 problems each, 3 hours; accuracy 61.9 ± 2.1, EED 70.4 ± 1.8")
    if (value := read_percent(row, "accuracy")) is not None:
        yield replace(base, metric="accuracy", value=value)
    if (value := read_number(row, "eed")) is not None:
        yield replace(base, metric="eed", value=value)


def _read_phyx(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    name = read_name(row, "name" if "name" in row else "model")
    kind = "baseline" if name == "Random Choice" else "model"
    base = replace(_base(name, line, origin, kind=kind), split="test_mini")
    prefix = "oe" if slug == "phyx_oe" else "mc"
    for column, style in PHYX_STYLES.items():
        if (value := read_percent(row, f"{prefix}_{column}")) is not None:
            yield replace(base, style=style, value=value)
    if slug == "phyx_oe":
        for domain in PHYX_DOMAINS:
            if (value := read_percent(row, domain)) is not None:
                yield replace(base, style="text-deredundancy", subset=domain, value=value)
        if "oe_full_text" not in row and (value := read_percent(row, "domain_overall")) is not None:
            yield replace(base, style="text-deredundancy", value=value)


def _read_collected(slug: str, row: Row, line: int, origin: Origin) -> Iterator[PublishedNumber]:
    """Results gathered from several papers, each row with its own source."""
    if slug == "arc_indic" and not row.get("benchmark", "").startswith("ARC-Challenge-Indic"):
        return  # the English benchmark, or a part of it
    own = Origin(origin.source or row.get("source", ""), origin.date or row.get("date", ""))
    n = row.get("n", "")
    setting = ", ".join(part for part in (row.get("setting", ""), f"{n} questions" if n else "") if part)
    base = replace(_base(read_name(row, "model"), line, own), setting=setting)
    base = replace(base, split="validation" if "validation split" in setting else "test")
    if (value := read_percent(row, "accuracy_percent")) is not None:
        yield replace(base, value=value)
    missing, planned = read_number(row, "no_answer"), read_number(row, "n")
    if missing is not None and planned:
        yield replace(base, metric="no_answer", value=missing / planned)


LONG = Layout("the long form", frozenset({"entrant", "metric", "value"}), (), _read_long)
LAYOUTS = (
    LONG,
    Layout("HiPhO's Table 3", frozenset({"group", "model", "IPhO_2025"}), ("hipho",), _read_hipho, HIPHO_TABLE3),
    Layout("the P1-VL table", frozenset({"model", "IPhO_2025"}), ("hipho",), _read_hipho, HIPHO_P1VL),
    Layout("HiPhO's exam reference", frozenset({"exam", "top1_human"}), ("hipho",), _read_exam_reference, HIPHO_PEOPLE),
    Layout(
        "PHYBench's leaderboard",
        frozenset({"name", "acc_all", "eed_all"}),
        ("phybench",),
        _read_phybench_site,
        PHYBENCH_SITE,
    ),
    Layout(
        "PHYBench's Figure 3",
        frozenset({"model", "accuracy", "eed"}),
        ("phybench",),
        _read_phybench_paper,
        PHYBENCH_PAPER,
    ),
    Layout(
        "PhyX's leaderboard",
        frozenset({"name", "oe_full_text", "mc_full_text"}),
        ("phyx_oe", "phyx_mc"),
        _read_phyx,
        PHYX_SITE,
    ),
    Layout(
        "PhyX's Table 2",
        frozenset({"model", "oe_full_text", "mc_full_text"}),
        ("phyx_oe", "phyx_mc"),
        _read_phyx,
        PHYX_TABLE2,
    ),
    Layout("PhyX's Table 3", frozenset({"model", "domain_overall"}), ("phyx_oe",), _read_phyx, PHYX_TABLE3),
    Layout(
        "collected results",
        frozenset({"model", "setting", "accuracy_percent", "source", "date"}),
        ("coin_flip", "arc_indic"),
        _read_collected,
    ),
)


def find_layout(rows: Sequence[Mapping[str, str]]) -> Layout:
    """The layout whose columns the file has. Raises ImportFault for an unknown header or an empty file."""
    if not rows:
        raise ImportFault(["the file has no row below its header"])
    columns = {name for name in rows[0] if name}
    for layout in LAYOUTS:
        if layout.columns <= columns:
            return layout
    raise ImportFault([f"unknown columns: {', '.join(sorted(columns))}; the long form has {', '.join(LONG_COLUMNS)}"])
