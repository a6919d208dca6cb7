"""The plugin's logger, under LiveKit's own name space. Ids and counts only, never what callers say."""

from __future__ import annotations

import logging

logger = logging.getLogger("livekit.plugins.pipecat_memory")
