"""Start everything that a running site needs, and keep it running."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena import supervisor
from arena.commands import ArenaCommand
from arena.env import VAR, env, read_secret
from arena.management.commands.make_maintainer import setup_link
from arena.services.people import has_maintainer


def require_free(host: str, port: int, variable: str, what_for: str = "") -> None:
    """Raises CommandError, before a minute of work is done for nothing."""
    if not supervisor.is_port_free(host, port):
        raise CommandError(f"port {port} on {host}{what_for} is busy: choose another with {variable}=", returncode=2)


def prepare() -> None:
    """In a process of its own, so that this one stays small. Ends this one where it fails."""
    try:
        code = subprocess.run([sys.executable, "manage.py", "prepare"], cwd=settings.BASE_DIR).returncode
    except KeyboardInterrupt:
        code = 130
    if code:
        sys.exit(code)


class Command(ArenaCommand):
    help = "Start web server, Celery worker with beat and (without REDIS_URL) an embedded Valkey; stop all on Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=env.str("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=env.int("PORT", 8000))
        parser.add_argument("--prepare", action="store_true", help="first run `prepare`, once the ports are known free")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        redis_port = env.int("REDIS_PORT", supervisor.REDIS_PORT)
        parts, redis_url = [], read_secret("REDIS_URL")
        require_free(host, port, "PORT")
        if not redis_url:
            require_free("127.0.0.1", redis_port, "REDIS_PORT", " for the embedded Valkey")
        if options["prepare"]:
            prepare()
        if not redis_url:
            redis_url = f"redis://127.0.0.1:{redis_port}/0"
            parts.append(supervisor.valkey_part(redis_port, VAR / "valkey"))
        facts: dict[str, Any] = {"redis_url": redis_url, "web_url": f"http://{host}:{port}"}
        if settings.DEMO:
            demo_port = supervisor.free_port()
            facts["demo_url"] = f"http://127.0.0.1:{demo_port}/v1"
            parts.append(supervisor.demo_part(demo_port))
        child_env = {"REDIS_URL": redis_url}
        parts += [supervisor.worker_part(child_env), supervisor.web_part(host, port, child_env)]
        (VAR / "runtime.json").unlink(missing_ok=True)
        supervisor.write_runtime(**facts)
        code = supervisor.Supervisor(parts, self.stderr.write).run(lambda: self._announce(host, port, facts))
        sys.exit(code)

    def _announce(self, host: str, port: int, facts: dict[str, Any]) -> None:
        self.stdout.write(f"\nProctor is up at http://{host}:{port}  (Ctrl-C stops it)")
        if settings.DEMO:
            self.stdout.write("Demo accounts: reviewer, submitter, maintainer; password = the name + '-demo'")
            self._start_demo(facts["demo_url"], facts["redis_url"])
        elif not has_maintainer():
            self.stdout.write(f"There is no maintainer yet. Whoever signs up here first becomes one:\n  {setup_link()}")
        self.stdout.flush()

    def _start_demo(self, demo_url: str, redis_url: str) -> None:
        """Let the demo models sit their exams, once; the queue is told through the broker that just started."""
        command = [sys.executable, "manage.py", "start_demo", "--base-url", demo_url]
        subprocess.Popen(command, env={**os.environ, "REDIS_URL": redis_url}, cwd=settings.BASE_DIR)
