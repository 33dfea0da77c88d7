"""The command's loop: lines of standard input to lines of standard output, in order, as soon as they are known."""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from scoring.bounds import BoundedScorer
from scoring.wire import Response, error_response, with_id

LINES_AHEAD = 32  # of one batch for a child


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scoring", description="JSON lines in, JSON lines out.")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--serve", action="store_true", help="the same over pipes, for the pool")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("-j needs at least 1")
    if options.serve:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever owns the pipe ends it
    try:
        serve_with_pool(options.jobs) if options.jobs > 1 and not options.serve else serve_alone()
    except BrokenPipeError:  # nobody reads on: as other filters do, no complaint
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        print(f"python -m scoring: standard input cannot be read: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def serve_alone() -> None:
    scorer = BoundedScorer()
    number = 0
    for lines in read_lines(0):
        for line in lines:
            number += 1
            write_all(1, answer_line(scorer, line, number))
    scorer.close()


def serve_with_pool(jobs: int) -> None:
    """Batches go to the children side by side; a thread of its own writes them in order while reading goes on."""
    from scoring.pool import Pool

    pool = Pool(jobs)
    waiting: queue.Queue[tuple[int, Future[list[bytes]]] | None] = queue.Queue(maxsize=4 * jobs)
    writer = threading.Thread(target=_write_in_order, args=(waiting,))
    writer.start()
    number = 0
    with ThreadPoolExecutor(jobs) as threads:
        for lines in read_lines(0):
            for at in range(0, len(lines), LINES_AHEAD):
                batch = lines[at : at + LINES_AHEAD]
                waiting.put((number, threads.submit(pool.ask_lines, batch)))
                number += len(batch)
        waiting.put(None)
        writer.join()
    pool.close()


def _write_in_order(waiting: queue.Queue[tuple[int, Future[list[bytes]]] | None]) -> None:
    try:
        while (item := waiting.get()) is not None:
            first, replies = item
            for number, reply in enumerate(replies.result(), start=first + 1):
                write_all(1, _with_line(reply, number) + b"\n")
    except BrokenPipeError:
        os._exit(0)  # the reading thread may be blocked on its input; children end with their pipes


def answer_line(scorer: BoundedScorer, line: bytes, number: int) -> bytes:
    """The response line; of a line that is no request, or fails, it names the number."""
    request = None
    try:
        request = parse_line(line)
        response = scorer.respond(request)
    except ValueError as error:
        response = with_id(request, error_response(str(error)))
    if response.get("status") == "error":
        response = {"status": "error", "line": number, **response}
    return json.dumps(response).encode() + b"\n"


_ERROR_HEAD = b'{"status": "error", "line": '


def _with_line(reply: bytes, number: int) -> bytes:
    """A child counts its own lines; the reader of the whole wants ours."""
    if not reply.startswith(_ERROR_HEAD):
        return reply
    response: Response = json.loads(reply)
    return json.dumps({**response, "line": number}).encode()


def parse_line(line: bytes) -> Any:
    """Raises ValueError with a sentence for people."""
    try:
        return json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"the line is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the line is not JSON: {error.msg} at character {error.pos}") from None


def read_lines(fd: int) -> Iterator[list[bytes]]:
    """Lists of whole lines as soon as they are there; the last line may lack its newline."""
    pieces: list[bytes] = []
    while block := os.read(fd, 1 << 18):
        first, *rest = block.split(b"\n")
        pieces.append(first)
        if rest:
            yield [b"".join(pieces), *rest[:-1]]
            pieces = [rest[-1]]
    if tail := b"".join(pieces):
        yield [tail]


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
