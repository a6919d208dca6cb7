"""Ids as a store sees them: whatever a carrier or an app gives, as ASCII that injects nothing."""

from __future__ import annotations

from urllib.parse import quote, unquote


def to_id(text: str) -> str:
    """Any text as printable ASCII without spaces or braces, one to one."""
    return quote(text, safe="!$&'()*+,/:;=?@", errors="surrogatepass")


def from_id(id: str) -> str:
    """The text of an id made by `to_id`."""
    return unquote(id, errors="surrogatepass")
