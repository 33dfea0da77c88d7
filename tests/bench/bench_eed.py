"""CPU time of EED over the visible pairs, beside a calibration in the same process. Figures only, nothing is asserted.

The column `seconds` of the pairs is the released scorer's own time.

Run: python -m tests.bench.bench_eed [--profile]
"""

from __future__ import annotations

import cProfile
import json
import pstats
import statistics
import sys
import time
from pathlib import Path

import sympy

from scoring.eed import score_eed
from scoring.latex import parse_latex
from tests.bench.verdicts import report

SHARED = Path(__file__).resolve().parents[2] / "../shared"
RELEASED_LIMIT_S = 5.0


def main(arguments: list[str]) -> None:
    pairs_path, answers_path = SHARED / "oracle/eed_pairs.jsonl", SHARED / "data/phybench/PHYBench-fullques_v1.json"
    if not (pairs_path.exists() and answers_path.exists()):
        print("bench_eed: the shared oracle is not there, nothing measured")
        return
    rows = [json.loads(line) for line in pairs_path.read_text().splitlines()]
    rows = [row for row in rows if row["seconds"] <= RELEASED_LIMIT_S]
    answers = [record["answer"] for record in json.loads(answers_path.read_text())]
    report(f"calibration: sympy.simplify over {len(answers)} PHYBench answers", measure_calibration(answers), "CPU s")
    profile = cProfile.Profile() if "--profile" in arguments else None
    for policy in ("corrected", "official"):
        if profile and policy == "corrected":
            profile.enable()
        times = measure_pairs(rows, policy)
        if profile:
            profile.disable()
        print_times(policy, times, sum(row["seconds"] for row in rows))
    if profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(25)


def measure_calibration(answers: list[str]) -> float:
    """CPU seconds; each expression is built outside the clock and bounded by its size, as in the scorer."""
    from scoring.latex import parse_value
    from scoring.size_guard import may_simplify

    expressions = [parse_latex(answer) for answer in answers if may_simplify(parse_value(answer))]
    start = time.process_time()
    for expression in expressions:
        sympy.simplify(expression)
    return time.process_time() - start


def measure_pairs(rows: list[dict[str, str]], policy: str) -> list[float]:
    times = []
    for row in rows:
        start = time.process_time()
        score_eed(row["gt"], row["gen"], policy=policy, trees=False)
        times.append(time.process_time() - start)
    return times


def print_times(policy: str, times: list[float], released: float) -> None:
    """The targets are those of our own scorer, policy corrected."""
    total, is_ours = sum(times), policy == "corrected"
    note = f"released {released:.1f} s, x{released / total:.1f}"
    report(f"EED {policy}, {len(times)} pairs", total, "CPU s", most=6 if is_ours else None, note=note)
    report(f"EED {policy}, median", 1000 * statistics.median(times), "CPU ms", most=1 if is_ours else None)
    report(f"EED {policy}, slowest", max(times), "CPU s", most=0.5 if is_ours else None)


if __name__ == "__main__":
    main(sys.argv[1:])
