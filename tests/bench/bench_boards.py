"""Boards at a million judgments: rebuilding, pages through gunicorn with two workers, the grid, beside a small site.

Both sites have the same models, boards and columns; they are asked in turn, so that a busy machine slows both.
`BENCH_VAR=<folder>` keeps their databases for the next time; `BENCH_FRACTION=0.01` makes the large one a hundredth.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.bench.load import Load, run_load
from tests.bench.make_site import FILE
from tests.bench.servers import ROOT, cpu_s, gunicorn, valkey
from tests.bench.verdicts import report

LARGE, SMALL = float(os.environ.get("BENCH_FRACTION", "1")), 0.006
PACKED = {"Accept-Encoding": "gzip"}
HEAVIEST = 150_000  # bytes of a page without figures


@dataclass(frozen=True, slots=True)
class Site:
    """A site that runs. facts: what `make_site` left."""

    name: str
    port: int
    pid: int
    facts: Mapping[str, Any]

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"sessionid={self.facts['session']}"}


def main() -> None:
    with ExitStack() as stack:
        kept = os.environ.get("BENCH_VAR") or stack.enter_context(tempfile.TemporaryDirectory(prefix="proctor-bench-"))
        environments = [make_site(Path(kept), fraction) for fraction in (LARGE, SMALL)]
        broker = stack.enter_context(valkey(Path(kept) / "valkey"))
        sites = []
        for environment in environments:
            facts = json.loads((Path(environment["PROCTOR_VAR"]) / FILE).read_text())
            port, pid = stack.enter_context(gunicorn({**environment, "REDIS_URL": broker}))
            sites.append(Site(f"{facts['judgments']:,} judgments", port, pid, facts))
        large, small = sites
        report_rebuilds(large)
        time_first_pages(large)
        measure_load(large)
        compare_sizes(large, small)
        weigh_pages(large)


def make_site(folder: Path, fraction: float) -> dict[str, str]:
    """The environment of a site, filled and rebuilt unless a former bench left it there."""
    environment = {
        "PROCTOR_VAR": str(folder / f"site-{fraction:g}"), "DJANGO_SETTINGS_MODULE": "tests.bench.board_settings",
        "DEMO": "0", "LOG_LEVEL": "ERROR",
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.bench.make_site", f"{fraction:g}"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=True)
    return environment


def report_rebuilds(site: Site) -> None:
    print(f"{site.name}, loaded in {site.facts['loaded_s']:.0f} s")
    for slug, (nothing, one, none) in site.facts["rebuilds"].items():
        report(f"rebuild {slug}, from nothing", nothing, "s", note=f"nothing changed: {none:.2f} s")
        report(f"rebuild {slug}, one run changed", one, "s", most=10)


def time_first_pages(site: Site) -> None:
    """Before anything is stored; what comes after may be answered by the other worker."""
    fetch(site.port, "/methodology/")  # what a process loads once
    fetch(site.port, "/methodology/")
    for path, name, most in (
        ("/b/phyx_oe/problems/", "grid 3,000 x 60", 300.0),
        ("/b/coin_flip/problems/", "grid 3,333 x 30", 300.0),
        ("/b/arc_indic/problems/", "grid 12,647 x 30", None),
        ("/b/phyx_oe/grid.png", "picture 3,000 x 60", None),
        ("/b/hipho/charts/", "charts of hipho", None),
        ("/b/coin_flip/compare/", "comparison of coin_flip", None),
    ):
        first, *later = (time_page(site.port, path) for _ in range(6))
        report(f"{name}, first", 1000 * first, "ms", most=most)
        report(f"{name}, slowest of five after it", 1000 * max(later), "ms", most=100)


def measure_load(site: Site) -> None:
    etag = fetch(site.port, "/b/coin_flip/", PACKED)[0]["ETag"]
    signed_in = PACKED | site.cookie
    own_etag = fetch(site.port, "/b/coin_flip/", signed_in)[0]["ETag"]
    base = measure(site, "constant view", "/constant/", {})
    board = measure(site, "board, anonymous", "/b/coin_flip/", PACKED, least=2000)
    report("board, anonymous, beside the constant view", board.per_s / base.per_s, "x", least=0.3)
    measure(site, "board, anonymous, 304", "/b/coin_flip/", PACKED | {"If-None-Match": etag})
    measure(site, "board, anonymous, an invented parameter", "/b/coin_flip/?x=1", PACKED, least=2000)
    measure(site, "board, signed in", "/b/coin_flip/", signed_in, least=300, most_p99_ms=40)
    measure(site, "board, signed in, 304", "/b/coin_flip/", signed_in | {"If-None-Match": own_etag})
    measure(site, "board, signed in, not compressed", "/b/coin_flip/", site.cookie)
    measure(site, "hipho board, anonymous", "/b/hipho/", PACKED, least=2000)
    measure(site, "hipho board, signed in", "/b/hipho/", signed_in, least=300, most_p99_ms=40)
    measure(site, "home, anonymous", "/", PACKED)


def measure(
    site: Site,
    name: str,
    path: str,
    headers: Mapping[str, str],
    *,
    least: float | None = None,
    most_p99_ms: float | None = None,
) -> Load:
    began = cpu_s(site.pid)
    load = run_load(site.port, path, headers=headers)
    spent_ms = 1000 * (cpu_s(site.pid) - began) / max(1, load.n_all)
    note = f"p50 {load.p50_ms:.1f} ms, {spent_ms:.2f} CPU ms each, {load.n_bytes:,} bytes"
    report(name, load.per_s, "requests/s", least=least, note=note + (f", {load.n_bad} BAD" if load.n_bad else ""))
    report(f"{name}, p99", load.p99_ms, "ms", most=most_p99_ms)
    return load


def compare_sizes(large: Site, small: Site) -> None:
    """The same page on both sites in turn: what is stored, what is signed in, and what is built anew."""
    print(f"{large.name} beside {small.name}")
    for name, headers in (("anonymous", PACKED), ("signed in", None)):
        times: dict[str, list[float]] = {site.name: [] for site in (large, small)}
        spent = dict.fromkeys(times, 0.0)
        for turn in range(8):
            for site in (large, small) if turn % 2 else (small, large):
                began = cpu_s(site.pid)
                load = run_load(
                    site.port, "/b/coin_flip/", headers=headers or PACKED | site.cookie, seconds=1.0, warm_s=0.2
                )
                spent[site.name] += (cpu_s(site.pid) - began) / load.n_all
                times[site.name].append(load.p50_ms)
        compare(f"board, {name}", times, (large, small), spent)
    times = {site.name: [] for site in (large, small)}
    spent = {site.name: -cpu_s(site.pid) for site in (large, small)}
    for number in range(60):
        day = date(2010, 1, 1) + timedelta(days=number)  # before every run: each address is a page of its own
        for site in (large, small) if number % 2 else (small, large):
            times[site.name].append(1000 * time_page(site.port, f"/b/coin_flip/?since={day}"))
    spent = {site.name: spent[site.name] + cpu_s(site.pid) for site in (large, small)}
    compare("board, built anew", times, (large, small), spent)


def compare(name: str, times: Mapping[str, list[float]], sites: tuple[Site, Site], spent: Mapping[str, float]) -> None:
    first, second = (statistics.median(times[site.name]) for site in sites)
    report(f"{name}, large / small, median time", first / second, "x", most=1.1, note=f"{first:.2f} / {second:.2f} ms")
    report(f"{name}, large / small, CPU", spent[sites[0].name] / spent[sites[1].name], "x", most=1.1)


def weigh_pages(site: Site) -> None:
    """What comes over the wire for a first visit, and the page itself without its drawings."""
    for path in ("/", *(f"/b/{slug}/" for slug in site.facts["rebuilds"]), "/b/phyx_oe/problems/"):
        body = fetch(site.port, path)[1].decode()
        parts = sorted(set(re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js|svg))"', body)))
        packed = sum(len(fetch(site.port, part, PACKED)[1]) for part in (path, *parts))
        report(f"weight of {path} with styles and scripts", packed, "bytes", most=HEAVIEST)
        plain = re.sub(r"<svg.*?</svg>", "", body, flags=re.S)
        note = f"with drawings {len(body.encode()):,}"
        report(f"weight of {path} unpacked, without drawings", len(plain.encode()), "bytes", most=HEAVIEST, note=note)


def fetch(port: int, path: str, headers: Mapping[str, str] | None = None) -> tuple[dict[str, str], bytes]:
    with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=dict(headers or {}))) as response:
        return dict(response.headers), response.read()


def time_page(port: int, path: str) -> float:
    """Seconds."""
    started = time.perf_counter()
    fetch(port, path)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
