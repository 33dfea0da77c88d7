"""Endpoint keys at rest: Fernet tokens that name the key they need, `k1:gAAAA...`.

`ENCRYPTION_KEYS` is a list of `id:base64` strings, the newest first: the first encrypts, all decrypt. To retire a
key: put a new one in front, `rotate` every stored value, check `key_ids_in_use`, then drop the old one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

PURGED = ""  # what stands in the column once the run has ended and the key is gone

_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}=")  # 32 bytes; base64 itself would pass over what follows its end


class EncryptionError(Exception):
    """A key cannot be stored or read; the text names key ids, never keys or plain text."""


class KeyMissing(EncryptionError):
    """No key is configured, or not the one a stored value needs."""


def new_key(key_id: str) -> str:
    """A fresh random entry for `ENCRYPTION_KEYS`."""
    if not _KEY_ID.fullmatch(key_id):
        raise EncryptionError(f"key id {key_id!r} must be 1 to 32 letters, digits, '-' or '_'")
    return f"{key_id}:{Fernet.generate_key().decode('ascii')}"


def encrypt(plain: str, keys: Sequence[str]) -> str:
    """Encrypt with the first key. An empty text stays empty. Raises KeyMissing where no key is configured."""
    if not plain:
        return PURGED
    key_id, fernet = next(iter(_read_keys(keys).items()))
    return f"{key_id}:{fernet.encrypt(plain.encode()).decode('ascii')}"


def decrypt(stored: str, keys: Sequence[str]) -> str:
    """The plain text. Raises KeyMissing naming the key id that is not configured, EncryptionError if altered."""
    if stored == PURGED:
        return ""
    key_id, token = _split(stored)
    try:
        return _fernet_of(key_id, keys).decrypt(token).decode()
    except (InvalidToken, UnicodeDecodeError):
        raise EncryptionError(f"a value stored under key {key_id!r} does not open with it") from None


def rotate(stored: str, keys: Sequence[str]) -> str:
    """The same plain text under the first key; a value already under it comes back unchanged."""
    if stored == PURGED:
        return PURGED
    key_id, token = _split(stored)
    newest_id, newest = next(iter(_read_keys(keys).items()))
    if key_id == newest_id:
        return stored
    try:
        rotated = MultiFernet([newest, _fernet_of(key_id, keys)]).rotate(token)
    except InvalidToken:
        raise EncryptionError(f"a value stored under key {key_id!r} does not open with it") from None
    return f"{newest_id}:{rotated.decode('ascii')}"


def key_id_of(stored: str) -> str:
    """The id of the key that a stored value needs; empty for a purged one."""
    return "" if stored == PURGED else _split(stored)[0]


def key_ids_in_use(stored_values: Iterable[str]) -> set[str]:
    """Which keys still hold something: a key outside this set can be dropped."""
    return {key_id_of(stored) for stored in stored_values} - {""}


def _split(stored: str) -> tuple[str, bytes]:
    key_id, colon, token = stored.partition(":")
    if not colon or not _KEY_ID.fullmatch(key_id):
        raise EncryptionError("a stored value does not begin with a key id")
    return key_id, token.encode()


def _fernet_of(key_id: str, keys: Sequence[str]) -> Fernet:
    known = _read_keys(keys)
    if key_id not in known:
        raise KeyMissing(f"ENCRYPTION_KEYS has no key {key_id!r}, which a stored value needs (has: {', '.join(known)})")
    return known[key_id]


def _read_keys(keys: Sequence[str]) -> dict[str, Fernet]:
    """Key id -> Fernet, newest first. Raises KeyMissing when there is none, EncryptionError naming a bad entry."""
    known: dict[str, Fernet] = {}
    for position, entry in enumerate((entry.strip() for entry in keys if entry.strip()), start=1):
        key_id, _, secret = entry.partition(":")
        if not secret or not _KEY_ID.fullmatch(key_id):
            raise EncryptionError(f"ENCRYPTION_KEYS entry {position} is not of the form id:base64")
        if key_id in known:
            raise EncryptionError(f"ENCRYPTION_KEYS holds the id {key_id!r} twice")
        if not _SECRET.fullmatch(secret):
            raise EncryptionError(f"ENCRYPTION_KEYS key {key_id!r} is not 32 bytes in url-safe base64")
        known[key_id] = Fernet(secret)
    if not known:
        raise KeyMissing("An endpoint key can only be stored when ENCRYPTION_KEYS is set (id:base64)")
    return known
