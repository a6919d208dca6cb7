"""The command line, used wrongly: one line on stderr that names the place, exit 2, nothing on stdout."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipecat_memory.cli import cli


@pytest.mark.parametrize("kind", ["recall", "values", "slots", "repair"])
def test_eval_names_the_line_that_is_no_case(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('\n{"type"\n')
    done = CliRunner().invoke(cli, ["eval", kind, str(file), "--no-embedder"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cases.jsonl:2: not one JSON object a line" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["bench", "--memories", "-5"],
        ["bench", "--calls", "nan"],
        ["soak", "--calls", "0"],
        ["show", "x", "--recent", "-1"],
    ],
)
def test_a_number_that_makes_no_sense_is_used_wrongly(command: list[str]) -> None:
    done = CliRunner().invoke(cli, command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr
