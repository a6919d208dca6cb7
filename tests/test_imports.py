"""The import rules between rooms, read off the source: nothing is run."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "pipecat_memory"
FRAMEWORKS = ("pipecat", "livekit")
MAY_IMPORT_PIPECAT = ("processors", "bench", "evals")
PURE_ROOMS = ("ledger", "notes", "records")
IO_MODULES = (
    "asyncio",
    "http",
    "openai",
    "redis",
    "socket",
    "sqlite3",
    "subprocess",
    "threading",
    "urllib.request",
    "pipecat_memory.clients",
    "pipecat_memory.stores",
    "pipecat_memory.writing",
    "pipecat_memory.reading",
    "pipecat_memory.memory",
    "pipecat_memory.call",
)


def imports(path: Path) -> Iterator[str]:
    """Absolute names of all modules that a file imports, at its top or inside."""
    package = ".".join(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield ".".join([*base, *([node.module] if node.module else [])])


def within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_engine_imports_no_framework(path: Path) -> None:
    room = path.relative_to(ENGINE).parts[0]
    banned = ("livekit", "livekit_plugin") if room in MAY_IMPORT_PIPECAT else (*FRAMEWORKS, "livekit_plugin")
    assert not [name for name in imports(path) if any(within(name, b) for b in banned)]


@pytest.mark.parametrize("room", PURE_ROOMS)
def test_pure_rooms_do_no_io(room: str) -> None:
    found = {
        f"{path.name}: {name}"
        for path in (ENGINE / room).rglob("*.py")
        for name in imports(path)
        if any(within(name, banned) for banned in IO_MODULES)
    }
    assert not found


def test_plugin_imports_no_pipecat() -> None:
    found = {
        f"{path.name}: {name}"
        for path in (ROOT / "livekit_plugin").rglob("*.py")
        for name in imports(path)
        if within(name, "pipecat") or within(name, "pipecat_memory.processors")
    }
    assert not found


def test_importing_the_engine_loads_no_framework() -> None:
    code = (
        "import sys, pipecat_memory\n"
        "heavy = {'pipecat', 'livekit', 'openai', 'redis', 'deepgram', 'onnxruntime'} & set(sys.modules)\n"
        "sys.exit(','.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
