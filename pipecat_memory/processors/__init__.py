"""Pipecat's front door: frames and processor events become events of a call, and the model is told.

`memory` is the processor, `tap` decides which frame becomes which event, `view` is what the model reads.
"""

from .frames import (
    CallSummaryFrame,
    MemoryDocumentsFrame,
    MemoryIdentifyFrame,
    MemoryPauseFrame,
    MemoryPreloadedFrame,
    MemoryRecalledFrame,
    MemoryResumeFrame,
    MemoryStoredFrame,
)
from .functions import forget_last, recall_memory, remember_fact, requires_confirmed
from .marks import TwilioMarkSerializer
from .memory import MemoryProcessor

__all__ = [
    "CallSummaryFrame",
    "MemoryDocumentsFrame",
    "MemoryIdentifyFrame",
    "MemoryPauseFrame",
    "MemoryPreloadedFrame",
    "MemoryProcessor",
    "MemoryRecalledFrame",
    "MemoryResumeFrame",
    "MemoryStoredFrame",
    "TwilioMarkSerializer",
    "forget_last",
    "recall_memory",
    "remember_fact",
    "requires_confirmed",
]
