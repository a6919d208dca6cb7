"""Callers become opaque owners, and every record is sealed for its owner and its place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pipecat_memory.errors import Erased, StoreCorrupt, VersionConflict
from pipecat_memory.records.caller import Scope
from pipecat_memory.stores.base import Entry, NewEntry, PutDoc
from pipecat_memory.stores.box import Box
from pipecat_memory.stores.keys import Encryption
from pipecat_memory.stores.memory import MemoryKeyStore, MemoryStore
from pipecat_memory.stores.seal import MAGIC, VERSION, Place, seal, unseal
from pipecat_memory.stores.vault import Vault

KEY = bytes(range(32))
CIPHER = AESGCM(KEY)
ADA = Scope("acme", "+15551230001")


def new_vault(encryption: Encryption = None) -> tuple[Vault, MemoryStore, MemoryKeyStore]:
    store, keys = MemoryStore(), MemoryKeyStore()
    return Vault(store, keys, encryption), store, keys


async def box_of(vault: Vault, scope: Scope = ADA) -> Box:
    box = await vault.box(scope)
    assert box is not None
    return box


async def test_a_box_gives_back_what_was_put_in() -> None:
    vault, _, _ = new_vault(KEY)
    box = await box_of(vault)
    long = b"call me Wren. " * 500
    await box.append("call 1/ü", [("u 1", "turn", 1.0, long), ("", "turn", 2.0, b"")])
    await box.put([PutDoc("profile", "ma in", b"likes jazz", 0)], [box.job("settle", "call 1/ü")])
    again = await box_of(Vault(vault.store, vault._keys._keystore, KEY))
    assert [(e.call, e.uid, e.kind, e.blob) for e in await again.read()] == [
        ("call 1/ü", "u 1", "turn", long),
        ("call 1/ü", "", "turn", b""),
    ]
    assert [e.uid for e in await again.read("call 1/ü", after=1)] == [""]
    assert [(d.kind, d.name, d.version, d.blob) for d in await again.load(["profile"])] == [
        ("profile", "ma in", 1, b"likes jazz")
    ]
    job = await vault.claim("worker 1", 60, kinds=["settle"])
    assert job is not None
    assert (job.id, job.kind, job.call, job.owner) == ("settle/call 1/ü", "settle", "call 1/ü", box.owner)
    found = await vault.box_of(job.owner)
    assert found is not None
    assert len(await found.read(job.call)) == 2
    assert await vault.claim("worker 1", 60, job=box.job("settle", "call 1/ü")) is not None
    assert await vault.finish("worker 1", job)


STRANGE = [
    "",
    " ",
    "a\0b",
    "\ud800",
    "../../x",
    "*",
    "{acme}",
    "a:b",
    "a b",
    "' OR 1=1 --",
    "%2F",
    "\u00e9",
    "e\u0301",
]


async def test_ids_of_any_bytes_inject_nothing_and_meet_nobody() -> None:
    vault, store, _ = new_vault()
    scopes = [Scope(t, c, p) for t in ("t", "{t}:*") for c in STRANGE for p in ("", "x")]
    owners = {(await box_of(vault, scope)).owner for scope in scopes}
    assert len(owners) == len(scopes)
    for n, name in enumerate(STRANGE):
        box = await box_of(vault)
        await box.append(name, [(name, "turn", float(n), name.encode("utf-8", "surrogatepass"))])
        await box.put([PutDoc(name, name, b"x", 0)])
    box = await box_of(vault)
    for name in STRANGE:
        (entry,) = await box.read(name)
        assert entry.blob.decode("utf-8", "surrogatepass") == entry.uid == name
    assert not box.corrupt
    seen = [e.call + e.uid + e.kind for e in await store.read(box.owner)]
    for text in (*owners, *seen):
        assert text.isascii()
        assert (text or "x").isprintable()
        assert not set(text) & set(" {}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Scope("a", "+1555"), Scope("a", "+15551")),
        (Scope("a", "b", "c"), Scope("a", "bc", "")),
        (Scope("ab", "c"), Scope("a", "bc")),
        (Scope("a", "b"), Scope("b", "b")),
        (Scope("a", "\u00e9"), Scope("a", "e\u0301")),
    ],
)
async def test_neighbouring_ids_share_nothing(one: Scope, other: Scope) -> None:
    vault, _, _ = new_vault()
    await (await box_of(vault, one)).append("c", [("1", "turn", 0.0, b"mine")])
    assert await (await box_of(vault, other)).read() == []


async def test_the_store_sees_no_name_number_or_word() -> None:
    vault, store, keys = new_vault()
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"my name is Wren and my number is +15551230001")])
    await box.put([PutDoc("profile", "main", b'{"name": "Wren"}', 0)])
    kept = [f"{e.call} {e.uid} {e.kind}".encode() + e.blob for e in await store.read(box.owner)]
    kept += [f"{d.kind} {d.name}".encode() + d.blob for d in await store.load(box.owner)]
    kept += [box.owner.encode(), *(name.encode() for name in keys._keys)]
    for word in (b"Wren", b"5551230001", b"number"):
        assert not any(word in one for one in kept)


async def test_the_same_caller_in_another_store_is_another_owner() -> None:
    assert (await box_of(new_vault()[0])).owner != (await box_of(new_vault()[0])).owner


async def test_a_hundred_callers_at_once_write_to_their_own() -> None:
    vault, _, _ = new_vault()

    async def save(caller: str, n: int) -> None:
        box = await box_of(vault, Scope("acme", caller))
        await box.append("c", [(f"{n}", "turn", 0.0, f"{caller}{n}".encode())])

    await asyncio.gather(*(save(caller, n) for n in range(100) for caller in "ab"))
    for caller in "ab":
        box = await box_of(vault, Scope("acme", caller))
        assert sorted(e.blob.decode() for e in await box.read()) == sorted(f"{caller}{n}" for n in range(100))


# What can't be read is set aside.


async def test_a_blob_opens_only_in_its_place() -> None:
    place = Place("acme:1", ("doc", "profile", "main"))
    blob = seal(CIPHER, place, b"secret")
    assert unseal(CIPHER, place, blob) == b"secret"
    wrong = [
        (CIPHER, Place("acme:2", place.parts), blob),
        (CIPHER, Place("acme:1", ("doc", "profile", "mai")), blob),
        (CIPHER, Place("acme:1", ("doc", "profil", "emain")), blob),
        (AESGCM(bytes(32)), place, blob),
        (CIPHER, place, blob[:-1]),
        (CIPHER, place, blob[:16]),
        (CIPHER, place, blob[:1]),
        (CIPHER, place, b""),
        (CIPHER, place, blob[:3] + b"\x01" + blob[4:]),
        (CIPHER, place, blob[:2] + b"\0" + blob[3:]),
    ]
    for key, where, bad in wrong:
        with pytest.raises(StoreCorrupt, match=r"^doc/") as caught:
            unseal(key, where, bad)
        assert "secret" not in str(caught.value)


async def test_corrupt_records_are_named_and_the_rest_is_read() -> None:
    vault, store, _ = new_vault()
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"one"), ("3", "turn", 0.0, b"three")])
    await store.append(box.owner, "c", [NewEntry("2", "turn", 0.0, MAGIC + b"\x01\x00" + b"garbage" * 9)])
    await box.put([PutDoc("profile", "main", b"p", 0)])
    await store.put(box.owner, [PutDoc("profile", "bad", b"\xffgarbage", 0)])
    assert [e.uid for e in await box.read()] == ["1", "3"]
    assert [d.name for d in await box.load()] == ["main"]
    assert box.corrupt == ["entry/turn/c/2", "doc/profile/bad"]
    assert len(await store.read(box.owner)) == 3, "nothing is lost"


async def test_an_older_version_skips_what_a_newer_one_wrote_and_leaves_it() -> None:
    vault, store, _ = new_vault()
    box = await box_of(vault)
    newer = MAGIC + bytes([VERSION + 1]) + b"whatever the future brings"
    await store.append(box.owner, "c", [NewEntry("1", "turn", 0.0, newer)])
    await store.put(box.owner, [PutDoc("profile", "main", newer, 0)])
    await box.append("c", [("2", "turn", 0.0, b"ours")])
    assert [e.uid for e in await box.read()] == ["2"]
    assert await box.load() == []
    assert (box.newer, box.corrupt) == (["entry/turn/c/1", "doc/profile/main"], [])
    with pytest.raises(VersionConflict):
        await box.put([PutDoc("profile", "main", b"rewritten", 0)])
    assert (await store.load(box.owner))[0].blob == newer


async def test_many_records_open_off_the_loop() -> None:
    vault, _, _ = new_vault()
    box = await box_of(vault)
    await box.append("c", [(str(n), "turn", float(n), b"x" * 100) for n in range(1000)])
    assert [e.uid for e in await box.read()] == [str(n) for n in range(1000)]


# Forgetting.


async def test_a_copy_made_before_is_unreadable_afterwards() -> None:
    vault, store, keys = new_vault()
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"I owe 300 euros")])
    copy: list[Entry] = await store.read(box.owner)
    erasure = await box.erase()
    assert (erasure.entries, erasure.docs, erasure.jobs) == (1, 0, 0)
    assert await vault.box(ADA, create=False) is None
    assert await vault.box_of(box.owner) is None
    # Whoever restores the copy beside the live keys:
    restored = MemoryStore()
    await restored.append(box.owner, "c", [NewEntry(e.uid, e.kind, e.at, e.blob) for e in copy])
    fresh = await Vault(restored, keys).box(ADA)
    assert fresh is not None
    assert await fresh.read() == []
    assert await Vault(restored, keys).box_of(box.owner) is None
    assert all(b"euros" not in e.blob for e in copy)


async def test_late_work_of_an_erased_caller_is_refused_for_good() -> None:
    vault, _, _ = new_vault()
    old = await box_of(vault)
    await old.append("c", [("1", "turn", 0.0, b"old")])
    await old.erase()
    again = await box_of(vault)
    await again.append("c2", [("1", "turn", 0.0, b"new")])
    assert again.owner != old.owner
    with pytest.raises(Erased):
        await old.append("c", [("2", "turn", 0.0, b"late")])
    with pytest.raises(Erased):
        await old.put([PutDoc("profile", "main", b"late", 0)])
    assert [e.blob for e in await again.read()] == [b"new"]
    assert await vault.box_of(again.owner) is not None, "a late write harms nobody's new key"


async def test_an_erasure_that_was_killed_half_way_is_finished_by_the_next_write() -> None:
    vault, store, _ = new_vault()
    box = await box_of(vault)
    await store.erase(box.owner)  # and killed before the key
    with pytest.raises(Erased):
        await (await box_of(vault)).append("c", [("1", "turn", 0.0, b"x")])
    fresh = await box_of(vault)
    await fresh.append("c", [("1", "turn", 0.0, b"x")])
    assert fresh.owner != box.owner


async def test_a_late_identity_moves_the_call_whole() -> None:
    vault, _, _ = new_vault()
    number, account = await box_of(vault), await box_of(vault, Scope("acme", "customer-7"))
    await number.append("c", [("1", "turn", 0.0, b"one"), ("2", "turn", 0.0, b"two")])
    await number.append("other", [("1", "turn", 0.0, b"stays")])
    await number.put([PutDoc("call", "c", b"head", 0), PutDoc("profile", "main", b"p", 0)])
    assert await number.hand_over("c", account) == 3
    assert [e.blob for e in await account.read("c")] == [b"one", b"two"]
    assert [d.blob for d in await account.load()] == [b"head"]
    assert [e.blob for e in await number.read()] == [b"stays"]
    assert [d.kind for d in await number.load()] == ["profile"]
    assert await number.hand_over("c", account) == 0


async def test_reprs_show_no_content() -> None:
    vault, _, _ = new_vault()
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, b"Wren")])
    await box.put([PutDoc("profile", "main", b"Wren", 0)])
    records = [box, *await box.read(), *await box.load(), PutDoc("a", "b", b"Wren", 0)]
    assert "Wren" not in repr(records)


MOVES: list[Callable[[Entry], Entry]] = [
    lambda e: replace(e, uid="other"),
    lambda e: replace(e, kind="reply"),
    lambda e: replace(e, call="other"),
]


@pytest.mark.parametrize("change", MOVES)
async def test_a_record_put_elsewhere_in_the_store_is_not_believed(change: Callable[[Entry], Entry]) -> None:
    vault, store, keys = new_vault()
    box = await box_of(vault)
    await box.append("c", [("1", "turn", 0.0, json.dumps({"text": "yes"}).encode())])
    moved = change((await store.read(box.owner))[0])
    other = MemoryStore()
    await other.append(box.owner, moved.call, [NewEntry(moved.uid, moved.kind, moved.at, moved.blob)])
    again = await Vault(other, keys).box_of(box.owner)
    assert again is not None
    assert await again.read() == []
    assert len(again.corrupt) == 1
