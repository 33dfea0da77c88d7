"""Endpoint keys: encrypted when a worker must read them, purged when the run ends, never shown."""

from __future__ import annotations

from django.conf import settings

from arena.errors import Refused
from arena.models import Endpoint, Run, User
from arena.security import encryption


def make_endpoint(base_url: str, api_model: str, key: str, owner: User | None) -> Endpoint:
    """Store an endpoint with its key encrypted. Raises Refused where a key must be stored and none can be."""
    return Endpoint.objects.create(base_url=base_url, api_model=api_model, key_ciphertext=_encrypt(key), owner=owner)


def key_of(endpoint: Endpoint | None) -> str:
    return encryption.decrypt(endpoint.key_ciphertext, settings.ENCRYPTION_KEYS) if endpoint else ""


def store_run_keys(run: Run, api_key: str, judge_api_key: str = "") -> None:
    for endpoint, key in ((run.endpoint, api_key), (run.judge_endpoint if run.is_own_judge else None, judge_api_key)):
        if endpoint is not None and key:
            endpoint.key_ciphertext = _encrypt(key)
            endpoint.save(update_fields=["key_ciphertext"])


def purge_run_keys(run: Run) -> None:
    """Forget the run's keys; the official judge's endpoint is not the run's and stays."""
    own = [run.endpoint_id, *([run.judge_endpoint_id] if run.is_own_judge else [])]
    Endpoint.objects.filter(pk__in=[pk for pk in own if pk]).update(key_ciphertext=encryption.PURGED)


def forget(endpoint: Endpoint) -> None:
    """Delete an endpoint's key for good."""
    Endpoint.objects.filter(pk=endpoint.pk).update(key_ciphertext=encryption.PURGED)


def rotate_keys() -> int:
    """Re-encrypt every stored key under the newest one; returns how many changed."""
    changed = 0
    for endpoint in Endpoint.objects.exclude(key_ciphertext=encryption.PURGED):
        fresh = encryption.rotate(endpoint.key_ciphertext, settings.ENCRYPTION_KEYS)
        if fresh != endpoint.key_ciphertext:  # in one statement: a key purged meanwhile must not come back
            same = Endpoint.objects.filter(pk=endpoint.pk, key_ciphertext=endpoint.key_ciphertext)
            changed += same.update(key_ciphertext=fresh)
    return changed


def _encrypt(key: str) -> str:
    try:
        return encryption.encrypt(key, settings.ENCRYPTION_KEYS)
    except encryption.EncryptionError as error:
        raise Refused("api-key", f"the key cannot be stored: {error}") from error
