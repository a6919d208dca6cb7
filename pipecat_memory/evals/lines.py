"""Labelled cases: a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import UsedWrongly


def cases(file: Path | str, *needed: str) -> Iterator[dict[str, Any]]:
    """The cases of a file, in order; blank lines are skipped.

    Args:
        file: UTF-8 text.
        needed: keys that every case must have.

    Raises:
        UsedWrongly: a line is no case; the message names file, line and what is missing.
    """
    with Path(file).open("rb") as source:
        for number, line in enumerate(source, 1):
            if not line.strip():
                continue
            try:
                case = json.loads(line)
            except (ValueError, RecursionError):
                raise UsedWrongly(f"{file}:{number}: not one JSON object a line, in UTF-8") from None
            missing = [key for key in needed if not isinstance(case, dict) or key not in case]
            if missing:
                raise UsedWrongly(f"{file}:{number}: a case of this kind needs {', '.join(missing)}")
            yield case
