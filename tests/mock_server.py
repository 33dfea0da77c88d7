"""Starts the mock model and judge server of ../shared/tools on a free port, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class MockServer:
    """A running mock. url ends in /v1."""

    url: str

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats", timeout=10) as response:
            return dict(json.loads(response.read()))


@contextmanager
def run_mock(shared: Path, *options: str) -> Iterator[MockServer]:
    process = subprocess.Popen(
        [sys.executable, str(shared / "tools" / "mock_openai.py"), "--port", "0", *options], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        yield MockServer(line.rsplit(" ", 1)[-1].strip())
    finally:
        process.terminate()
        process.wait(10)
