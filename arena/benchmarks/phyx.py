"""PhyX: university physics, one figure a problem; open-ended (phyx_oe) and multiple choice (phyx_mc).

Input style Text-DeRedundancy: the figure, the shortened description, the question (arXiv:2505.15929).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.records import read_phyx_choice, read_phyx_open
from scoring.reference import Reference

from .base import Adapter, FigurePart, Import, ProblemRecord, Prompt, SubsetInfo, TextPart, read_prompt
from .sources import BadRecord, Faults, RawRecord, find_figure, id_of, list_files, read_records, stop, text_of, texts_of

DOMAINS = {
    "Mechanics": "mechanics",
    "Electromagnetism": "electromagnetism",
    "Thermodynamics": "thermodynamics",
    "Waves/Acoustics": "waves_acoustics",
    "Optics": "optics",
    "Modern Physics": "modern_physics",
}
TEST_MINI_SIZE = 1000  # the problems with index 0 .. 999 are the split test_mini too
ReadReference = Callable[[Mapping[str, Any]], Reference]


def _reader(read_reference: ReadReference) -> Callable[[Path], Import]:
    def read(path: Path) -> Import:
        """Read one file of records with the figures beside it or one folder below. Raises ImportFault."""
        file = _find_file(path)
        folders = [file.parent, *sorted(p for p in file.parent.iterdir() if p.is_dir() and p.name[0] != ".")]
        faults = Faults()
        problems = faults.convert(
            read_records(file, faults), lambda raw: _to_problem(raw, read_reference(raw.data), folders)
        )
        faults.refuse_twins(problems)
        faults.stop_if_any()
        mini = [replace(problem, split="test_mini") for problem in problems if _is_mini(problem.external_id)]
        subsets = tuple(SubsetInfo(slug, title) for title, slug in DOMAINS.items())
        return Import((*problems, *mini), subsets)

    return read


def _read_open(data: Mapping[str, Any]) -> Reference:
    """What the open question expects; its options are not part of it and must not show on its page."""
    return replace(read_phyx_open(data), options=())


def _find_file(path: Path) -> Path:
    files = [path] if path.is_file() else list_files(path, ".json", ".jsonl") if path.is_dir() else []
    if len(files) != 1:
        named = ", ".join(file.name for file in files) or "none"
        raise stop(path, f"needs one .jsonl or .json file (found: {named})")
    return files[0]


def _is_mini(external_id: str) -> bool:
    return external_id.isascii() and external_id.isdigit() and int(external_id) < TEST_MINI_SIZE


def _to_problem(raw: RawRecord, reference: Reference, folders: Sequence[Path]) -> ProblemRecord:
    data = raw.data
    category = text_of(data, "category").strip()
    if category not in DOMAINS:
        raise BadRecord(f"category {category!r} is none of {', '.join(DOMAINS)}")
    if not reference.answers[0].value:
        raise BadRecord("answer is missing or blank")
    return ProblemRecord(
        external_id=_read_id(data),
        subset=DOMAINS[category],
        statement=text_of(data, "question"),
        # question_description is the full text; it stands in where no shortened one was published.
        context=text_of(data, "question_simply", required=False) or text_of(data, "question_description"),
        choices=reference.options,
        modality="text+illustration figure",
        field=category,
        subfield=text_of(data, "subfield", required=False),
        tags=texts_of(data, "reasoning_type"),
        max_points=reference.max_points,
        answers=reference.answers,
        figures=(find_figure(text_of(data, "image"), folders, folders[0]),),
        origin=raw.origin,
    )


def _read_id(data: dict[str, Any]) -> str:
    """`index`, else `card` with its `/` written `-`, as no id may hold a slash."""
    if data.get("index") is not None:
        return id_of(data["index"], "index")
    return id_of(text_of(data, "card").replace("/", "-"), "card")


def prompt_oe(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """The figure, then description, question and the official instruction."""
    return _prompt(problem, shots, read_prompt("phyx_oe_instruction.txt"))


def prompt_mc(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """As open-ended, with the instruction of multiple choice and the options on one line."""
    options = " ".join(f"{option.label}: {option.text}" for option in problem.choices)
    return _prompt(problem, shots, read_prompt("phyx_mc_instruction.txt") + options)


def _prompt(problem: ProblemRecord, shots: Sequence[ProblemRecord], instruction: str) -> Prompt:
    if shots:
        raise ValueError("PhyX is evaluated without worked examples")
    return (FigurePart(0), TextPart(f"{problem.context} {problem.statement}{instruction}"))


OPEN_ENDED = Adapter(
    slug="phyx_oe",
    title="PhyX open-ended",
    title_zh="PhyX 开放式",
    summary="University physics that cannot be answered without reading the figure; a free answer with its unit.",
    summary_zh="必须读图才能作答的大学物理题，答案为带单位的数值或公式。",
    headline_metric="accuracy",
    metrics=("accuracy", "no_answer"),
    scorer="phyx_oe",
    read=_reader(_read_open),
    prompt=prompt_oe,
    prompt_files=("phyx_oe_instruction.txt",),
    default_split="test_mini",
    split_fallbacks=("test",),
    max_tokens=8192,
    figures_public=False,
    judge="optional",
    links={
        "paper": "https://arxiv.org/abs/2505.15929",
        "code": "https://github.com/NastyMarcus/PhyX",
        "board": "https://phyx-bench.github.io",
    },
    licence="figures from textbooks: not redistributed",
    citation="Shen et al. PhyX: does your model have the wits for physical reasoning? arXiv:2505.15929, 2025.",
    tags=("physics", "multimodal", "reasoning"),
    sample="phyx",
)

MULTIPLE_CHOICE = replace(
    OPEN_ENDED,
    slug="phyx_mc",
    title="PhyX multiple choice",
    title_zh="PhyX 选择题",
    summary="The same problems of university physics with a figure, as multiple choice.",
    summary_zh="同一套必须读图的大学物理题，以选择题形式作答。",
    scorer="phyx_mc",
    read=_reader(read_phyx_choice),
    prompt=prompt_mc,
    prompt_files=("phyx_mc_instruction.txt",),
    judge="none",
)
