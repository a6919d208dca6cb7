"""`__all__` against reality, and a docstring on everything public."""

from __future__ import annotations

import importlib
import inspect

import pytest

PUBLIC = [
    "pipecat_memory",
    "pipecat_memory.clients",
    "pipecat_memory.processors",
    "pipecat_memory.stores",
    "pipecat_memory.testing",
    "livekit_plugin",
]


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted_and_true(name: str) -> None:
    module = importlib.import_module(name)
    exported: list[str] = module.__all__
    assert exported == sorted(exported)
    assert len(exported) <= 30
    for symbol in exported:
        assert hasattr(module, symbol)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_things_say_what_they_do(name: str) -> None:
    module = importlib.import_module(name)
    for symbol in module.__all__:
        thing = getattr(module, symbol)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), symbol
