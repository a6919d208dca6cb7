"""The keys of a telephone, and the transcription that Pipecat makes of them."""

from __future__ import annotations

from pipecat.frames.frames import InputDTMFFrame, TranscriptionFrame

LONGEST_PREFIX = 3
"""Words before the keys in Pipecat's transcription; its own prefix is one (`DTMF:`)."""


class Keypad:
    """Collects pressed keys to an entry, and knows the words that only repeat one."""

    def __init__(self) -> None:
        self._pressed = ""
        self._texts: list[str] = []

    @property
    def texts(self) -> list[str]:
        """The entries since the last turn that was written, as they stand in its text."""
        return list(self._texts)

    def key(self, frame: InputDTMFFrame) -> str:
        """Take a key; returns the entry that the hash key ends, else ""."""
        if frame.button.value == "#":
            return self.entry()
        self._pressed += frame.button.value
        return ""

    def entry(self) -> str:
        """What was pressed so far is an entry; "" where nothing was."""
        entry, self._pressed = self._pressed, ""
        if entry:
            self._texts.append(entry)
        return entry

    def repeats(self, frame: TranscriptionFrame) -> bool:
        """Whether a transcription only tells the keys of the last entry, which we saw themselves.

        Pipecat's has its prefix and the keys, and nothing that a recogniser knows of speech. "A table for 4"
        behind a pressed 4 is what somebody said.
        """
        spoken = frame.user_id or frame.language is not None or frame.result is not None
        prefix, _, last = frame.text.rstrip("#").rpartition(" ")
        if spoken or len(prefix.split()) > LONGEST_PREFIX:
            return False
        pressed = self._pressed or (self._texts[-1] if self._texts else "")
        return bool(last) and last == pressed

    def written(self, text: str | None = None) -> None:
        """The last entry stands as `text` in the turn; None: the turn is written, and its entries with it."""
        if text is None:
            self._texts.clear()
        else:
            self._texts[-1:] = [text]
