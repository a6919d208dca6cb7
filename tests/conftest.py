"""For all tests: properties try the same examples each time, so that a push fails for what it changed."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", derandomize=True, print_blob=True)
settings.register_profile("fresh", max_examples=500)
settings.load_profile("steady")
