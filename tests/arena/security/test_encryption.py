"""Keys at rest: the key id stands in the ciphertext, rotation loses nothing, errors name ids only."""

import pytest

from arena.security.encryption import (
    PURGED,
    EncryptionError,
    KeyMissing,
    decrypt,
    encrypt,
    key_id_of,
    key_ids_in_use,
    new_key,
    rotate,
)

OLD, NEW = new_key("k1"), new_key("k2")
SECRET = "sk-CANARY-0123456789"


def test_a_stored_key_names_its_encryption_key_and_opens_again() -> None:
    stored = encrypt(SECRET, [OLD])
    assert stored.startswith("k1:")
    assert SECRET not in stored
    assert decrypt(stored, [OLD]) == SECRET


def test_the_same_text_is_never_stored_the_same_way_twice() -> None:
    assert encrypt(SECRET, [OLD]) != encrypt(SECRET, [OLD])


def test_first_key_encrypts_and_all_decrypt() -> None:
    stored = encrypt(SECRET, [OLD])
    assert decrypt(stored, [NEW, OLD]) == SECRET
    assert key_id_of(encrypt(SECRET, [NEW, OLD])) == "k2"


def test_rotation_moves_a_value_under_the_first_key_and_is_idempotent() -> None:
    rotated = rotate(encrypt(SECRET, [OLD]), [NEW, OLD])
    assert key_id_of(rotated) == "k2"
    assert decrypt(rotated, [NEW]) == SECRET
    assert rotate(rotated, [NEW, OLD]) == rotated


def test_keys_in_use_tell_when_an_old_one_can_go() -> None:
    stored = [encrypt(SECRET, [OLD]), encrypt(SECRET, [NEW]), PURGED]
    assert key_ids_in_use(stored) == {"k1", "k2"}
    assert key_ids_in_use([rotate(value, [NEW, OLD]) for value in stored]) == {"k2"}


def test_empty_key_is_stored_as_purged_without_any_configuration() -> None:
    assert encrypt("", []) == PURGED
    assert decrypt(PURGED, []) == ""
    assert rotate(PURGED, []) == PURGED


def test_missing_configuration_is_an_error_only_when_a_key_must_be_stored() -> None:
    with pytest.raises(KeyMissing, match="ENCRYPTION_KEYS is set"):
        encrypt(SECRET, [])


def test_unknown_key_id_is_named() -> None:
    with pytest.raises(KeyMissing, match="'k1'"):
        decrypt(encrypt(SECRET, [OLD]), [NEW])


def test_altered_value_is_refused() -> None:
    stored = encrypt(SECRET, [OLD])
    with pytest.raises(EncryptionError, match="does not open"):
        decrypt(stored[:-6] + "AAAA==", [OLD])
    with pytest.raises(EncryptionError, match="does not open"):
        decrypt(stored.replace("k1:", "k2:"), [NEW])


@pytest.mark.parametrize(
    "entry",
    ["no-colon", "k1:", ":abcd", "k1:dG9vIHNob3J0", "bad id:" + OLD[3:], "k1:not base64!", f"{OLD},{NEW}"],
    ids=["no-colon", "empty", "no-id", "too-short", "space-in-id", "not-base64", "two-in-one"],
)
def test_bad_configuration_is_named_without_showing_the_key(entry: str) -> None:
    with pytest.raises(EncryptionError, match="ENCRYPTION_KEYS") as error:
        encrypt(SECRET, [entry])
    secret_part = entry.partition(":")[2]
    assert not secret_part or secret_part not in str(error.value)


def test_the_same_id_twice_is_refused() -> None:
    with pytest.raises(EncryptionError, match="twice"):
        encrypt(SECRET, [OLD, new_key("k1")])
