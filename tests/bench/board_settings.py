"""The project's settings with one more address: a constant view behind all its middleware, to measure against."""

from arena.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.board_urls"
ALLOWED_HOSTS = ["*"]
