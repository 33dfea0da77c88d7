"""Every rule of judgement is documented by its name and version."""

from __future__ import annotations

from pathlib import Path

from scoring.rules import RULES, rules_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "scoring-rules.md"


def test_the_document_names_every_rule_with_its_version() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert [name for name, version in RULES.items() if f"`{name}` {version}" not in text] == []


def test_a_benchmark_knows_its_rules() -> None:
    assert rules_of("coin_flip") == {"thinking": "1", "yes-no": "1"}
    assert rules_of("hipho")["units"] == "1"
    assert rules_of("other") == {}
