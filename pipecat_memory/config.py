"""Settings: frozen, finite by default, read by nobody from the environment at import."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

from .clients.prices import Price
from .errors import UsedWrongly

TokenCounter = Callable[[str], int]

_CHOICES = {"window": ("off", "last_n", "summary", "hybrid"), "interrupted_reply": ("prefix", "drop")}
_ABOVE_NOTHING = frozenset(
    {
        "model_timeout",
        "store_timeout",
        "lease",
        "max_requests",
        "extraction_window",
        "window_turns",
        "recall_calls",
    }
)
"""Numbers of which 0 would stop what they bound; of all others 0 is the least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a `Memory` behaves. Times are seconds, budgets are tokens.

    Example::

        memory = await Memory.open("sqlite:///calls.db", settings=Settings(turn_budget=200))
    """

    # Reply path.
    preload_wait: float = 0.3
    """Longest the first inference waits for the preload."""
    recall_wait: float = 0.005
    """Longest a turn waits for its query vector (0.05 suits a remote embedder)."""
    notes_model_wait: float = 0.0
    """Longest a reply waits for the deep path, at most 0.4."""
    turn_budget: int = 300
    """Tokens of the changing part of a briefing."""
    stable_budget: int = 1200
    """Tokens of the stable part of a briefing."""
    dump_below: int = 25
    """With fewer current facts than this, all of them stand in the stable part."""
    recall_calls: int = 100
    """Newest calls whose turns recall searches from the start, a few thousand turns and under 10 MB a
    caller; as many older ones at a time are fetched when a question finds nothing in these. Facts and
    summaries are searched of all calls."""
    recall_items: int = 5
    """Most recalled items in one briefing."""
    count_tokens: TokenCounter | None = None
    """Counts the tokens of a text; None takes the default counter."""
    window: Literal["off", "last_n", "summary", "hybrid"] = "off"
    """How older turns leave the model's window."""
    window_turns: int = 20
    """Turns that stay raw in the window."""
    realtime_tokens: int = 24_000
    """A speech-to-speech model that read more than this for a reply is rolled over: its older turns give
    way to a summary. Below what the smallest of them hold (32,768 tokens with the answer)."""
    inject: bool = True
    """False: shadow mode; everything is remembered, nothing is told to the model."""
    prefetch_chars: int = 8
    """A partial shorter than this starts no prefetch."""

    # Ledger.
    interrupted_reply: Literal["prefix", "drop"] = "prefix"

    # Deep path.
    model_timeout: float = 8.0
    """Deadline of one model request, measured from outside."""
    drain: float = 2.5
    """Longest the end of a call waits for the background writer."""
    call_token_budget: int = 60_000
    """Most tokens one call may spend on extraction and summaries."""
    extraction_window: int = 8
    """Turns of one request under `extraction="window"`."""
    max_requests: int = 4
    """Model requests at once per endpoint and process."""
    prices: tuple[Price, ...] = ()
    """(model, price of 1M tokens in, of 1M tokens out, and of 1M cached tokens in where it differs)."""

    # Store.
    store_timeout: float = 2.0
    """Deadline of one store command off the reply path."""
    lease: float = 30.0
    """Seconds a job or an open call stays claimed without a sign of life."""
    resume_within: float = 300.0
    """A call of the same line that dropped less long ago goes on with its notes."""
    retention_days: int | None = None
    """Records older than this are erased; None keeps them."""
    audit_days: int = 365
    """How long the audit trail (who read, corrected, exported, erased) is kept; 0 keeps none."""
    recycled_after_days: int = 365
    """A number unheard for longer counts as `claimed`, whatever the app says."""
    redact: tuple[str, ...] = ()
    """The app's own patterns (regular expressions) masked before the journal."""
    mask_cards: bool = True

    # The rest.
    line_of_business: str = ""
    """Which line of business this bot serves; facts and episodes carry it."""
    strict: bool = False
    """True: front doors re-raise what their guard catches. For tests."""

    def __post_init__(self) -> None:
        """Refuse what can't be meant: here, not in the middle of a call.

        Raises:
            UsedWrongly: names the setting and what would be right.
        """
        for field in fields(self):
            if remedy := _remedy(field.name, str(field.type), getattr(self, field.name)):
                raise UsedWrongly(f"Settings({field.name}=): {remedy}")


def _remedy(name: str, kind: str, value: Any) -> str:
    """What would be right; nothing where it is."""
    if value is None and (kind.endswith("| None")):
        return ""
    if name in _CHOICES:
        return "" if value in _CHOICES[name] else f"one of {', '.join(_CHOICES[name])}"
    match kind.removesuffix(" | None"):
        case "float" | "int" as number:
            whole = number == "int"
            kinds = int if whole else (int, float)
            fits = isinstance(value, kinds) and not isinstance(value, bool) and value >= 0
            if not fits or (name in _ABOVE_NOTHING and value == 0):
                least = "above 0" if name in _ABOVE_NOTHING else "0 or more"
                return f"a {'whole ' if whole else ''}number, {least}"
        case "bool" if not isinstance(value, bool):
            return "True or False"
        case "str" if not isinstance(value, str):
            return "a text"
        case "TokenCounter" if not callable(value):
            return "a function from a text to its number of tokens"
        case "tuple[str, ...]":
            return _redact_remedy(value)
        case "tuple[Price, ...]" if not _are_prices(value):
            return 'a tuple of rows such as ("gpt-4.1-mini", 0.4, 1.6)'
        case _:
            pass
    return ""


def _redact_remedy(patterns: Any) -> str:
    if not isinstance(patterns, tuple) or not all(isinstance(p, str) for p in patterns):
        return "a tuple of regular expressions; one alone is written (r'...',)"
    for index, pattern in enumerate(patterns):
        try:
            re.compile(pattern)
        except re.error as error:
            return f"number {index + 1} is no regular expression: {error.msg} at {error.pos}"
    return ""


def _are_prices(rows: Any) -> bool:
    return isinstance(rows, tuple) and all(
        isinstance(row, tuple)
        and len(row) in (3, 4)
        and isinstance(row[0], str)
        and all(isinstance(price, int | float) and price >= 0 for price in row[1:])
        for row in rows
    )
