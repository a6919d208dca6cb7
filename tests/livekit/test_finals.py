"""The finals that make up a turn are found among those that became none and those of the next."""

from __future__ import annotations

import pytest

from livekit_plugin.finals import run_of


@pytest.mark.parametrize(
    ("finals", "text", "run"),
    [
        (["a table", "for four"], "a table for four", slice(0, 2)),
        (["nonsense", "a table", "for four"], "a table for four", slice(1, 3)),
        (["a table", "for four", "on Friday"], "a table for four", slice(0, 2)),
        (["no", "no, for five"], "no, for five", slice(1, 2)),
        (["hello"], "Hello.", slice(0, 1)),
        (["yes", "yes"], "yes", slice(1, 2)),
        (["我叫王小明"], "我叫王小明。", slice(0, 1)),
        (["something else"], "a table", None),
        ([], "a table", None),
        (["", "a table"], "a table", slice(1, 2)),
    ],
)
def test_the_run(finals: list[str], text: str, run: slice | None) -> None:
    assert run_of(finals, text) == run
