"""The shipped samples, found again by the prompt that was made from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from arena.benchmarks import BENCHMARKS, sample_path
from arena.benchmarks.base import ProblemRecord, Prompt, TextPart


@dataclass(frozen=True, slots=True)
class SampleProblem:
    """One shipped problem, the benchmark it is asked in, and its prompt without worked examples."""

    slug: str
    problem: ProblemRecord
    prompt: str

    @property
    def key(self) -> str:
        return f"{self.slug}/{self.problem.external_id}"


class Library:
    """All shipped problems, by prompt and by question."""

    def __init__(self, samples: Iterable[SampleProblem]) -> None:
        # One prompt may stand in two splits (PhyX `test` and `test_mini`): it is one problem.
        self._by_prompt = {sample.prompt: sample for sample in samples}
        self.samples = tuple(self._by_prompt.values())

    def find(self, text: str) -> SampleProblem | None:
        """The problem that a prompt asks; with worked examples before it, the one whose question stands last."""
        if text in self._by_prompt:
            return self._by_prompt[text]
        # Of two benchmarks with one question (PhyX open and multiple choice) the one whose prompt ends like this.
        places = [
            (text.rfind(sample.problem.statement), text.endswith(sample.prompt[-40:]), sample)
            for sample in self.samples
        ]
        found = max(places, key=lambda place: place[:2], default=None)
        return found[2] if found is not None and found[0] >= 0 else None

    def is_right(self, model: str, strength: float, sample: SampleProblem) -> bool:
        """Whether the model of this strength solves the problem: round(strength * n) of a benchmark's n, by hash.

        What is hard is mostly the same for every model, so that a comparison of two has something to pair.
        """
        rivals = [other for other in self.samples if other.slug == sample.slug]
        rivals.sort(key=lambda other: 0.7 * hash_unit(other.key) + 0.3 * hash_unit(model, other.key))
        return rivals.index(sample) < round(strength * len(rivals))


def load_library() -> Library:
    """Read every shipped sample set through its adapter, worked examples left out."""
    return Library(
        SampleProblem(slug, problem, text_of(adapter.prompt(problem, ())))
        for slug, adapter in BENCHMARKS.items()
        if sample_path(slug).exists()
        for problem in adapter.read(sample_path(slug)).problems
        if problem.split == adapter.default_split or problem.split in adapter.split_fallbacks
    )


def text_of(prompt: Prompt) -> str:
    return "".join(part.text for part in prompt if isinstance(part, TextPart))


def hash_unit(*parts: str) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
