"""Known names to the recogniser: the app's own list plus the memory's, rarely pushed."""

from __future__ import annotations

from typing import Any

from livekit.agents import AgentSession, stt
from livekit.agents.utils import is_given

from pipecat_memory import CallMemory

from .log import logger

MOST = 100


class KeyTerms:
    """Pushes at most once for the preload and once for each newly confirmed name."""

    def __init__(self, session: AgentSession[Any], call: CallMemory) -> None:
        self._session = session
        self._call = call
        self._own: list[str] = []
        self._pushed: tuple[str, ...] = ()
        self._warned = False

    def push(self) -> None:
        """Push when there is something new. Never in mid-utterance: a change may reconnect the recogniser."""
        terms = self._call.key_terms()
        standing = self._session.keyterms
        if not set(self._pushed) & set(standing):
            # Nothing of ours stands yet, or the app has put another list in the place of all.
            self._own, self._pushed = standing, ()
        if not set(terms) - set(self._pushed) or self._session.user_state == "speaking":
            return
        recogniser = self._recogniser()
        if recogniser is None:
            return
        self._pushed = terms
        if not getattr(recogniser.capabilities, "keyterms", False):
            if not self._warned:
                self._warned = True
                logger.warning("the recogniser takes no key terms; %d known terms stay unused", len(terms))
            return
        unique = list(dict.fromkeys([*self._own, *terms]))[:MOST]
        self._session.update_options(keyterms=unique)

    def _recogniser(self) -> stt.STT | None:
        """The agent's own recogniser, else the session's."""
        try:
            own = self._session.current_agent.stt
        except RuntimeError:
            return self._session.stt
        return own if is_given(own) else self._session.stt
