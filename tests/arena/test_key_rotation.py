"""The encryption keys of a site that keeps its own: made once, and rotated while runs wait."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from arena import env
from arena.models import Endpoint
from arena.security import encryption
from arena.services.keys import key_of, make_endpoint, rotate_keys

pytestmark = pytest.mark.django_db


def new_entry(key_id: str) -> str:
    out = StringIO()
    call_command("rotate_keys", "--new", key_id, stdout=out)
    return out.getvalue().strip()


def test_kept_key_is_rotated_by_writing_a_new_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(env, "VAR", tmp_path)
    monkeypatch.delenv("ENCRYPTION_KEYS", raising=False)
    settings.ENCRYPTION_KEYS = env.read_encryption_keys(is_kept=True)
    endpoint = make_endpoint("https://example.org/v1", "m", "sk-kept-012345", None)
    kept = tmp_path / "keys" / "encryption_key"
    kept.write_text(f"{new_entry('k2')},{kept.read_text()}\n")
    settings.ENCRYPTION_KEYS = env.read_encryption_keys(is_kept=True)
    assert key_of(endpoint) == "sk-kept-012345" and rotate_keys() == 1
    settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS[:1]
    endpoint.refresh_from_db()
    assert endpoint.key_ciphertext.startswith("k2:") and key_of(endpoint) == "sk-kept-012345"


def test_key_purged_during_the_rotation_does_not_come_back(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    endpoint = make_endpoint("https://example.org/v1", "m", "sk-gone-012345", None)
    settings.ENCRYPTION_KEYS = [new_entry("k9"), *settings.ENCRYPTION_KEYS]
    rotate = encryption.rotate

    def rotate_slowly(stored: str, keys: list[str]) -> str:
        Endpoint.objects.filter(pk=endpoint.pk).update(key_ciphertext=encryption.PURGED)
        return rotate(stored, keys)

    monkeypatch.setattr(encryption, "rotate", rotate_slowly)
    assert rotate_keys() == 0
    endpoint.refresh_from_db()
    assert endpoint.key_ciphertext == encryption.PURGED


def test_rotation_without_the_old_key_says_which_one_is_missing(settings: Any) -> None:
    make_endpoint("https://example.org/v1", "m", "sk-lost-012345", None)
    settings.ENCRYPTION_KEYS = [new_entry("k9")]
    with pytest.raises(CommandError, match="no key 't1'"):
        call_command("rotate_keys")
    with pytest.raises(CommandError, match="key id"):
        new_entry("not an id")
