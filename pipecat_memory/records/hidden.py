"""Caller ids that name nobody: how networks and carriers write a number that is not told."""

from __future__ import annotations

import re
import string
from urllib.parse import unquote

HIDING = frozenset(
    "anonymous unknown restricted private unavailable withheld blocked hidden suppressed undisclosed "
    "none null undefined "
    "anonym unbekannt unterdrückt privat anonyme inconnu masqué privé "
    "anónimo desconocido oculto privado anonimo sconosciuto nascosto privato".split()
)
"""Words that say that somebody calls who is not to be named. `null` and the like are what a program
writes where no number came."""

AROUND = frozenset(
    "caller callers call calls number num no id ids name user line party phone cid clid the is by "
    "nummer rufnummer anruf anrufer teilnehmer numéro appel appelant número llamada numero chiamata".split()
)
"""Words that only say what is hidden ("private number", "number withheld"); no name by themselves."""

WHOLE = frozenset(
    (
        "nocallerid", "nonumber", "nocid", "noclid", "numbernotavailable", "notavailable", "outofarea",
        "notprovided", "notdisclosed", "keinenummer", "sinnúmero", "sinnumero",
    )
)  # fmt: skip
"""What says it only as a whole, without its blanks and marks."""

HAN = re.compile(
    "(匿名|未知|不明|隐藏|隱藏|私人|无号码|無號碼|无来电显示|無來電顯示|未显示|未顯示|非通知)"
    "(号码|號碼|来电|來電|电话|電話|用户|用戶|呼叫)*"
)
"""The same in Chinese and Japanese."""

KEYPAD = re.compile(r"(?:\+|00)(?:266696687|7378742833|86282452253|8566696|2562533|7748283|94844353)")
"""ANONYMOUS, RESTRICTED, UNAVAILABLE, UNKNOWN, BLOCKED, PRIVATE, WITHHELD, spelled on a keypad: what
carriers give that can write digits only. No country has such a number."""

_ANGLED = re.compile(r"<([^<>]*)>")
_URI = re.compile(r"(sips?|tel):(.*)", re.DOTALL)
_NO_WORD = re.compile(r"[\W_]+")
_MARKS = string.punctuation + string.whitespace
_NUMBER = re.compile(r"\+?[\d\s()./-]+")
_NOWHERE = re.compile(r"(?:.*\.)?invalid(?::\d+)?")
"""A host that is none (RFC 2606): SIP hides callers under it, `anonymous.invalid` (RFC 3323)."""


def is_hidden(caller: str) -> bool:
    """Whether a caller id names nobody, in any case and as a bare word, a number or a SIP address.

    Args:
        caller: as the network gives it. An id of the app's own that only holds such a word
            (`anonymous-42`) names somebody.
    """
    text = caller.strip().casefold()
    angled = _ANGLED.search(text)
    uri = _URI.fullmatch(angled.group(1) if angled else text)
    address = (uri.group(2) if uri else text).partition(";")[0]
    user, at, host = address.rpartition("@")
    if not at:
        # A SIP address without a user is that of a machine.
        return (uri is not None and "." in address) or _names_nobody(address)
    return _NOWHERE.fullmatch(host) is not None or _names_nobody(unquote(user))


def _names_nobody(text: str) -> bool:
    if _NUMBER.fullmatch(text):
        number = "".join(mark for mark in text if mark.isdigit() or mark == "+")
        return KEYPAD.fullmatch(number) is not None or not number.strip("+0")
    words = _NO_WORD.sub(" ", text).split()
    whole = "".join(words)
    if not text.strip(_MARKS) or text == "n/a" or whole in WHOLE or HAN.fullmatch(whole):
        return True
    return any(word in HIDING for word in words) and all(word in HIDING or word in AROUND for word in words)
