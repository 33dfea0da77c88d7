"""The command's loop: lines of standard input to lines of standard output."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

from scoring.bounds import BoundedScorer
from scoring.wire import error_response, with_id

MAX_LINE_BYTES = 64 << 20


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scoring", description=__doc__)
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="processes (default 1)")
    parser.add_argument("--serve", action="store_true", help="the same over pipes, for the pool")
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("-j needs at least 1")
    if options.serve:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner of the pipe ends it
    try:
        if options.jobs > 1 and not options.serve:
            from scoring.pool import Pool

            return serve_with_pool(Pool(options.jobs))
        return serve_alone()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        print(f"python -m scoring: standard input cannot be read: {error}", file=sys.stderr)
        return 2


def serve_alone() -> int:
    scorer = BoundedScorer()
    for number, line in enumerate(read_lines(0), start=1):
        write_all(1, answer_line(scorer, line, number))
    scorer.close()
    return 0


def answer_line(scorer: BoundedScorer, line: bytes, number: int) -> bytes:
    """The response line; a line that is no request, or fails, names its number."""
    request = None
    try:
        request = parse_line(line)
        response = scorer.respond(request)
    except ValueError as error:
        response = with_id(request, error_response(str(error)))
    if response["status"] == "error" if "status" in response else False:
        response = {"status": "error", "line": number, **{k: v for k, v in response.items() if k != "status"}}
    return json.dumps(response).encode() + b"\n"


def parse_line(line: bytes) -> Any:
    """Raises ValueError with a sentence for people."""
    try:
        return json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"the line is not UTF-8: byte {error.start}") from None
    except RecursionError:
        raise ValueError("the line is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the line is not JSON: {error.msg} at character {error.pos}") from None


def read_lines(fd: int) -> Iterator[bytes]:
    """Whole lines as soon as they are there; the last one may lack its newline."""
    pieces: list[bytes] = []
    while block := os.read(fd, 1 << 18):
        first, *rest = block.split(b"\n")
        pieces.append(first)
        for piece in rest:
            yield b"".join(pieces)
            pieces = [piece]
    if tail := b"".join(pieces):
        yield tail


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def serve_with_pool(pool: Any) -> int:
    raise NotImplementedError
