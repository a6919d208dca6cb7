"""Memory for LiveKit Agents: the engine's public names, and one line that attaches it to a session."""

from pipecat_memory import (
    Caller,
    CallMemory,
    FactRule,
    Memory,
    MemorySchema,
    Settings,
    Slot,
    prewarm,
)

from .attach import attach_session, session_end
from .confirmed import requires_confirmed
from .identity import identity_from
from .plugin import MemoryPlugin, register
from .tools import MemoryToolset

__all__ = [
    "CallMemory",
    "Caller",
    "FactRule",
    "Memory",
    "MemoryPlugin",
    "MemorySchema",
    "MemoryToolset",
    "Settings",
    "Slot",
    "attach_session",
    "identity_from",
    "prewarm",
    "register",
    "requires_confirmed",
    "session_end",
]

register()
