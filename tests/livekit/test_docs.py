"""What docs/livekit.md shows can be pasted: it parses, and every name in it is there."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "livekit.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{len(block)} characters")
def test_a_block_of_the_page_parses_and_its_imports_are_there(block: str) -> None:
    imports = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ImportFrom)]
    assert imports
    for node in imports:
        module = importlib.import_module(node.module or "")
        assert [name.name for name in node.names if not hasattr(module, name.name)] == []
