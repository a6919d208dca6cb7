"""For all tests: properties try the same examples each time, so that a push fails for what it changed.

They have no deadline of their own: the machine may be busy.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", derandomize=True, print_blob=True, deadline=None)
settings.register_profile("fresh", max_examples=500, deadline=None)
settings.load_profile("steady")
