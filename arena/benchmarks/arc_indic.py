"""ARC-Challenge-Indic: school science, multiple choice, in English and ten languages of India."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.records import read_arc

from .base import Adapter, Import, ProblemRecord, Prompt, SubsetInfo, TextPart, read_prompt
from .sources import BadRecord, Faults, RawRecord, id_of, list_files, read_records, stop, text_of

LANGUAGES = {  # code: English and native name, in board order
    "bn": ("Bengali", "বাংলা"),
    "en": ("English", "English"),
    "gu": ("Gujarati", "ગુજરાતી"),
    "hi": ("Hindi", "हिन्दी"),
    "kn": ("Kannada", "ಕನ್ನಡ"),
    "ml": ("Malayalam", "മലയാളം"),
    "mr": ("Marathi", "मराठी"),
    "or": ("Odia", "ଓଡ଼ିଆ"),
    "pa": ("Punjabi", "ਪੰਜਾਬੀ"),
    "ta": ("Tamil", "தமிழ்"),
    "te": ("Telugu", "తెలుగు"),
}
CODES = {name.casefold(): code for code, names in LANGUAGES.items() for name in (code, *names)}
SPLITS = {"test": "test", "dev": "validation", "validation": "validation"}
# `<lang>_<split>` anywhere in a name, as in arc_challenge_en_test_full1172_hf_shape.jsonl
NAMED_PART = re.compile(r"(?<![a-z])([a-z]{2})_(test|dev|validation)(?![a-z])", re.I)
NAMED_SPLIT = re.compile(r"(?<![a-z])(test|dev|validation)(?![a-z])", re.I)


def read(path: Path) -> Import:
    """Read one file, or a folder of one file a language and split. Raises ImportFault naming every bad record.

    In a folder, files of other languages and files that tell none are skipped with a warning; alone they are refused.
    """
    files = [path] if path.is_file() else list_files(path, ".json", ".jsonl") if path.is_dir() else []
    faults, warnings = Faults(), list[str]()
    problems: list[ProblemRecord] = []
    owners: dict[tuple[str, str], str] = {}
    for file in files:
        code, split = _read_name(file.name)
        own = Faults()
        raws = read_records(file, own)
        if code not in LANGUAGES and not any(_told_language(raw) in LANGUAGES for raw in raws):
            told = code or next(filter(None, map(_told_language, raws)), "")
            reason = f"language {told!r} is none of {' '.join(LANGUAGES)}" if told else "tells no language"
            (faults.found if path.is_file() else warnings).append(f"{file.name}: {reason}")
            continue
        faults.found += own.found
        found = faults.convert(raws, _converter(code, split))
        parts = dict.fromkeys((problem.subset, problem.split) for problem in found)
        twice = [part for part in parts if owners.setdefault(part, file.name) != file.name]
        for part in twice:
            faults.add(file.name, f"holds {' '.join(part)}, as {owners[part]} does")
        problems += [] if twice else found
    faults.refuse_twins(problems)
    faults.stop_if_any()
    if not problems:
        raise stop(path, "is neither a file nor a folder with <lang>_test.jsonl of a known language")
    return Import(tuple(problems), tuple(_describe(problems)), tuple(f"{reason}: skipped" for reason in warnings))


def prompt(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """The official text; worked examples stand before it, each followed by a blank line."""
    examples = "".join(
        f"{shot.statement}\n{_list_choices(shot)}\nANSWER: {shot.answers[0].value}\n\n" for shot in shots
    )
    letters = ",".join(option.label for option in problem.choices)
    text = read_prompt("arc_indic.txt").format(
        letters=letters, question=problem.statement, choices=_list_choices(problem)
    )
    return (TextPart(examples + text),)


def _list_choices(problem: ProblemRecord) -> str:
    return "\n".join(f"{option.label}) {option.text}" for option in problem.choices)


def _read_name(name: str) -> tuple[str, str]:
    """Language code ("" where the name tells none) and split of a file."""
    if part := NAMED_PART.search(name):
        return part[1].lower(), SPLITS[part[2].lower()]
    split = NAMED_SPLIT.search(name)
    return "", SPLITS[split[1].lower()] if split else "test"


def _told_language(raw: RawRecord) -> str:
    """The code of the record's own `language` (code, English or native name), or what it says, or ""."""
    told = str(raw.data.get("language") or "").strip()
    return CODES.get(told.casefold(), told)


def _converter(named: str, split: str) -> Callable[[RawRecord], ProblemRecord]:
    def to_problem(raw: RawRecord) -> ProblemRecord:
        told = _told_language(raw)
        code = told or named
        if code not in LANGUAGES or (named in LANGUAGES and code != named):
            raise BadRecord(f"language {code!r} " + (f"in a file of {named!r}" if named else "is unknown"))
        question_id = id_of(raw.data.get("id"))
        reference = read_arc(raw.data)
        labels = "".join(option.label for option in reference.options)
        if labels not in ("ABC", "ABCD", "ABCDE"):
            raise BadRecord(f"choices: three to five in order are expected, got {labels or 'none'}")
        if not reference.answers:
            raise BadRecord("answerKey is missing or blank")
        return ProblemRecord(
            external_id=f"{code}:{question_id}",
            subset=code,
            split=split,
            statement=text_of(raw.data, "question"),
            choices=reference.options,
            language=code,
            cluster=question_id,
            answers=reference.answers,
            max_points=reference.max_points,
            origin=raw.origin,
        )

    return to_problem


def _describe(problems: Sequence[ProblemRecord]) -> list[SubsetInfo]:
    present = {problem.subset for problem in problems}
    return [
        SubsetInfo(code, english, kind="language", language=code, native_title=native)
        for code, (english, native) in LANGUAGES.items()
        if code in present
    ]


ADAPTER = Adapter(
    slug="arc_indic",
    title="ARC-Challenge-Indic",
    title_zh="ARC-Challenge-Indic 多语言科学问答",
    summary="The same school science questions in English and ten languages of India, multiple choice.",
    summary_zh="同一套科学选择题的英语版与十种印度语言版，考察多语言科学推理。",
    headline_metric="accuracy_macro",
    metrics=("accuracy_macro", "accuracy", "no_answer"),
    scorer="arc_indic",
    read=read,
    prompt=prompt,
    prompt_files=("arc_indic.txt",),
    max_tokens=512,
    links={"data": "https://huggingface.co/datasets/sarvamai/arc-challenge-indic"},
    licence="CC BY-SA 4.0 (ARC)",
    citation="Clark et al. Think you have solved question answering? Try ARC. arXiv:1803.05457, 2018.",
    tags=("multilingual", "multiple choice", "reasoning"),
    sample="arc_indic",
)
