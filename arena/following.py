"""Follows a run for the command line, says what became of it, and why samples failed."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import connection
from tqdm import tqdm

from arena.commands import UNSCORED, ArenaCommand, exit_with
from arena.failures import read_failures
from arena.models import CallError, Run
from arena.services.engine import advance_run
from arena.services.reporting import count_progress, report_run
from arena.services.runs import Credentials
from arena.services.workers import is_worker_listening
from arena.tasks import enqueue_run

WORKER_WAIT_S = 10.0
LINE_EVERY_S = 10.0  # where no terminal shows a bar


def follow(command: ArenaCommand, run: Run, credentials: Credentials, *, inline: bool) -> None:
    """Work on the run here, or wait for the workers; progress on stderr either way."""
    if inline:
        with Bar(run, command.stderr.write) as bar:
            bar.watch_in_thread()
            advance_run(run.pk, credentials=credentials, inline=True)
        return
    enqueue_run(run.pk)
    started, warned = time.monotonic(), False
    with Bar(run, command.stderr.write) as bar:
        while bar.update():
            time.sleep(0.5)
            if (
                not warned
                and time.monotonic() - started > WORKER_WAIT_S
                and not bar.closed
                and not is_worker_listening()
            ):
                command.stderr.write("no worker is listening: start one with `make run`; this command keeps waiting")
                warned = True


class Bar:
    """The run's closed samples, read from the database: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, run: Run, write: Callable[[str], object]) -> None:
        self.run = run
        self.closed = 0
        self._write = write
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._said_at = time.monotonic()
        self._bar = tqdm(total=run.planned, unit="sample", file=sys.stderr, disable=None, mininterval=0.5)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.update()
        self._bar.close()

    def watch_in_thread(self) -> None:
        if connection.in_atomic_block:  # another thread would see nothing of a test's transaction
            return
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(1):
            self.update()
        connection.close()

    def update(self) -> bool:
        """Show the newest count; False once the run has ended."""
        self.closed = count_progress(self.run)
        if not self._bar.disable:
            self._bar.n = self.closed
            self._bar.set_postfix_str(_newest_failure(self.run), refresh=True)
        elif time.monotonic() - self._said_at >= LINE_EVERY_S:
            self._said_at = time.monotonic()
            self._write(f"{self.closed} of {self.run.planned} samples {_newest_failure(self.run)}".rstrip())
        return Run.objects.filter(pk=self.run.pk, state__in=Run.LIVE_STATES).exists()


def _newest_failure(run: Run) -> str:
    kind = CallError.objects.filter(run=run).order_by("-pk").values_list("kind", flat=True).first()
    return f"(newest failed call: {kind})" if kind else ""


def finish(command: ArenaCommand, run: Run, *, as_json: bool) -> None:
    """Print what came out, why samples failed and whether the run is public; exit with its code.

    as_json: one object on stdout; the words go to stderr.
    """
    run.refresh_from_db()
    report = report_run(run)
    say = command.stderr.write if as_json else command.stdout.write
    if as_json:
        command.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
    say(f"{report.scored} of {report.planned} samples scored ({run.state})")
    for name, value in () if as_json else report.metrics.items():
        say(f"  {name} = {'-' if value is None else f'{value:.6g}'}")
    for failure in read_failures(run, has_words=True).open:
        say(f"{failure.n} failed: {failure.kind}: {failure.message}")
    if run.stop_reason:
        command.stderr.write(run.stop_reason)
    say(say_publication(report.run))
    exit_with(0 if report.scored == report.planned else UNSCORED)


def say_publication(run: Run) -> str:
    """Whether readers see the run, and where it is published or withdrawn."""
    page = f"{settings.SITE_URL}/runs/{run.uuid}/"
    if run.published_at is not None:
        return f"public on the board of {run.revision.benchmark.slug}, data {run.revision.label}; withdraw it at {page}"
    if run.owner_id is not None:
        return f"private until it is published at {page}"
    return f"not public: a command's run is published when it finishes with at least one scored sample; see {page}"
