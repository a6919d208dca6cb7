"""What LiveKit has of a call against what is remembered of it."""

from __future__ import annotations

from collections import Counter

from pipecat_memory import CallMemory

from .kit import Rig


def remembered_as_it_was(call: CallMemory, rig: Rig, *, synced: bool) -> None:
    """What LiveKit has of the call, and nothing else but words that it never closed."""
    history = call.course.history()
    for role in ("user", "assistant"):
        items = [i for i in rig.items(role) if (i.text_content or "").strip()]
        theirs = Counter((i.text_content or "").strip() for i in items)
        ours = Counter(i.text for i in history if i.role == role)
        sure = Counter(i.text for i in history if i.role == role and not i.promoted)
        if role == "user" or synced:
            assert not sure - theirs, f"{role}: only remembered {sure - theirs}, of {theirs}"
            assert not theirs - ours, f"{role}: not remembered {theirs - ours}, of {ours}"
        else:  # of a cut reply that nothing timed less is claimed than LiveKit keeps
            assert not Counter((i.text_content or "").strip() for i in items if not i.interrupted) - ours
    assert "<memory" not in str(
        [
            i
            for i in rig.session.history.items
            if i.type != "function_call_output" or i.name != "recall_memory"
        ]
    )
