"""The demo judge: does what a criterion asks for stand in the solution? It answers in the judge contract's JSON.

It knows no physics: a phrase or a formula is there or it is not. Good for our samples, official for nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from arena.demo.solver import read_steps

_FENCE = re.compile(r"between a line (<<<\S+) and a line (\S+>>>)")
_LISTED = re.compile(r"^Criterion (\d+) \(max ([\d.]+)\): (.*?)(?=^Criterion \d+ \(max|^Instructions:|\Z)", re.S | re.M)
_ONE = re.compile(r"Grading Criterion:\n(.*?)\nInstructions:", re.S)
_MAXIMUM = re.compile(r'"awarded" is a number from 0 to (\d+(?:\.\d+)?)')
_FORMULA = re.compile(r"\$([^$]+)\$")
_RELATION = re.compile(r"=|<|>|\\(?:leq?|geq?|approx|propto|to|perp)\b")
_CHOICE = re.compile(r"(?:chooses|选择)\s*([A-E])\b")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def judge(message: str) -> str:
    """The reply to one judge call: a sentence, then the JSON object that the message asks for."""
    fences = _FENCE.findall(message)[-1:]  # the last: a candidate may write such a line too
    texts = [text for opening, closing in fences for text in _between(message, opening, closing)]
    instruction = message[message.rfind("one JSON object") :]
    for mark, answer in _ANSWERERS.items():
        if mark in instruction:
            return "I compared the solution with what is asked.\n" + json.dumps(
                answer(message, texts), ensure_ascii=False
            )
    return "I was not asked for anything that I can judge."


def award(criterion: str, maximum: float, solution: str) -> dict[str, Any]:
    """Points for one criterion: the share of its phrases that stand in the solution, with the words that show it."""
    steps = read_steps(criterion) or [criterion]
    found = [quote for step in steps if (quote := _find(step, solution))]
    share = len(found) / len(steps)
    reason = "All of it is there." if share == 1 else "Part of it is there." if found else "It is not there."
    return {"awarded": round(maximum * share, 4), "evidence": found[0] if found else "", "reason": reason}


def _find(step: str, solution: str) -> str:
    """The line of the solution that shows a step: its words, else all its formulas; empty where there is none."""
    lines = [line for line in solution.splitlines() if line.strip()]
    for line in lines:
        if _squeeze(step) in _squeeze(line):
            return line.strip()
    if choice := _CHOICE.search(step):
        return next((line.strip() for line in lines if f"\\boxed{{{choice[1]}}}" in line), "")
    formulas = _FORMULA.findall(step)
    wanted = [_squeeze(formula) for formula in formulas if _RELATION.search(formula)] or list(map(_squeeze, formulas))
    if not wanted or not all(formula in _squeeze(solution) for formula in wanted):
        return ""
    return next((line.strip() for line in lines if wanted[-1] in _squeeze(line)), "")


def _squeeze(text: str) -> str:
    return re.sub(r"[\s$]|\\[,;! ]", "", text).lower()


def _answer_one(message: str, texts: list[str]) -> dict[str, Any]:
    criterion, maximum = _ONE.search(message), _MAXIMUM.search(message)
    if criterion is None or maximum is None or not texts:
        return {"awarded": 0, "evidence": "", "reason": "I found no criterion."}
    return award(criterion[1], float(maximum[1]), texts[0])


def _answer_scheme(message: str, texts: list[str]) -> dict[str, Any]:
    listed = _LISTED.findall(message)
    solution = texts[0] if texts else ""
    return {"criteria": [{"index": int(i), **award(text, float(most), solution)} for i, most, text in listed]}


def _answer_correct(message: str, texts: list[str]) -> dict[str, Any]:
    target = re.findall(r"^Correct answer: (.*?)\nJudge whether", message, re.S | re.M)
    is_same = bool(target and texts) and _is_same(target[-1], texts[0])
    return {"correct": is_same, "reason": "The two are the same." if is_same else "The two differ."}


def _answer_verdict(message: str, texts: list[str]) -> dict[str, Any]:
    target = re.findall(r"^Ground truth answer: (.*?)\nPredicted answer:", message, re.S | re.M)
    is_same = bool(target and texts) and _is_same(target[-1], texts[-1])
    return {"verdict": is_same, "reason": "The two are the same." if is_same else "The two differ."}


def _answer_winner(message: str, texts: list[str]) -> dict[str, Any]:
    """The reply that shows more of its way; equal within a fifth is a tie."""
    sizes = [len(text.split()) for text in texts[-2:]]
    if len(sizes) < 2 or abs(sizes[0] - sizes[1]) * 5 <= max(sizes):
        return {"winner": "tie", "reason": "Neither shows more of its way."}
    return {"winner": "a" if sizes[0] > sizes[1] else "b", "reason": "It shows more of its way."}


def _answer_error_class(message: str, texts: list[str]) -> dict[str, Any]:
    line = next((line.strip() for text in texts[-1:] for line in text.splitlines() if "boxed" in line), "")
    return {"error_class": "symbolic", "evidence": line, "reason": "The last line does not follow."}


def _answer_process(message: str, texts: list[str]) -> dict[str, Any]:
    score = 80 if texts and "\\boxed" in texts[-1] else 20
    names = ("answer_accuracy", "physical_reasoning", "math_derivation", "completeness", "overall")
    return {**{f"{name}_score": score for name in names}, "commentary": "A demonstration, not a judgment."}


# By a word of the instruction that only this kind of call has, the more special first.
_ANSWERERS: dict[str, Callable[[str, list[str]], dict[str, Any]]] = {
    '"criteria"': _answer_scheme,
    '"awarded"': _answer_one,
    '"correct"': _answer_correct,
    '"verdict"': _answer_verdict,
    '"winner"': _answer_winner,
    '"error_class"': _answer_error_class,
    '"overall_score"': _answer_process,
}


def _between(message: str, opening: str, closing: str) -> list[str]:
    """The fenced texts; the note at the end that explains the fence is not one of them."""
    return re.findall(rf"{re.escape(opening)}\n(.*?)\n{re.escape(closing)}", message, re.S)


def _is_same(target: str, answer: str) -> bool:
    """The same characters, or the same first number within 1 % with the same text behind it."""
    left, right = (re.sub(r"\\boxed|[{}]|\\text|\\mathrm|~", "", _squeeze(text)) for text in (target, answer))
    if left == right:
        return True
    numbers = _NUMBER.search(left), _NUMBER.search(right)
    if numbers[0] is None or numbers[1] is None or left[numbers[0].end() :] != right[numbers[1].end() :]:
        return False
    return abs(float(numbers[0][0]) - float(numbers[1][0])) <= 0.01 * abs(float(numbers[0][0]))
