"""Cleaning before extraction: the caller's words as they were meant, fillers and repairs out."""

from pipecat_memory.notes.disfluency import Cleaned, Repair, clean

__all__ = ["Cleaned", "Repair", "clean"]
