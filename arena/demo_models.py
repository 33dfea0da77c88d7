"""`python -m arena.demo_models --port P`: two demo models and a demo judge on http://127.0.0.1:P/v1, until stopped."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence

from arena.demo.library import load_library
from arena.demo.server import serve

PORT_TAKEN = 2


async def run(port: int, latency_s: float) -> None:
    """Serve until SIGINT or SIGTERM. Raises OSError where the port is taken."""
    server = await serve(port, load_library(), latency_s)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    print(f"Demo models on http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await stop.wait()
    server.close()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m arena.demo_models", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes a free one and prints it")
    parser.add_argument("--latency", type=float, default=0.15, metavar="S", help="seconds before each reply")
    options = parser.parse_args(arguments)
    try:
        asyncio.run(run(options.port, options.latency))
    except OSError as error:
        print(f"cannot listen on 127.0.0.1:{options.port}: {error.strerror}", file=sys.stderr)
        return PORT_TAKEN
    return 0


if __name__ == "__main__":
    sys.exit(main())
