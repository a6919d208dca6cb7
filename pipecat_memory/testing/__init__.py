"""Shipped fakes and the store suite: honest stand-ins, deterministic, for your tests and ours."""

from .clock import ManualClock
from .scripted import ScriptedAnswer, ScriptedModel

__all__ = ["ManualClock", "ScriptedAnswer", "ScriptedModel"]
