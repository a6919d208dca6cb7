"""Optional tools for the model: recall, remember, forget. Memory works without them."""

from __future__ import annotations

from livekit.agents import function_tool, llm

from pipecat_memory import CallMemory


class MemoryToolset(llm.Toolset):
    """Lets the model ask the memory by itself; for realtime models the only per-turn way.

    Args:
        call: the call's memory.

    Example::

        session = AgentSession(llm=..., tools=[MemoryToolset(call)])
    """

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        super().__init__(id="pipecat_memory.tools")

    @function_tool()
    async def recall_memory(self, question: str) -> str:
        """Look up what is known about the caller from this and earlier calls.

        Args:
            question: what to look for, in the caller's words
        """
        await self._call.recall_ready(question)
        found = self._call.briefing(question).text
        return found or "Nothing is known about that."

    @function_tool()
    async def remember_fact(self, about: str, value: str, quote: str) -> str:
        """Keep something for later calls, when the caller asks for it. Only what the caller has said.

        Args:
            about: what it is about, in a word or two, such as preferred_table
            value: what is to be kept
            quote: the caller's own words that say it, word for word
        """
        if self._call.remember(about, value, quote):
            return "Kept."
        return "Not kept: nothing the caller said carries it. Quote the caller word for word."

    @function_tool()
    async def forget_last(self) -> str:
        """Forget what the caller said last, when the caller asks for it. Earlier turns and calls stay."""
        if self._call.forget_last():
            return "Forgotten: the caller's last turn before this request."
        return "Nothing was forgotten: there was nothing before this request."
