"""Imported by the process that victims are forked from, so that none of them loads anything again."""

from pipecat_memory.notes import fusion
from pipecat_memory.reading.tokens import default_counter

from . import victim

__all__ = ["victim"]

default_counter()
fusion.prewarm()
