"""`livekit.plugins.pipecat_memory`: the plugin under LiveKit's own name space."""

from livekit_plugin import *  # noqa: F403 - the same names, under the name LiveKit looks for
from livekit_plugin import __all__ as __all__
