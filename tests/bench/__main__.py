"""`make bench`: every bench_*.py beside this file, one after the other; names as arguments choose some.

Quiet machines only: figures are wall times unless they say CPU. What has a target is listed again at the end.
"""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path

import arena  # noqa: F401  sets what numpy reads when it is imported, as every process of the site does
from tests.bench.verdicts import print_summary


def main() -> None:
    chosen = sys.argv[1:]
    sys.argv = sys.argv[:1]
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if not chosen or any(name in path.stem for name in chosen):
            print(f"\n== {path.stem}", flush=True)
            started = time.perf_counter()
            runpy.run_module(f"tests.bench.{path.stem}", run_name="__main__")
            print(f"   {time.perf_counter() - started:.0f} s")
    print_summary()


if __name__ == "__main__":
    main()
