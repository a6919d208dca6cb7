"""Keys that the caller presses: an entry of them is a turn, or comes with the words of one."""

from __future__ import annotations

import re

from livekit import rtc

from pipecat_memory import CallMemory
from pipecat_memory import events as ev

_KEYPAD = re.compile(r"<dtmf_inputs>([0-9A-D*# ]+)</dtmf_inputs>")


class Keys:
    """Gathers the keys of one call. They come one by one; the hash key, the next words, a reply or the end
    closes an entry.
    """

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._keys = ""
        self._pressed = ""

    def press(self, event: rtc.SipDTMF) -> None:
        """Take one key."""
        if event.digit != "#":
            self._keys += event.digit
        else:
            self.end()

    def end(self) -> None:
        """The keys pressed so far are a turn of their own."""
        if self.flush():
            self._call.apply(ev.TurnEnded(t=self._call.elapsed))

    def flush(self) -> bool:
        """Hand over the keys pressed so far; whether there were any."""
        keys, self._keys = self._keys, ""
        if keys:
            self._pressed = keys
            self._call.apply(ev.Dtmf(t=self._call.elapsed, digits=keys))
        return bool(keys)

    def told_again(self, text: str) -> bool:
        """Whether this is LiveKit's keypad task, which tells its model of keys in a user message."""
        told = _KEYPAD.search(text)
        return told is not None and told[1].replace(" ", "") in (self._keys, self._pressed)
