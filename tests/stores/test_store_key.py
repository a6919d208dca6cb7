"""The store's own key wraps the data keys; a missing or wrong one is refused when the store is opened."""

from __future__ import annotations

import base64

import pytest

from pipecat_memory.errors import UsedWrongly
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.keys import Encryption
from pipecat_memory.stores.vault import Vault

from .test_vault import KEY, box_of, new_vault


async def _later() -> bytes:
    return KEY


KEYS: dict[str, Encryption] = {
    "bytes": KEY,
    "base64": base64.urlsafe_b64encode(KEY).decode(),
    "base64 bytes": base64.urlsafe_b64encode(KEY),
    "callable": lambda: KEY,
    "coroutine": _later,
}


@pytest.mark.parametrize("encryption", KEYS.values(), ids=KEYS)
async def test_data_keys_are_wrapped_by_the_stores_key(encryption: Encryption) -> None:
    vault, store, keys = new_vault(encryption)
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"x")])
    assert all(kept[:1] == b"\x01" and box._key not in kept for kept in keys._keys.values())
    assert len(await (await box_of(Vault(store, keys, KEY))).read()) == 1


async def test_a_key_of_its_own_given_later_wraps_the_keys_that_are_there() -> None:
    vault, store, keys = new_vault(None)
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"x")])
    await box_of(vault, Scope("acme", "never back"))
    later = Vault(store, keys, KEY)
    await later.open()
    assert sorted(kept[:1] for kept in keys._keys.values()) == [b"\x00", b"\x00", b"\x01"], "the secret"
    again = await later.box(Scope("acme", "+15551230001"), create=False)
    assert again is not None
    assert again.owner == box.owner
    assert [e.blob for e in await again.read()] == [b"x"]
    wrapped = [name for name, kept in keys._keys.items() if kept[:1] == b"\x01" and name != "secret"]
    assert wrapped == [box._name]
    assert box._key not in keys._keys[box._name]
    with pytest.raises(UsedWrongly, match="pass encryption="):
        await Vault(store, keys).open()
    await again.erase()
    assert box._name not in keys._keys


WRONG: dict[str, tuple[Encryption, str]] = {
    "none": (None, "pass encryption="),
    "another": (bytes(32), "not the key"),
    "short": (b"secret", "32 random bytes"),
    "text": ("hunter2 hunter2", "32 random bytes"),
    "callable": (lambda: b"", "32 random bytes"),
}


@pytest.mark.parametrize(("encryption", "remedy"), WRONG.values(), ids=WRONG)
async def test_a_wrong_key_is_refused_at_open(encryption: Encryption, remedy: str) -> None:
    vault, store, keys = new_vault(KEY)
    await vault.open()
    with pytest.raises(UsedWrongly, match=remedy) as caught:
        await Vault(store, keys, encryption).open()
    assert "hunter2" not in str(caught.value)
