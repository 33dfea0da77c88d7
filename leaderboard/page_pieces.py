"""Parts of pages compressed apart, so that one made for everybody and one made for an account go into one answer."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # RFC 1952: deflate, no name, no time, unknown system
LAST_BLOCK = b"\x03\x00"  # an empty final block of deflate


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page. packed: the same as whole deflate blocks, which may stand anywhere in a gzip stream."""

    raw: bytes
    packed: bytes

    @property
    def size(self) -> int:
        return len(self.raw) + len(self.packed)


def pack(raw: bytes) -> Piece:
    stream = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return Piece(raw, stream.compress(raw) + stream.flush(zlib.Z_SYNC_FLUSH))


def unpack(packed: bytes) -> Piece:
    return Piece(zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed), packed)


def join(pieces: Sequence[Piece]) -> bytes:
    return b"".join(piece.raw for piece in pieces)


def join_gzip(pieces: Sequence[Piece]) -> bytes:
    """The pieces as one gzip member."""
    check, size = 0, 0
    for piece in pieces:
        check, size = zlib.crc32(piece.raw, check), size + len(piece.raw)
    end = check.to_bytes(4, "little") + (size & 0xFFFFFFFF).to_bytes(4, "little")
    return b"".join((GZIP_HEAD, *(piece.packed for piece in pieces), LAST_BLOCK, end))


def make_etag(pieces: Sequence[Piece]) -> str:
    """Weak: compressed and plain answers share it."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.packed)
    return f'W/"{digest.hexdigest()[:24]}"'
