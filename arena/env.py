"""The environment, read once: every setting, each secret also as `X_FILE`, and what `make run` keeps in `var/`."""

from __future__ import annotations

import base64
import json
import os
import secrets
from pathlib import Path
from typing import Any

from environs import Env

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(os.environ.get("PROCTOR_VAR", BASE_DIR / "var"))

env = Env()


def read_secret(name: str, default: str = "") -> str:
    """The value of `name`, or the contents of the file that `name_FILE` points to."""
    if file := os.environ.get(f"{name}_FILE"):
        return Path(file).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def kept_key(name: str, make: Any) -> str:
    """A key made once and kept in `var/keys/` (mode 0600), so that a restart loses no session and no stored key."""
    path = VAR / "keys" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(make())
    return path.read_text(encoding="utf-8").strip()


def make_secret_key() -> str:
    return secrets.token_urlsafe(50)


def make_encryption_key() -> str:
    return "k1:" + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()


def read_encryption_keys(*, is_kept: bool) -> list[str]:
    """`ENCRYPTION_KEYS`, newest first; else, where they are kept, those of `var/keys/encryption_key`."""
    text = read_secret("ENCRYPTION_KEYS")
    if not text and is_kept:
        text = kept_key("encryption_key", make_encryption_key)
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def read_runtime() -> dict[str, Any]:
    """What the running supervisor wrote down (`var/runtime.json`): ports and pids; empty when there is none."""
    try:
        return dict(json.loads((VAR / "runtime.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def redis_url() -> str:
    """`REDIS_URL`, else the embedded server's address while `make run` is up, else empty."""
    return read_secret("REDIS_URL") or str(read_runtime().get("redis_url", ""))
