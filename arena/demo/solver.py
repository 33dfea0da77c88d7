"""The two demo models: a short worked solution for each shipped problem, right or with one plausible slip."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.benchmarks.base import ProblemRecord
from arena.benchmarks.coin_flip import count_flips
from arena.demo.library import Library, SampleProblem, hash_unit

NOT_KNOWN = (
    "This is a demonstration, not a language model: it only knows the sample problems shipped with Proctor, "
    "and this question is none of them."
)


@dataclass(frozen=True, slots=True)
class DemoModel:
    """strength: the share of each benchmark's samples that it gets right."""

    name: str
    strength: float


MODELS = {model.name: model for model in (DemoModel("demo-steady", 0.9), DemoModel("demo-hasty", 0.6))}


def solve(model: DemoModel, prompt: str, library: Library) -> str:
    """The model's reply: always the same for the same prompt."""
    sample = library.find(prompt)
    if sample is not None:
        return _WRITERS[sample.slug](sample, library.is_right(model.name, model.strength, sample))
    question = prompt[prompt.lower().rfind("a coin is ") :] if "a coin is " in prompt.lower() else ""
    return _count_coin(question, hash_unit(model.name, prompt) < model.strength) or NOT_KNOWN


def _write_coin_flip(sample: SampleProblem, is_right: bool) -> str:
    return _count_coin(sample.problem.statement, is_right)


def _count_coin(question: str, is_right: bool) -> str:
    """The flips counted one by one; the slip is to get the last one wrong. Empty where no coin is asked about."""
    counted = count_flips(question)
    if counted is None:
        return ""
    steps, answer = counted
    if is_right:
        return "\n".join([*steps, f"ANSWER: {answer}"])
    swap = {"heads": "tails", "tails": "heads", "YES": "NO", "NO": "YES"}
    last = re.sub(r"(heads|tails)(?= up\.$)", lambda found: swap[found[0]], steps[-1])
    return "\n".join([*steps[:-1], last, f"ANSWER: {swap[answer]}"])


def _write_choice(sample: SampleProblem, is_right: bool) -> str:
    """ARC and PhyX multiple choice: one sentence, then the letter."""
    problem = sample.problem
    letter = problem.answers[0].value if is_right else _other_label(problem)
    text = next((option.text for option in problem.choices if option.label == letter), "")
    if sample.slug == "phyx_mc":
        return letter
    return f"{letter}) {text}\nANSWER: {letter}"


def _write_phyx_open(sample: SampleProblem, is_right: bool) -> str:
    problem = sample.problem
    value = problem.answers[0].value
    if not is_right:
        right = next((option.label for option in problem.choices if option.text.strip() == value.strip()), "")
        value = next((option.text for option in problem.choices if option.label != right), _slip(value))
    return (
        "The quantities are read off the figure and put into the law that connects them.\n"
        f"Final answer: \\boxed{{{_bare(value)}}}"
    )


def _write_phybench(sample: SampleProblem, is_right: bool) -> str:
    problem = sample.problem
    answer = _bare(problem.answers[0].value) if problem.answers else ""
    if is_right:
        return f"{problem.solution}\n\nThe result is\n\\[\\boxed{{{answer}}}\\]"
    beginning = problem.solution.partition(". ")[0]
    return f"{beginning}. From here the rest follows quickly.\n\nThe result is\n\\[\\boxed{{{_slip(answer)}}}\\]"


def _write_hipho(sample: SampleProblem, is_right: bool) -> str:
    """The steps that the first marking scheme asks for, then the boxed answers, in the form the prompt wants.

    The slip: the later half of the steps is missing and the last answer is off.
    """
    problem = sample.problem
    steps = [step for criterion in (problem.schemes or ((),))[0] for step in read_steps(criterion.text)]
    answers = [_bare(answer.value) for answer in problem.answers]
    if not is_right:
        steps = steps[: len(steps) // 2]
        answers = [*answers[:-1], _slip(answers[-1])]
    lines = [_number_step(i, step, problem.language) for i, step in enumerate(steps, start=1)]
    boxes = ", ".join(f"\\boxed{{{answer}}}" for answer in answers)
    return "\n".join(["<think>", *lines, "</think>", "<answer>", f"[{boxes}]", "</answer>"])


_ENGLISH_STEP = re.compile(r"\bif (?:the answer|it|the solution) (.+?)(?=,? and award\b|\.\s*Otherwise|\.?\s*$)", re.S)
_CHINESE_STEP = re.compile(r"如果?解答(?:正确)?(.+?)，(?:则)?得", re.S)


def read_steps(criterion: str) -> list[str]:
    """What a criterion wants to see, as phrases: `obtains $x = 1$`, `写出 $x = 1$`. Empty in another wording."""
    return [" ".join(step.split()) for step in _ENGLISH_STEP.findall(criterion) or _CHINESE_STEP.findall(criterion)]


def _number_step(number: int, step: str, language: str) -> str:
    return f"第 {number} 步：{step}。" if language == "zh" else f"Step {number}: one {step}."


def _bare(value: str) -> str:
    """A reference answer without its box and its dollars, ready to be boxed."""
    text = value.strip()
    while text != (text := _unwrap(text)):
        pass
    return text


def _unwrap(text: str) -> str:
    for opening, closing in (("\\boxed{", "}"), ("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) > len(opening) + len(closing):
            return text[len(opening) : -len(closing)].strip()
    return text


def _slip(answer: str) -> str:
    """The answer with one mistake of the kind that people make: a sign, a factor, a digit, another letter."""
    if re.fullmatch(r"[A-E]", answer):
        return "ABCDE"[("ABCDE".index(answer) + 1) % 4]
    for pattern, slip in _SLIPS:
        slipped, count = re.subn(pattern, slip, answer, count=1)
        if count and slipped != answer:
            return slipped
    return f"2 {answer}"


def _bump(found: re.Match[str]) -> str:
    return str(int(found[0]) % 9 + 1)


_SLIPS: Sequence[tuple[str, str | Callable[[re.Match[str]], str]]] = (
    (r"\\frac\{1\}\{2\}", r"\\frac{1}{3}"),
    (r"\\frac\{1\}\{3\}", r"\\frac{1}{2}"),
    (r"(?<=\S) \+ (?=\S)", " - "),
    (r"(?<=\S) - (?=\S)", " + "),
    (r"\\sin\b", r"\\cos"),
    (r"2\\pi", r"4\\pi"),
    (r"(?<![_\d.])\d", _bump),  # not an index
    (r"(?<=[a-zA-Z}])>", "<"),
)


def _other_label(problem: ProblemRecord) -> str:
    right = problem.answers[0].value
    labels = [option.label for option in problem.choices if option.label != right]
    return labels[int(hash_unit(problem.external_id, "slip") * len(labels))] if labels else right


_WRITERS: dict[str, Callable[[SampleProblem, bool], str]] = {
    "coin_flip": _write_coin_flip,
    "arc_indic": _write_choice,
    "phyx_mc": _write_choice,
    "phyx_oe": _write_phyx_open,
    "phybench": _write_phybench,
    "hipho": _write_hipho,
}
