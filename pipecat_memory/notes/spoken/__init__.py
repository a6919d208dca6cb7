"""Values as they are said: numbers, dates, times, e-mail, phone, spelling. One door, `find`.

Everything here is pure. Words of a language stand in `tables/`, one file a language; a new
language is a new file. Chinese has a room of its own (`chinese.py`) since it has no spaces.
"""

from pipecat_memory.notes.spoken.door import Kind, find
from pipecat_memory.notes.spoken.span import Span

__all__ = ["Kind", "Span", "find"]
