"""JSON out of what a model wrote: prose, fences and thoughts around it, repaired only where whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

from json_repair import repair_json

from ..errors import ModelAnswerBad

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_REPAIRS = 50
"""Pieces of one answer that are mended, 0.1 ms each; more is prose full of brackets."""
_DECODER = json.JSONDecoder()
_OPEN = re.compile(r"[{\[]")


def json_values(text: str) -> Iterator[Any]:
    """The JSON values in a model's text, repaired where whole; nothing that was cut.

    Raises:
        ModelAnswerBad: one of them stops in the middle of an item, or is nested beyond reading.
    """
    text = _THOUGHTS.sub("", text).replace("\x00", "").strip()
    repairs = 0
    if text.startswith('"') and (inner := _loads(text)) is not None and isinstance(inner, str):
        text = inner
    at = 0
    while (start := _OPEN.search(text, at)) is not None:
        begin = start.start()
        whole, at = _whole(text, begin)
        if whole is not None:
            yield whole
            continue
        end, cut = _extent(text, begin)
        piece = text[begin:end]
        value = _loads(piece)
        if value is None:
            if cut == "item":
                raise ModelAnswerBad("the answer ends in the middle of an item")
            repairs += 1
            if repairs > _REPAIRS:
                raise ModelAnswerBad(f"more than {_REPAIRS} pieces that are no JSON")
            value = _repaired(piece)
            if value == "" or (value in ({}, []) and len(piece) > 4):
                at = begin + 1  # a bracket of the prose
                continue
        yield value
        at = end


def _whole(text: str, begin: int) -> tuple[Any, int]:
    """The value that starts there and where it ends, where nothing of it has to be mended."""
    try:
        return _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None, begin


def _extent(text: str, begin: int) -> tuple[int, Literal["", "closers", "item"]]:
    """Where the JSON value that starts at `begin` ends, and what it lacks if it never closes.

    `closers`: every item is whole and only the outer brackets are missing. `item`: cut within one.
    """
    stack: list[str] = []
    quoted = escaped = False
    for i in range(begin, len(text)):
        char = text[i]
        if escaped:
            escaped = False
        elif quoted:
            escaped = char == "\\"
            # A quote mark inside a string that nobody escaped: it ends no string unless JSON goes on.
            quoted = not (char == '"' and re.match(r"\s*([,:}\]]|\Z)", text[i + 1 : i + 20]))
        elif char == '"':
            quoted = True
        elif char in "{[":
            stack.append(char)
        elif char in "}]":
            if stack:
                stack.pop()
            if not stack:
                return i + 1, ""
    rest = text[begin:].rstrip().removesuffix("```").rstrip()
    whole = not quoted and len(stack) <= 2 and rest.endswith(("}", "]", "},")) and len(rest) > 2
    return len(text), "closers" if whole else "item"


def _repaired(piece: str) -> Any:
    try:
        return repair_json(piece, return_objects=True)
    except RecursionError:
        raise ModelAnswerBad("the answer is nested too deeply") from None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
