"""`make bench`: every bench_*.py beside this file, one after the other; names as arguments choose some."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> None:
    chosen = sys.argv[1:]
    sys.argv = sys.argv[:1]
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if not chosen or any(name in path.stem for name in chosen):
            print(f"\n== {path.stem}", flush=True)
            runpy.run_module(f"tests.bench.{path.stem}", run_name="__main__")


if __name__ == "__main__":
    main()
