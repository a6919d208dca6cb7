"""Checks of a schema document. Each raises `SchemaError` with the JSON Pointer of the fault."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pipecat_memory.errors import SchemaError

MAX_NAME = 64
"""Longest name of a slot or key, in characters: names stand in prompts."""


def entries(doc: Mapping[str, Any], key: str) -> list[Any]:
    found = doc.get(key, [])
    if not isinstance(found, list):
        raise SchemaError(f"/{key}", "must be a list")
    return cast("list[Any]", found)


def check_keys(doc: Mapping[Any, Any], known: set[str], path: str) -> None:
    for key in doc:
        if not isinstance(key, str) or (key not in known and not key.startswith("x_")):
            raise SchemaError(f"{path}/{pointer(str(key))}", "is not known here; " + ", ".join(sorted(known)))


def pointer(name: str) -> str:
    """A name as one token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def check_name(name: object, path: str) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise SchemaError(path, f"must be 1 to {MAX_NAME} printable characters")


def check_pattern(pattern: object) -> None:
    try:
        re.compile(cast("str", pattern))
    except (re.error, TypeError) as error:
        raise SchemaError("/pattern", "is not a regular expression") from error


def strings(items: object, path: str) -> tuple[str, ...]:
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise SchemaError(path, "must be a list of texts")
    for i, item in enumerate(cast("Sequence[object]", items)):
        if not isinstance(item, str) or not item.strip() or not item.isprintable():
            raise SchemaError(f"{path}/{i}", "must be a printable text")
    found = tuple(cast("Sequence[str]", items))
    if len({f.casefold() for f in found}) != len(found):
        raise SchemaError(path, "names something twice")
    return found


def check_unique(names: list[str], path: str, key: str) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise SchemaError(f"{path}/{i}/{key}", "stands twice")


def check_text(text: object, path: str) -> None:
    if not isinstance(text, str):
        raise SchemaError(path, "must be text")
