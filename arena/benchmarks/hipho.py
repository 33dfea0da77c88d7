"""HiPhO: 14 physics Olympiads with official marking schemes (arXiv:2509.07894)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from scoring.points import add_points, is_same
from scoring.records import read_hipho

from .base import PUBLISHED, Adapter, FigurePart, Import, ProblemRecord, Prompt, SubsetInfo, TextPart, read_prompt
from .sources import BadRecord, Faults, RawRecord, find_figure, id_of, list_files, read_records, stop, text_of, texts_of

CHINESE_EXAMS = ("CPhO", "PanMechanics")


def read(path: Path) -> Import:
    """Read the folder of the exams' *.json, its parent, or one exam. Raises ImportFault naming every bad record."""
    faults = Faults()
    problems = [problem for file in _find_exams(path) for problem in _read_exam(file, faults)]
    faults.refuse_twins(problems)
    subsets = tuple(_describe(exam, problems) for exam in dict.fromkeys(problem.subset for problem in problems))
    if not faults.found:  # a bad record would only be reported twice, once as missing points
        _check_full_marks(subsets, faults)
    faults.stop_if_any()
    return Import(tuple(problems), subsets)


def prompt(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """The official text in the exam's language, then the figures in order. HiPhO has no worked examples."""
    if shots:
        raise ValueError("HiPhO is evaluated without worked examples")
    text = read_prompt(f"hipho_{problem.language}.txt").format(
        information=problem.information, context=problem.context, question=problem.statement
    )
    return (TextPart(text), *(FigurePart(position) for position in range(len(problem.figures))))


def _find_exams(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise stop(path, "no such file or folder")
    if exams := list_files(path, ".json"):
        return exams
    below = [folder for folder in sorted(path.iterdir()) if folder.is_dir() and list_files(folder, ".json")]
    if len(below) != 1:
        named = ", ".join(folder.name for folder in below) or "none"
        raise stop(path, f"needs the exams' *.json in it or in exactly one folder below (found: {named})")
    return list_files(below[0], ".json")


def _read_exam(file: Path, faults: Faults) -> list[ProblemRecord]:
    raws = read_records(file, faults)
    if not raws:
        return []
    information = raws[0].data.get("information")
    if "id" in raws[0].data or not isinstance(information, str):
        faults.add(raws[0].origin, "is no header: the first element of an exam is {'information': text}")
        return []
    return faults.convert(raws[1:], lambda raw: _to_problem(raw, information))


def _to_problem(raw: RawRecord, information: str) -> ProblemRecord:
    data, folder = raw.data, raw.path.parent
    external_id, exam = id_of(data.get("id")), id_of(data.get("source"), "source")
    if not external_id.startswith(f"{exam}_"):
        raise BadRecord(f"id does not start with its source {exam!r}")
    reference = read_hipho(data)  # refuses a marking scheme that does not add up to the points
    if reference.max_points == 0:
        raise BadRecord("points add up to 0")
    return ProblemRecord(
        external_id=external_id,
        subset=exam,
        statement=text_of(data, "question"),
        information=information,
        context=text_of(data, "context", required=False),
        choices=reference.options,
        modality=text_of(data, "modality"),
        field=text_of(data, "field"),
        language="zh" if exam.startswith(CHINESE_EXAMS) or exam.endswith("_zh") else "en",
        max_points=reference.max_points,
        cluster=f"{exam}_{external_id.removeprefix(f'{exam}_').partition('_')[0]}",
        answers=reference.answers,
        schemes=reference.schemes,
        figures=tuple(find_figure(name, [folder], folder) for name in texts_of(data, "image_question")),
        origin=raw.origin,
    )


@cache
def published_marks() -> dict[str, dict[str, float]]:
    """Full marks, medal thresholds and best results by exam, as published (see published/SOURCES.md)."""
    with (PUBLISHED / "hipho_exam_reference.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("exam"): {key: float(value) for key, value in row.items()} for row in csv.DictReader(file)}


def _describe(exam: str, problems: Sequence[ProblemRecord]) -> SubsetInfo:
    own = [problem for problem in problems if problem.subset == exam]
    marks = published_marks().get(exam, {})
    return SubsetInfo(
        slug=exam,
        title=exam.replace("_", " "),
        kind="exam",
        language=own[0].language,
        full_mark=add_points(problem.max_points for problem in own),
        full_mark_human=marks.get("full_mark_human"),
        gold=marks.get("gold"),
        silver=marks.get("silver"),
        bronze=marks.get("bronze"),
        best_human=marks.get("top1_human"),
    )


def _check_full_marks(subsets: Sequence[SubsetInfo], faults: Faults) -> None:
    for subset in subsets:
        published = published_marks().get(subset.slug, {}).get("full_mark_model")
        if published is not None and subset.full_mark is not None and not is_same(subset.full_mark, published):
            faults.add(subset.slug, f"the points sum to {subset.full_mark:g}, the published full mark is {published:g}")


ADAPTER = Adapter(
    slug="hipho",
    title="HiPhO",
    title_zh="HiPhO 物理奥赛",
    summary="Recent physics Olympiads, marked step by step by the official schemes and compared with human medals.",
    summary_zh="近年物理奥林匹克试题，按官方评分标准逐步评分，并与人类奖牌线比较。",
    headline_metric="exam_score",
    metrics=("exam_score", "accuracy", "accuracy_macro", "no_answer", "gold", "silver", "bronze"),
    scorer="hipho",
    read=read,
    prompt=prompt,
    prompt_files=("hipho_en.txt", "hipho_zh.txt"),
    max_tokens=32768,
    judge="required",
    links={
        "paper": "https://arxiv.org/abs/2509.07894",
        "data": "https://huggingface.co/datasets/SciYu/HiPhO",
        "code": "https://github.com/SciYu/HiPhO",
        "board": "https://phyarena.github.io",
    },
    licence="MIT",
    citation="HiPhO: physics Olympiads with human-aligned evaluation. arXiv:2509.07894, 2025.",
    tags=("physics", "multimodal", "reasoning"),
    sample="hipho",
)
