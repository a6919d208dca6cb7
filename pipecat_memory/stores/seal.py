"""The sealed form of a blob: what every record looks like to a store, and to whoever copies it.

    2 bytes    "PM"
    byte 2     format version, now 1
    byte 3     flags: 1 = the payload was compressed before sealing
    12 bytes   nonce, random
    the rest   AES-256-GCM of the payload; the header and the blob's place are bound to it

The place (owner, sort, kind, names) is authenticated, so a blob moved to another caller, call or
name doesn't open there.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import StoreCorrupt

MAGIC = b"PM"
VERSION = 1
_DEFLATED = 1
_HEADER, _NONCE = 4, 12
_COMPRESS_FROM = 512
"""Payloads shorter than this gain nothing from compression worth its time (bytes)."""
_WORTH = 0.75
"""Share of a payload that its compressed form may take at most: vectors shrink by a tenth, and unpacking them
takes longer than reading that tenth."""


@dataclass(frozen=True, slots=True, repr=False)
class Place:
    """Where a blob belongs; its parts are bound to the blob, and named when it can't be read."""

    owner: str
    parts: tuple[str, ...]

    def bound(self, header: bytes) -> bytes:
        fields = [part.encode("utf-8", "surrogatepass") for part in (self.owner, *self.parts)]
        return header + b"".join(len(field).to_bytes(4, "big") + field for field in fields)

    def __str__(self) -> str:
        return "/".join(self.parts)


def seal(key: AESGCM, place: Place, payload: bytes, *, pack: bool = True) -> bytes:
    """The payload as a blob that opens only with `key` and only at `place`; as it is where not to `pack`."""
    flags = 0
    if pack and len(payload) >= _COMPRESS_FROM:
        packed = zlib.compress(payload, 1)
        if len(packed) <= _WORTH * len(payload):
            payload, flags = packed, _DEFLATED
    header = MAGIC + bytes((VERSION, flags))
    nonce = os.urandom(_NONCE)
    return header + nonce + key.encrypt(nonce, payload, place.bound(header))


def is_newer(blob: bytes) -> bool:
    """True for a blob of a version of this software that is newer than this one."""
    return blob[:2] == MAGIC and blob[2:3] > bytes((VERSION,))


def fingerprint(blob: bytes) -> str:
    """What tells this blob from every other that was ever sealed: its nonce, in hexadecimal."""
    return blob[_HEADER : _HEADER + _NONCE].hex()


def unseal(key: AESGCM, place: Place, blob: bytes) -> bytes:
    """The payload of a blob.

    Raises:
        StoreCorrupt: the blob doesn't open with this key at this place; names the place only.
    """
    header, nonce, body = blob[:_HEADER], blob[_HEADER : _HEADER + _NONCE], blob[_HEADER + _NONCE :]
    if len(header) < _HEADER or header[:3] != MAGIC + bytes((VERSION,)):
        raise StoreCorrupt(f"{place}: not a sealed record")
    try:
        payload = key.decrypt(nonce, body, place.bound(header))
        return zlib.decompress(payload) if header[3] & _DEFLATED else payload
    except (InvalidTag, ValueError, zlib.error) as error:
        raise StoreCorrupt(f"{place}: the record can't be opened") from error
