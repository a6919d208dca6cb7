"""Shipped fakes and the store suite: honest stand-ins, deterministic, for your tests and ours."""

from typing import TYPE_CHECKING, Any

from .clock import ManualClock
from .scripted import ScriptedAnswer, ScriptedModel
from .simulator import CallSimulator

if TYPE_CHECKING:
    from .store_contract import StoreContract

__all__ = ["CallSimulator", "ManualClock", "ScriptedAnswer", "ScriptedModel", "StoreContract"]


def __getattr__(name: str) -> Any:
    # The suite needs pytest, which replay and evaluation do without.
    if name == "StoreContract":
        from .store_contract import StoreContract

        return StoreContract
    raise AttributeError(name)
