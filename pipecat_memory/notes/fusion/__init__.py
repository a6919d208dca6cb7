"""What a value is, given all the times it was said: one door, `fuse`, and `identify` for a whole person.

Every attempt's n-best list is evidence; a later attempt adds to it, an explicit correction
starts anew. The score is explicit: log likelihoods of hearing what was heard, plus how common
the value is, or the app's own candidates. `Fused.sure` says whether it may count as confirmed.
"""

from pipecat_memory.notes.fusion.door import fuse, prewarm
from pipecat_memory.notes.fusion.evidence import SURE, Attempt, Candidate, Fused
from pipecat_memory.notes.fusion.identity import Identified, Person, identify

__all__ = ["SURE", "Attempt", "Candidate", "Fused", "Identified", "Person", "fuse", "identify", "prewarm"]
