"""Plant each fault in a copy of the engine and see whether a test turns red.

Prints one JSON line, `{"mutants": N, "killed": N}`; the faults that no test saw go to stderr.
Exit 0 if all were seen, else 1. Run from the project's root: `python -m tests.mutants.run`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .table import MUTANTS as LEDGER
from .table import TABLES, Mutant
from .writing_table import WRITING

ROOT = Path(__file__).parents[2]
MUTANTS = LEDGER + WRITING
COPIED = ("pipecat_memory", "tests/__init__.py", "tests/conftest.py", "tests/ledger", "tests/writing")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            source, target = ROOT / name, copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        if not _green(copy, tuple({test for m in MUTANTS for test in m.tests} | set(TABLES))):
            print("the tests are red without any fault", file=sys.stderr)  # noqa: T201 - a script
            return 1
        alive = [mutant.name for mutant in MUTANTS if not _killed(copy, mutant)]
    for name in alive:
        print(f"no test sees: {name}", file=sys.stderr)  # noqa: T201 - a script
    print(json.dumps({"mutants": len(MUTANTS), "killed": len(MUTANTS) - len(alive)}))  # noqa: T201 - a script
    return 1 if alive else 0


def _killed(copy: Path, mutant: Mutant) -> bool:
    path = copy / "pipecat_memory" / mutant.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(planted(sound, mutant), encoding="utf-8")
    try:
        return not _green(copy, mutant.tests)
    finally:
        path.write_text(sound, encoding="utf-8")


def planted(sound: str, mutant: Mutant) -> str:
    """The file's text with the fault in it.

    Raises:
        ValueError: the table no longer fits the file.
    """
    if sound.count(mutant.right) != 1:
        raise ValueError(f"{mutant.name}: stands {sound.count(mutant.right)} times in {mutant.file}")
    return sound.replace(mutant.right, mutant.wrong)


def _green(copy: Path, tests: tuple[str, ...]) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    # Plugins take longer to load than these tests take to run.
    bare = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=copy, env=bare, capture_output=True, check=False, timeout=120)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
