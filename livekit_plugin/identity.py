"""Who is on the line, from what LiveKit knows."""

from __future__ import annotations

import json
from typing import Any

from livekit import rtc
from livekit.agents import JobContext

from pipecat_memory import Caller

SIP_NUMBER = "sip.phoneNumber"
JOB_NUMBER = "phone_number"
APP_CALLER = "caller"


def identity_from(ctx: JobContext | None, participant: rtc.RemoteParticipant | None) -> Caller:
    """The caller, by the first of: SIP number, `phone_number` in the job's metadata, attribute `caller`.

    A SIP participant's identity string is made up by the bridge and is never taken for a caller id.

    Args:
        ctx: the job, or None.
        participant: who joined, or None where nobody has yet.

    Returns:
        The caller; nobody where the number is hidden or nothing names one. On outbound calls (the number
        comes from the dispatch) whoever answers is only `claimed`.
    """
    attributes: dict[str, str] = dict(participant.attributes) if participant is not None else {}
    if SIP_NUMBER in attributes:
        caller = Caller.phone(attributes[SIP_NUMBER])
        if caller.known:
            return caller
        # The carrier was asked and the caller hides: what the dispatch says is somebody's guess.
        return Caller.nobody()
    number = _metadata(ctx).get(JOB_NUMBER)
    if isinstance(number, str) and number:
        return Caller.phone(number, how="claimed")
    return Caller.phone(attributes.get(APP_CALLER))


def _metadata(ctx: JobContext | None) -> dict[str, Any]:
    raw = ctx.job.metadata if ctx is not None else ""
    try:
        decoded = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
