"""The rules of judgement by name and version: a board can say by which rule it was scored (docs/scoring-rules.md)."""

from __future__ import annotations

from types import MappingProxyType

# A change in what a rule decides is a new version here and a new version of the Scorers that use it.
RULES = MappingProxyType(
    {
        "boxes": "1",
        "thinking": "1",
        "alignment": "1",
        "final-line": "1",
        "option-label": "1",
        "option-string": "1",
        "yes-no": "1",
        "tolerance": "1",
        "exact-integer": "1",
        "near": "1",
        "units": "1",
        "bare-number": "1",
        "percent": "1",
        "interval": "1",
        "chain": "1",
        "trailing-text": "1",
        "decimals-in-formulas": "1",
        "lists-and-sets": "1",
        "choices": "1",
        "open": "1",
        "refused-sizes": "1",
        "packages": "1",
    }
)

_BY_BENCHMARK = {
    "hipho": tuple(name for name in RULES if name not in ("final-line", "option-string", "yes-no")),
    "phyx_oe": tuple(name for name in RULES if name not in ("alignment", "option-label", "yes-no")),
    "phyx_mc": ("thinking", "option-label", "option-string"),
    "phybench": ("boxes", "thinking", "packages"),
    "arc_indic": ("thinking", "option-label"),
    "coin_flip": ("thinking", "yes-no"),
}


def rules_of(benchmark: str) -> dict[str, str]:
    """Name -> version of the rules that bear on a benchmark, for its Scorer's parameters. Empty for another slug."""
    return {name: RULES[name] for name in _BY_BENCHMARK.get(benchmark, ())}
