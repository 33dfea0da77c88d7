"""The oracle rows and real data that lie beside the repository; tests skip where they are absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def shared_path(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"shared/{name} is absent")
    return path


def oracle(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared_path(f"oracle/{name}.jsonl").open(encoding="utf-8")]


def hipho_records() -> list[dict[str, Any]]:
    files = sorted(shared_path("data/hipho/data").glob("*.json"))
    return [record for file in files for record in json.loads(file.read_text("utf-8"))[1:]]
