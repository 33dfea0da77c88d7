"""The adapter printed in docs/adding-a-benchmark.md works as it stands."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from arena.benchmarks.base import ImportFault, TextPart
from scoring.registry import SCORERS
from scoring.sample import Sample

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "adding-a-benchmark.md"


@pytest.fixture
def facts(tmp_path: Path) -> ModuleType:
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert code is not None
    (tmp_path / "facts.py").write_text(code[1], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("arena.benchmarks.facts", tmp_path / "facts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_printed_adapter_reads_prompts_and_scores(facts: ModuleType, write: Callable[..., Path]) -> None:
    path = write("x.jsonl", [{"id": "s1", "question": "Ice floats on water.", "answer": "yes"}])
    (problem,) = facts.ADAPTER.read(path).problems
    (part,) = facts.ADAPTER.prompt(problem, ())
    assert isinstance(part, TextPart) and part.text.startswith("Ice floats on water.\n\nIs this true?")
    score = SCORERS[facts.ADAPTER.scorer].load()(problem.reference, Sample("It is light. ANSWER: YES"))
    assert score.points == problem.max_points == 1


def test_the_printed_adapter_names_bad_records(facts: ModuleType, write: Callable[..., Path]) -> None:
    rows = [{"id": "s1", "question": "x", "answer": "perhaps"}, {"id": "s2", "question": "", "answer": "no"}]
    with pytest.raises(ImportFault) as caught:
        facts.ADAPTER.read(write("x.jsonl", rows))
    assert [fault.partition(":")[0] for fault in caught.value.faults] == [
        "x.jsonl line 1, id s1",
        "x.jsonl line 2, id s2",
    ]
