"""Memory for voice agents: what was really said and heard, at no cost to the caller.

The engine's public names. Nothing here imports a framework: the Pipecat processors live in
`pipecat_memory.processors`, the LiveKit plugin in `livekit_plugin`.
"""

from .call import CallMemory
from .config import Settings
from .memory import Memory
from .prewarm import prewarm
from .records.caller import Caller
from .records.schema import FactRule, MemorySchema, Slot

__all__ = [
    "CallMemory",
    "Caller",
    "FactRule",
    "Memory",
    "MemorySchema",
    "Settings",
    "Slot",
    "prewarm",
]
