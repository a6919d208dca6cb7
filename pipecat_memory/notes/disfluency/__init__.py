"""Disfluent speech: fillers, repeated words, restarts and corrections inside one utterance. Pure.

`clean` gives the words that were meant; `repairs` only the corrections, for rules that must
know which value replaced which.
"""

from pipecat_memory.notes.disfluency.cleaned import Cleaned, Repair, clean, repairs

__all__ = ["Cleaned", "Repair", "clean", "repairs"]
