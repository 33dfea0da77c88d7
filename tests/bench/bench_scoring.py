"""Speed of scoring, as figures: `python -m tests.bench.bench_scoring [--profile]`. Nothing is asserted.

CPU seconds of one process. The EED column `seconds` is the released scorer's own time on each pair; the calibration
(sympy.simplify over PHYBench's 100 published answers, parsed by us) makes machines comparable.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
SLOW_S = 5.0  # the one pair above is left out, as in the issue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="show where the EED time goes")
    options = parser.parse_args()
    if not SHARED.is_dir():
        raise SystemExit("the shared folder is absent: nothing to measure")
    report("start of `import scoring.eed`", f"{cpu(lambda: __import__('scoring.eed'))[0]:.2f} s")
    bench_eed(options.profile)
    bench_calibration()
    bench_closed()
    bench_values()
    bench_judges()
    bench_pool()


def report(name: str, value: str) -> None:
    print(f"{name:<58} {value}", flush=True)


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SHARED / name).open(encoding="utf-8")]


def bench_eed(with_profile: bool) -> None:
    from scoring.eed import score_eed

    pairs = [p for p in rows("oracle/eed_pairs.jsonl") if (p.get("seconds") or 0) <= SLOW_S]
    released = [p.get("seconds") or 0.0 for p in pairs]
    profile = cProfile.Profile()
    if with_profile:
        profile.enable()
    times = [cpu(lambda p=p: score_eed(p["gt"], p["gen"]))[0] for p in pairs]
    profile.disable()
    report(f"EED corrected, {len(pairs)} pairs, first pass", describe(times))
    report("EED released, the same pairs (column seconds)", describe(released))
    report("ratio of totals / of medians", f"{sum(released) / sum(times):.1f}x / {median_ratio(released, times):.1f}x")
    again = [cpu(lambda p=p: score_eed(p["gt"], p["gen"], trees=False))[0] for p in pairs]
    report("EED corrected, second pass (references cached)", describe(again))
    official = [cpu(lambda p=p: score_eed(p["gt"], p["gen"], policy="official"))[0] for p in pairs]
    report("EED official", describe(official))
    if with_profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(25)


def describe(times: Sequence[float]) -> str:
    return f"{sum(times):7.2f} s  median {statistics.median(times) * 1000:6.2f} ms  max {max(times):.2f} s"


def median_ratio(slow: Sequence[float], fast: Sequence[float]) -> float:
    return statistics.median(slow) / statistics.median(fast)


def bench_calibration() -> None:
    import sympy
    from latex2sympy2_extended import latex2sympy

    answers = json.loads((SHARED / "data/phybench/PHYBench-fullques_v1.json").read_text("utf-8"))
    parsed = []
    for record in answers:
        text = record["answer"].strip().strip("$").removeprefix("\\[").removesuffix("\\]").rsplit("=", 1)[-1]
        try:
            parsed.append(latex2sympy(text))
        except Exception:  # third-party parser: whatever it cannot read is no calibration
            continue
    seconds, _ = cpu(lambda: [sympy.simplify(expression) for expression in parsed])
    report(f"calibration: sympy.simplify over {len(parsed)} answers", f"{seconds:7.2f} s")


def bench_closed() -> None:
    from scoring.wire import respond

    record = {"choices": {"text": ["p", "q", "r", "s"], "label": list("ABCD")}, "answerKey": "B"}
    words = "The force is balanced, so option A is wrong and C too.\n"
    replies = [f"{words * (i % 4)}ANSWER: {'ABCD'[i % 4]}" for i in range(20_000)]
    arc = [{"scorer": "arc", "record": record, "reply": reply} for reply in replies]
    coin = [
        {"scorer": "coin_flip", "record": {"answer": "yes"}, "reply": f"{words}ANSWER: {'YES' if i % 2 else 'NO'}"}
        for i in range(20_000)
    ]
    for name, requests in (("option letters", arc), ("YES or NO", coin)):
        seconds, _ = cpu(lambda requests=requests: [respond(r) for r in requests])
        report(f"{name}, whole requests", f"{len(requests) / seconds:,.0f} a second")
    from scoring.choice import extract_choice
    from scoring.reference import Option

    options = [Option(label, "") for label in "ABCD"]
    seconds, _ = cpu(lambda: [extract_choice(reply, options) for reply in replies])
    report("option letters, extraction alone", f"{len(replies) / seconds:,.0f} a second")
    huge = words * (2_000_000 // len(words)) + "ANSWER: B"
    report("option letter in a reply of 2 MB", f"{cpu(lambda: extract_choice(huge, options))[0]:.3f} s")


def bench_values() -> None:
    from scoring.records import HIPHO_KINDS
    from scoring.values import compare_value
    from scoring.wire import respond

    pairs = rows("oracle/hipho_math_equal.jsonl")
    kinds = [HIPHO_KINDS[p["answer_type"].lower()] for p in pairs]
    times = [cpu(lambda p=p, k=k: compare_value(p["raw_gold"], p["pred"], kind=k))[0] for p, k in zip(pairs, kinds)]
    report(f"values of HiPhO, {len(times)} pairs", describe(times))
    files = sorted((SHARED / "data/hipho/data").glob("*.json"))
    records = [record for file in files for record in json.loads(file.read_text("utf-8"))[1:]]
    requests = [{"scorer": "hipho", "record": r, "reply": " ".join(r["answer"])} for r in records]
    times = [cpu(lambda r=r: respond(r))[0] for r in requests]
    report(f"HiPhO replies, {len(times)} records against themselves", describe(times))


def bench_judges() -> None:
    from scoring.judge import Purpose, anchor_quote, detect_injection, parse_verdict

    reply = "We write $F = ma$ and integrate over the path. " * 80
    verdict = 'Careful: {x}.\n```json\n{"awarded": 0.2, "evidence": "F = ma", "reason": "stated"}\n```'
    for name, work in (
        ("verdicts parsed", lambda: parse_verdict(Purpose.CRITERION, verdict, candidate=reply, max_points=[0.5])),
        ("quotes anchored (4 kB reply)", lambda: anchor_quote("we write F = ma and integrate", reply)),
        ("replies searched for injection (4 kB)", lambda: detect_injection(reply)),
    ):
        seconds, _ = cpu(lambda work=work: [work() for _ in range(200)])
        report(name, f"{200 / seconds:,.0f} a second")


def bench_pool() -> None:
    """Wall time: this is where several processes pay."""
    from scoring.pool import Pool

    pairs = [p for p in rows("oracle/eed_pairs.jsonl") if (p.get("seconds") or 0) <= SLOW_S]
    requests = [{"scorer": "eed", "target": p["gt"], "answer": p["gen"], "trees": False} for p in pairs]
    for size in (1, 2):
        pool = Pool(size)
        pool.score_many(requests[:32])  # children are up and warm
        started = time.perf_counter()
        pool.score_many(requests)
        wall = time.perf_counter() - started
        pool.close()
        load = os.getloadavg()[0]
        report(f"pool of {size}, {len(requests)} EED pairs, wall", f"{wall:7.2f} s (load {load:.1f})")


if __name__ == "__main__":
    main()
