"""Speed of scoring, as figures: `python -m tests.bench.bench_scoring`. Nothing is asserted; EED has a bench of its own.

CPU seconds of one process, but for the pool.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.bench.verdicts import report

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
SLOW_S = 5.0  # the one pair above is left out, as in the issue


def main() -> None:
    if not SHARED.is_dir():
        print("the shared folder is absent: nothing to measure")
        return
    bench_closed()
    bench_values()
    bench_judges()
    bench_pool()


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SHARED / name).open(encoding="utf-8")]


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
        report(f"{name}, whole requests", len(requests) / seconds, "a second")
    from scoring.choice import extract_choice
    from scoring.reference import Option

    options = [Option(label, "") for label in "ABCD"]
    seconds, _ = cpu(lambda: [extract_choice(reply, options) for reply in replies])
    report("option letters, extraction alone", len(replies) / seconds, "a second", least=100_000)
    huge = words * (2_000_000 // len(words)) + "ANSWER: B"
    report("option letter in a reply of 2 MB", cpu(lambda: extract_choice(huge, options))[0], "CPU s")


def bench_values() -> None:
    from scoring.records import HIPHO_KINDS
    from scoring.values import compare_value
    from scoring.wire import respond

    pairs = rows("oracle/hipho_math_equal.jsonl")
    kinds = [HIPHO_KINDS[p["answer_type"].lower()] for p in pairs]
    times = [cpu(lambda p=p, k=k: compare_value(p["raw_gold"], p["pred"], kind=k))[0] for p, k in zip(pairs, kinds)]
    report_times(f"values of HiPhO, {len(times)} pairs", times)
    files = sorted((SHARED / "data/hipho/data").glob("*.json"))
    records = [record for file in files for record in json.loads(file.read_text("utf-8"))[1:]]
    requests = [{"scorer": "hipho", "record": r, "reply": " ".join(r["answer"])} for r in records]
    times = [cpu(lambda r=r: respond(r))[0] for r in requests]
    report_times(f"HiPhO replies, {len(times)} records against themselves", times)


def report_times(name: str, times: Sequence[float]) -> None:
    note = f"median {1000 * statistics.median(times):.2f} ms, slowest {max(times):.2f} s"
    report(name, sum(times), "CPU s", note=note)


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
        report(name, 200 / seconds, "a second")


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
        report(f"pool of {size}, {len(requests)} EED pairs, wall", wall, "s", note=f"load {load:.1f}")


if __name__ == "__main__":
    main()
