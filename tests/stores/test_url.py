from __future__ import annotations

from pathlib import Path

import pytest

from pipecat_memory.errors import StoreUnavailable, UsedWrongly
from pipecat_memory.stores.url import open_store

BAD = {
    "": "no scheme",
    "calls.db": "no scheme",
    "postgres://h/x": "postgres",
    "sqlite://calls.db": "three slashes",
    "sqlite://": "memory://",
    "sqlite:///": "name the file",
    "sqlite:///calls.db?mode=wo": "ro or rw",
    "sqlite:///calls.db?speed=fast": "speed",
    "memory://?x=1": "unknown option",
    "redis://localhost:port/0": "redis://host",
    "redis://localhost/0?ttl=soon": "whole seconds",
    "redis+sentinel://localhost:26379": "service",
    "redis+sentinel://localhost:26379/main/zero": "service",
    "redis+cluster://:7000": "host:port",
    "redis+cluster://h:x": "host:port",
    "redis+cluster://h:7000?decode=1": "unknown option",
    "memory://?keys=nonsense": "nonsense|no scheme",
    "sqlite:///calls.db?keys=sqlite:///safe%3Fspeed%3Dfast": "speed",
    "sqlite:///calls.db?keys=sqlite:///": "name the file",
}


@pytest.mark.parametrize(("url", "remedy"), BAD.items())
async def test_a_bad_url_says_the_remedy_and_leaves_no_file(
    url: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsedWrongly, match=remedy):
        await open_store(url)
    assert _names(tmp_path) == set()


@pytest.mark.parametrize("url", ["redis://u:hunter2@localhost:x/0", "redis+sentinel://u:hunter2@localhost"])
async def test_no_message_shows_a_password(url: str) -> None:
    with pytest.raises(UsedWrongly) as caught:
        await open_store(url)
    assert "hunter2" not in str(caught.value)


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_relative_and_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for url in ("sqlite:///calls.db", f"sqlite:///{tmp_path}/my%20calls.db"):
        for one in await open_store(url):
            await one.aclose()
    assert _names(tmp_path) == {
        "calls.db",
        "calls.db.keys",
        "my calls.db",
        "my calls.db.keys",
    }


async def test_keys_may_lie_elsewhere(tmp_path: Path) -> None:
    store, keys = await open_store(f"sqlite:///{tmp_path}/a.db?keys=sqlite:///{tmp_path}/safe")
    await keys.add("k", b"v")
    await store.aclose()
    await keys.aclose()
    assert _names(tmp_path) == {"a.db", "safe.keys"}


async def test_a_file_that_cant_be_opened_is_unavailable(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "calls.db", tmp_path):
        with pytest.raises(StoreUnavailable):
            await open_store(f"sqlite:///{path}")
