"""SCORERS: every scorer of a benchmark by name, with the version that stands behind each number.

Modules are imported on first use, so that a scorer of option letters starts without sympy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from scoring.errors import ParseError
from scoring.reference import Reference
from scoring.sample import Sample
from scoring.score import Score

ScoreSample = Callable[[Reference, Sample], Score]
POLICIES = ("corrected", "official", "rule")


@dataclass(frozen=True, slots=True)
class Scorer:
    """One rule. `name` and `version` identify it on a board; `policy` is what this name stands for by default.

    benchmark: whose records it reads (records.READERS). path: `module:function`. is_cheap: linear in the reply and
    without algebra, so that it may run in the caller's process. rule: in a few words, for pages.
    """

    name: str
    version: str
    benchmark: str
    path: str
    rule: str
    policy: str = "corrected"
    is_cheap: bool = False

    def load(self) -> ScoreSample:
        """The scoring function; imports what it needs."""
        module, _, function = self.path.partition(":")
        found: ScoreSample = getattr(import_module(module), function)
        return found


_HIPHO = Scorer(
    "hipho", "2", "hipho", "scoring.answer_level:score_answers", "answers by symbols, values, units and sets"
)
_PHYX_OE = Scorer("phyx_oe", "2", "phyx_oe", "scoring.phyx_open:score_open", "value, unit and tolerance by code")
_PHYX_MC = Scorer("phyx_mc", "1", "phyx_mc", "scoring.closed_answers:score_choice", "option letter", is_cheap=True)
_PHYBENCH = Scorer(
    "phybench", "2", "phybench", "scoring.phybench:score_expression", "Expression Edit Distance, corrected"
)
_ARC_INDIC = Scorer(
    "arc_indic", "1", "arc_indic", "scoring.closed_answers:score_choice", "option letter", is_cheap=True
)
_COIN_FLIP = Scorer("coin_flip", "1", "coin_flip", "scoring.closed_answers:score_yes_no", "YES or NO", is_cheap=True)


def _official(scorer: Scorer, name: str, rule: str, policy: str = "official") -> Scorer:
    return replace(scorer, name=name, rule=rule, policy=policy)


SCORERS: dict[str, Scorer] = {
    "hipho": _HIPHO,
    "hipho-rule": replace(_HIPHO, name="hipho-rule"),
    "hipho-official": _official(_HIPHO, "hipho-official", "answers by rule, each an equal share (evalscope)"),
    "phyx_oe": _PHYX_OE,
    "phyx-units": replace(_PHYX_OE, name="phyx-units"),
    "phyx-rule": _official(_PHYX_OE, "phyx-rule", "string match only", "rule"),
    "phyx-official": _official(_PHYX_OE, "phyx-official", "string match, then judge"),
    "phyx_mc": _PHYX_MC,
    "phyx-mc": replace(_PHYX_MC, name="phyx-mc"),
    "phybench": _PHYBENCH,
    "phybench-official": _official(_PHYBENCH, "phybench-official", "Expression Edit Distance as released"),
    "arc_indic": _ARC_INDIC,
    "arc": replace(_ARC_INDIC, name="arc"),
    "coin_flip": _COIN_FLIP,
    "coin-flip": replace(_COIN_FLIP, name="coin-flip"),
    "coin_flip-official": _official(_COIN_FLIP, "coin_flip-official", "YES or NO; missing answers left out of recall"),
}


def find_scorer(name: str) -> Scorer:
    """Raises ParseError naming what there is."""
    if name not in SCORERS:
        raise ParseError(f"scorer: {name!r} is none of eed, value, rubric, {', '.join(SCORERS)}")
    return SCORERS[name]
