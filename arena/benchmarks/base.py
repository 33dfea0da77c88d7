"""What an adapter is: the one place where a benchmark's protocol is written down. No Django here.

An adapter reads the official files into `ProblemRecord`s and turns a problem back into the exact prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scoring.reference import Answer, Criterion, Option, Reference

PROMPTS = Path(__file__).parent / "prompts"
PUBLISHED = Path(__file__).parent / "published"


class ImportFault(Exception):
    """Bad records of an import, each named by file, position, id and reason; nothing was stored."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = list(faults)


@dataclass(frozen=True, slots=True)
class ProblemRecord:
    """One problem in the project's own terms.

    external_id: unique within (revision, split); may hold `= & + : . -`, never `/`.
    language: BCP 47 code of the statement. max_points: sum of the answers' or of a scheme's points.
    cluster: problems that share one stem. figures: paths on disk, inside the imported folder, in order.
    """

    external_id: str
    subset: str
    statement: str
    split: str = "test"
    information: str = ""
    context: str = ""
    choices: tuple[Option, ...] = ()
    solution: str = ""
    modality: str = "text-only"
    field: str = ""
    subfield: str = ""
    tags: tuple[str, ...] = ()
    language: str = "en"
    max_points: float = 1.0
    cluster: str = ""
    answers: tuple[Answer, ...] = ()
    schemes: tuple[tuple[Criterion, ...], ...] = ()
    figures: tuple[Path, ...] = ()
    origin: str = ""  # file and position, for error messages

    @property
    def reference(self) -> Reference:
        return Reference(self.answers, self.choices, self.schemes, self.max_points)


@dataclass(frozen=True, slots=True)
class SubsetInfo:
    """One column of a board. Marks and thresholds only where the benchmark publishes them."""

    slug: str
    title: str
    kind: str = "field"  # exam, language, field
    language: str = "en"
    native_title: str = ""
    full_mark: float | None = None  # what the imported problems add up to
    full_mark_human: float | None = None
    gold: float | None = None
    silver: float | None = None
    bronze: float | None = None
    best_human: float | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """Everything one import found: problems in official order, subsets in board order, warnings for the console."""

    problems: tuple[ProblemRecord, ...]
    subsets: tuple[SubsetInfo, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class FigurePart:
    """Stands for the problem's figure at `position` (from 0)."""

    position: int


PromptPart = TextPart | FigurePart
Prompt = tuple[PromptPart, ...]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A benchmark's protocol. `read` takes the official file or folder; `prompt` fills the official template.

    read raises ImportFault listing every bad record. prompt's second argument: the worked examples (shots).
    prompt_files: names under prompts/ whose SHA-256 is part of a run's identity.
    """

    slug: str
    title: str
    title_zh: str
    summary: str
    summary_zh: str
    headline_metric: str
    metrics: tuple[str, ...]
    scorer: str  # name in scoring.registry
    read: Callable[[Path], Import]
    prompt: Callable[[ProblemRecord, Sequence[ProblemRecord]], Prompt]
    prompt_files: tuple[str, ...]
    default_split: str = "test"
    split_fallbacks: tuple[str, ...] = ()
    max_tokens: int = 2048
    figures_public: bool = True
    judge: str = "none"  # none, optional, required
    links: Mapping[str, str] = field(default_factory=dict)
    licence: str = ""
    citation: str = ""
    tags: tuple[str, ...] = ()
    default_shots: int = 0
    sample: str = ""  # file or folder under samples/


def read_prompt(name: str) -> str:
    """The official prompt text, byte for byte."""
    return (PROMPTS / name).read_bytes().decode("utf-8")
