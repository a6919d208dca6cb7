"""Who is in the room: transports that carry several people (Daily, LiveKit) say whose sound it was."""

from __future__ import annotations


class Room:
    """Tells the caller from other participants. Whoever is heard first is the caller.

    One line carries one person, and its transport names nobody: "" is the caller, too.
    """

    def __init__(self) -> None:
        self._caller = ""
        self._others: set[str] = set()

    def other(self, user: str) -> tuple[str | None, bool]:
        """Whose words a transcription frame brings.

        Args:
            user: the frame's `user_id`.

        Returns:
            (None, False) for the caller; else the participant's id, and whether it is heard first now.
        """
        self._caller = self._caller or user
        if not user or user == self._caller:
            return None, False
        new = user not in self._others
        self._others.add(user)
        return user, new
