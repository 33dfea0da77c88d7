"""CoinFlip: is the coin still heads up after some people flip it? Yes or no; F1 of YES is the headline."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from scoring.records import read_coin_flip

from .base import Adapter, Import, ProblemRecord, Prompt, SubsetInfo, TextPart, read_prompt
from .sources import Faults, RawRecord, id_of, read_records, stop, text_of

# The file names of the official repository; `validation` holds the worked examples and is never ranked.
SPLIT_FILES = {"test.jsonl": "test", "validation.jsonl": "validation"}
STORY = re.compile(r"coin is (heads|tails) up\.(.*)\sIs the coin still (heads|tails) up\?", re.S | re.I)
# A name may hold any character (one official name holds U+009A), so it is whatever stands before the verb.
ACTION = re.compile(r"\s*(.+?) (flips|reverses|does not flip|does not reverse) the coin\.", re.S | re.I)
OTHER_SIDE = {"heads": "tails", "tails": "heads"}


def read(path: Path) -> Import:
    """Read one file, or a folder with test.jsonl and validation.jsonl. Raises ImportFault naming every bad record."""
    files = {path: "test"} if path.is_file() else {path / name: split for name, split in SPLIT_FILES.items()}
    present = {file: split for file, split in files.items() if file.is_file()}
    if "test" not in present.values():
        raise stop(path, "is neither a file nor a folder with test.jsonl")
    faults = Faults()
    problems: list[ProblemRecord] = []
    for file, split in present.items():
        problems += faults.convert(read_records(file, faults, list_key="examples"), _converter(split))
    faults.refuse_twins(problems)
    faults.stop_if_any()
    return Import(tuple(problems), (SubsetInfo("default", "CoinFlip"),), tuple(_doubts(problems)))


def prompt(problem: ProblemRecord, shots: Sequence[ProblemRecord]) -> Prompt:
    """The official text, with worked examples the official few-shot text."""
    if not shots:
        return (TextPart(read_prompt("coin_flip.txt").format(question=problem.statement)),)
    fewshot = "\n\n".join(_work_out(shot) for shot in shots)
    return (TextPart(read_prompt("coin_flip_fewshot.txt").format(fewshot=fewshot, question=problem.statement)),)


def _converter(split: str) -> Callable[[RawRecord], ProblemRecord]:
    def to_problem(raw: RawRecord) -> ProblemRecord:
        data = raw.data
        reference = read_coin_flip(data)
        return ProblemRecord(
            external_id=str(raw.row) if data.get("id") is None else id_of(data["id"]),
            subset="default",
            split=split,
            statement=text_of(data, "input" if "input" in data and "question" not in data else "question"),
            answers=reference.answers,
            max_points=reference.max_points,
            origin=raw.origin,
        )

    return to_problem


def count_flips(question: str) -> tuple[list[str], str] | None:
    """Follow the coin: one sentence for each action, and the answer. None where the wording is another one."""
    story = STORY.search(question)
    actions = ACTION.findall(story[2]) if story else []
    if story is None or not actions:
        return None
    side, asked = story[1].lower(), story[3].lower()
    steps = [f"The coin starts {side} up."]
    for name, verb in actions:
        is_flip = verb.lower() in ("flips", "reverses")
        side = OTHER_SIDE[side] if is_flip else side
        steps.append(f"{name} {verb} the coin: it is {'now' if is_flip else 'still'} {side} up.")
    return steps, "YES" if side == asked else "NO"


def _work_out(shot: ProblemRecord) -> str:
    answer = shot.answers[0].value
    counted = count_flips(shot.statement)
    if counted is None or counted[1] != answer:
        raise ValueError(f"example {shot.external_id} cannot be worked out: counting its flips does not give {answer}")
    return "\n".join([shot.statement, "", "Reasoning:", *counted[0], f"ANSWER: {answer}"])


def _doubts(problems: Sequence[ProblemRecord]) -> list[str]:
    counted = [(problem, count_flips(problem.statement)) for problem in problems]
    return [
        f"{problem.origin}: the answer is {problem.answers[0].value}, counting the flips gives {steps[1]}"
        for problem, steps in counted
        if steps is not None and steps[1] != problem.answers[0].value
    ]


ADAPTER = Adapter(
    slug="coin_flip",
    title="CoinFlip",
    title_zh="抛硬币推理",
    summary="Follow a coin through a row of flips and say whether it still lies as it did: tracking a state in words.",
    summary_zh="跟踪硬币经过一系列翻转后的状态，判断它是否仍保持原来的朝向。",
    headline_metric="f1_score",
    metrics=("f1_score", "accuracy", "precision", "recall", "yes_ratio", "no_answer"),
    scorer="coin_flip",
    read=read,
    prompt=prompt,
    prompt_files=("coin_flip.txt", "coin_flip_fewshot.txt"),
    max_tokens=2048,
    links={"data": "https://huggingface.co/datasets/extraordinarylab/coin-flip"},
    licence="Apache-2.0",
    citation="Wei et al. Chain-of-thought prompting elicits reasoning in large language models. arXiv:2201.11903",
    tags=("reasoning", "yes/no"),
    sample="coin_flip",
)
