"""Every data file that is shipped has its origin and terms in one file, which is shipped too."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NO_DATA = {".py", ".pyc", ".typed"}


def test_every_data_file_is_named_with_its_terms() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").splitlines()
    named = {line for line in notice if line.startswith(("pipecat_memory/", "livekit_plugin/"))}
    shipped = {
        path.relative_to(ROOT).as_posix()
        for package in ("pipecat_memory", "livekit_plugin")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix not in NO_DATA
    }
    assert named == shipped
    paragraphs = "\n".join(notice).split("\n\n")[2:]
    assert all("BSD-2-Clause" in text or "public domain" in text for text in paragraphs)


def test_the_wheel_takes_it_along() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license-files"] == ["LICENSE", "NOTICE"]
