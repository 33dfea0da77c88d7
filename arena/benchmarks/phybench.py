"""PHYBench: 500 original physics problems with one symbolic answer each (arXiv:2504.16074)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scoring.records import read_phybench

from .base import Adapter, Import, ProblemRecord, Prompt, SubsetInfo, TextPart, read_prompt
from .sources import BadRecord, Faults, RawRecord, id_of, list_files, read_records, stop, text_of

FIELDS = {
    "MECHANICS": ("mechanics", "Mechanics"),
    "ELECTRICITY": ("electricity", "Electricity"),
    "THERMODYNAMICS": ("thermodynamics", "Thermodynamics"),
    "OPTICS": ("optics", "Optics"),
    "MODERN": ("modern", "Modern physics"),
    "ADVANCED": ("advanced", "Advanced physics"),
}


def read(path: Path) -> Import:
    """Read one file, or the folder: records are merged by id and the one with an answer wins.

    A problem whose answer is withheld is imported without one. Raises ImportFault naming every bad record.
    """
    files = [path] if path.is_file() else list_files(path, ".json", ".jsonl") if path.is_dir() else []
    if not files:
        raise stop(path, "is neither a file nor a folder with *.json")
    faults = Faults()
    merged: dict[str, ProblemRecord] = {}
    for file in files:
        problems = faults.convert(read_records(file, faults), _to_problem)
        faults.refuse_twins(problems)
        for problem in problems:
            _merge(merged, problem, faults)
    faults.stop_if_any()
    subsets = tuple(SubsetInfo(slug, title) for slug, title in FIELDS.values())
    blank = [problem for problem in merged.values() if not problem.statement.strip()]
    warnings = tuple(f"{p.origin}, id {p.external_id}: published without its question" for p in blank)
    return Import(tuple(merged.values()), subsets, warnings)


def prompt(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """The official text; the solution is never sent. PHYBench has no worked examples."""
    if shots:
        raise ValueError("PHYBench is evaluated without worked examples")
    prefix, suffix = read_prompt("phybench_prefix.txt"), read_prompt("phybench_suffix.txt")
    return (TextPart(f"{prefix}\n\nQuestion: {problem.statement}\n\n{suffix}"),)


def _to_problem(raw: RawRecord) -> ProblemRecord:
    data = raw.data
    tag = text_of(data, "tag").strip().upper()
    if tag not in FIELDS:
        raise BadRecord(f"tag {tag!r} is none of {', '.join(FIELDS)}")
    reference = read_phybench(data)
    # The released set holds one withheld problem (id 778) whose content is empty; with an answer that is a fault.
    is_withheld = not reference.answers and "content" in data
    return ProblemRecord(
        external_id=id_of(data.get("id")),
        subset=FIELDS[tag][0],
        statement=text_of(data, "content", required=not is_withheld),
        solution=text_of(data, "solution", required=False),
        field=FIELDS[tag][1],
        max_points=reference.max_points,
        answers=reference.answers,
        origin=raw.origin,
    )


def _merge(merged: dict[str, ProblemRecord], new: ProblemRecord, faults: Faults) -> None:
    """Join two records of one problem; where both say something, they must say the same."""
    old = merged.setdefault(new.external_id, new)
    for name in ("subset", "statement", "solution", "answers"):
        ours, theirs = getattr(old, name), getattr(new, name)
        if ours and theirs and ours != theirs:
            faults.add(new.origin, f"{name} contradicts {old.origin}", new.external_id)
    merged[new.external_id] = replace(
        old,
        statement=old.statement or new.statement,
        solution=old.solution or new.solution,
        answers=old.answers or new.answers,
    )


ADAPTER = Adapter(
    slug="phybench",
    title="PHYBench",
    title_zh="PHYBench 物理推理",
    summary="Original physics problems with one symbolic answer, scored by the edit distance between expressions.",
    summary_zh="原创物理题，每题一个符号表达式答案，按表达式编辑距离（EED）评分。",
    headline_metric="eed",
    metrics=("eed", "accuracy", "no_answer"),
    scorer="phybench",
    read=read,
    prompt=prompt,
    prompt_files=("phybench_prefix.txt", "phybench_suffix.txt"),
    max_tokens=16384,
    judge="none",
    links={
        "paper": "https://arxiv.org/abs/2504.16074",
        "data": "https://huggingface.co/datasets/Eureka-Lab/PHYBench",
        "code": "https://github.com/phybench-official/phybench",
        "board": "https://www.phybench.cn/leaderboard",
    },
    licence="MIT",
    citation="Qiu et al. PHYBench: holistic evaluation of physical perception and reasoning. arXiv:2504.16074, 2025.",
    tags=("physics", "reasoning"),
    sample="phybench",
)
