"""A profile that can't be read is named, never overwritten, and the calls wait in their journals."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ..kit import ended, opened, say, verified


@pytest.mark.parametrize("kind", ["profile", "claims"])
async def test_what_cannot_be_read_is_named_and_left(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "calls.db"
    async with opened(f"sqlite:///{path}", embedder=None) as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor and I'm allergic to walnuts")
        await ended(call, clock)
    with sqlite3.connect(path) as db:
        (whole,) = db.execute("SELECT blob FROM docs WHERE kind = ?", [kind]).fetchone()
        db.execute("UPDATE docs SET blob = x'00ff' WHERE kind = ?", [kind])
    async with opened(f"sqlite:///{path}", embedder=None) as (memory, clock):
        call = memory.call(verified(), call_id="c2")
        await say(call, clock, "my email is wren@example.com")
        await ended(call, clock)
    assert f"{kind}" in caplog.text
    assert "mended" in caplog.text
    assert "wren" not in caplog.text.lower()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT blob FROM docs WHERE kind = ?", [kind]).fetchone() == (b"\x00\xff",)
        db.execute("UPDATE docs SET blob = ? WHERE kind = ?", [whole, kind])
    async with opened(f"sqlite:///{path}", embedder=None) as (memory, clock):
        call = memory.call(verified(), call_id="c3")
        await call.preload()
        told = call.briefing().text
        assert "Wren Okafor" in told
        assert "wren@example.com" in told
        await ended(call, clock)
