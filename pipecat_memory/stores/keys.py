"""The keys of a store: one secret that hashes callers, one data key a caller, and their wrapping.

A kept key is `0x00 + 32 bytes` as it is, or `0x01 + nonce + AES-256-GCM` under the store's own key
where the app gave one (`encryption=`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import logging
import os
from collections.abc import Awaitable, Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import StoreCorrupt, StoreUnavailable, UsedWrongly
from ..tasks import in_thread
from .base import KeyStore

logger = logging.getLogger(__name__)

Key = bytes | str
Encryption = Key | Callable[[], Key] | Callable[[], Awaitable[Key]] | None
"""The store's own key (32 bytes, or their base64), or a sync or async callable that fetches it."""

_SIZE = 32
_NONCE = 12
_PLAIN, _WRAPPED = b"\x00", b"\x01"
_SECRET = "secret"  # noqa: S105 -- the name it is kept under


class KeyRing:
    """Makes, finds and destroys keys; knows nothing of records.

    Args:
        keystore: where the (wrapped) keys lie.
        encryption: the store's own key; None keeps data keys as they are.
    """

    def __init__(self, keystore: KeyStore, encryption: Encryption = None) -> None:
        self._keystore = keystore
        self._encryption = encryption
        self._store_key: AESGCM | None = None
        self._secret: bytes | None = None

    async def open(self) -> None:
        """Fetch the store's key and secret once.

        Raises:
            UsedWrongly: `encryption` is missing, malformed or not the key this store was made with.
        """
        if self._secret is not None:
            return
        if self._encryption is not None:
            self._store_key = AESGCM(await _fetch(self._encryption))
        self._secret = await self._take(_SECRET)

    async def hash(self, fields: tuple[str, ...]) -> str:
        """Hex of a keyed hash: whoever holds the store but not its secret can't test guesses."""
        await self.open()
        assert self._secret is not None
        digest = hmac.new(self._secret, digestmod=hashlib.sha256)
        for field in fields:
            raw = field.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(4, "big") + raw)
        return digest.hexdigest()

    async def find(self, name: str) -> bytes | None:
        """The data key of that name, if there is one."""
        await self.open()
        kept = await self._keystore.get(name)
        return None if kept is None else await self._opened(name, kept)

    async def make(self, name: str) -> bytes:
        """The data key of that name, made now if there is none."""
        await self.open()
        return await self._take(name)

    async def destroy(self, name: str, key: bytes) -> bool:
        """Destroy that data key, unless the name has a newer one. True where it was there."""
        await self.open()
        while (kept := await self._keystore.get(name)) is not None and self._unwrap(name, kept) == key:
            if await self._keystore.destroy(name, kept):
                return True
            # Somebody wrapped it meanwhile: it is still this key, in another form.
        return False

    async def aclose(self) -> None:
        """Close the key store."""
        await self._keystore.aclose()

    async def _take(self, name: str) -> bytes:
        kept = await self._keystore.get(name)
        if kept is None:
            kept = await self._keystore.add(name, self._wrap(name, os.urandom(_SIZE)))
        return await self._opened(name, kept)

    async def _opened(self, name: str, kept: bytes) -> bytes:
        """The key; one that was kept before the store had a key of its own is wrapped by it now."""
        key = self._unwrap(name, kept)
        if self._store_key is not None and kept[:1] == _PLAIN:
            try:
                await self._keystore.replace(name, kept, self._wrap(name, key))
            except StoreUnavailable:
                logger.warning("a data key could not be wrapped now; it will be when it is next used")
        return key

    def _wrap(self, name: str, key: bytes) -> bytes:
        if self._store_key is None:
            return _PLAIN + key
        nonce = os.urandom(_NONCE)
        return _WRAPPED + nonce + self._store_key.encrypt(nonce, key, name.encode())

    def _unwrap(self, name: str, kept: bytes) -> bytes:
        form, rest = kept[:1], kept[1:]
        if form == _PLAIN and len(rest) == _SIZE:
            return rest
        if form != _WRAPPED:
            raise StoreCorrupt("a key of this store has an unknown form")
        if self._store_key is None:
            raise UsedWrongly("this store was made with a key of its own: pass encryption=")
        try:
            return self._store_key.decrypt(rest[:_NONCE], rest[_NONCE:], name.encode())
        except (InvalidTag, ValueError) as error:
            raise UsedWrongly("encryption= is not the key this store was made with") from error


async def _fetch(encryption: Key | Callable[[], Key] | Callable[[], Awaitable[Key]]) -> bytes:
    if not callable(encryption):
        return _checked(encryption)
    # A secret manager's client usually blocks: keep it off the loop.
    try:
        return _checked(await in_thread(encryption))
    except UsedWrongly:
        raise
    except Exception as error:  # noqa: BLE001 -- the app's code may raise anything, with the key in its text
        raise UsedWrongly(f"encryption= raised {type(error).__name__} instead of giving a key") from None


def _checked(key: object) -> bytes:
    # bytes(32) are 32 zeros: of anything but bytes and text no key is made.
    raw = key.encode(errors="replace") if isinstance(key, str) else key
    raw = bytes(raw) if isinstance(raw, bytes | bytearray | memoryview) else b""
    if len(raw) != _SIZE:
        try:
            raw = base64.urlsafe_b64decode(raw)
        except (binascii.Error, ValueError):
            raw = b""
    if len(raw) != _SIZE:
        raise UsedWrongly(
            "encryption= must be 32 random bytes or their base64: "
            "python -c 'import os,base64; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'"
        )
    return raw
