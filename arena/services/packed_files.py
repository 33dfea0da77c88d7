"""Uploaded files, plain or packed by gzip or zip, within bounds: a bomb is refused before it fills the memory."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from typing import IO

from django.utils.translation import gettext as _

from arena.errors import ImportRefused

MAX_BYTES = 512 * 2**20
MAX_RATIO = 200  # unpacked to packed; more is a bomb
SMALL_BYTES = 10 * 2**20  # of any ratio


def unpack(data: bytes, file_name: str) -> bytes:
    """The text inside a plain, gzip or zip file. Raises ImportRefused where it is damaged or too large."""
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                return _read_bounded(packed, len(data), file_name)
        if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):  # the second: an empty archive
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return _read_member(archive, len(data), file_name)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise _refused(file_name, _("cannot be unpacked: it is damaged, or of another kind")) from error
    if len(data) > MAX_BYTES:
        raise _refused(file_name, _("larger than %(n)d MiB") % {"n": MAX_BYTES >> 20})
    return data


def _read_member(archive: zipfile.ZipFile, packed_bytes: int, file_name: str) -> bytes:
    found = (info for info in archive.infolist() if not info.is_dir())
    members = [info for info in found if not info.filename.startswith("__MACOSX/")]  # what macOS adds to each file
    if len(members) != 1:
        raise _refused(file_name, _("a zip file with exactly one file in it is expected"))
    with archive.open(members[0]) as packed:
        return _read_bounded(packed, packed_bytes, file_name)


def _read_bounded(packed: IO[bytes] | gzip.GzipFile, packed_bytes: int, file_name: str) -> bytes:
    most = min(MAX_BYTES, max(packed_bytes * MAX_RATIO, SMALL_BYTES))
    data = packed.read(most + 1)
    if len(data) > most:
        raise _refused(file_name, _("unpacks to more than %(n)d MiB") % {"n": most >> 20})
    return data


def _refused(file_name: str, reason: str) -> ImportRefused:
    return ImportRefused([f"{file_name}: {reason}"])
