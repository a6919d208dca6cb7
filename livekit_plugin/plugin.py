"""Registration with LiveKit Agents. Importing registers and does nothing else."""

from __future__ import annotations

import threading
from importlib.metadata import PackageNotFoundError, version

from livekit.agents import Plugin

from pipecat_memory import prewarm

from .log import logger

_said = False


def package_version() -> str:
    """The installed version of `pipecat-memory`."""
    try:
        return version("pipecat-memory")
    except PackageNotFoundError:
        return "0"


class MemoryPlugin(Plugin):
    """Listed at worker start; `python -m livekit.agents download-files` calls `download_files`."""

    def __init__(self) -> None:
        super().__init__("livekit.plugins.pipecat_memory", package_version(), "livekit_plugin", logger)

    def download_files(self) -> None:
        """Check what the in-process embedder needs; its weights come with the package `[embed]`."""
        prewarm()


def register() -> bool:
    """Register once. LiveKit takes plugins on the main thread only; elsewhere say so and go on."""
    if any(isinstance(plugin, MemoryPlugin) for plugin in Plugin.registered_plugins):
        return True
    global _said
    if threading.current_thread() is not threading.main_thread():
        if not _said:
            _said = True
            logger.warning("imported off the main thread: memory works, but is not listed as a plugin")
        return False
    Plugin.register_plugin(MemoryPlugin())
    return True
