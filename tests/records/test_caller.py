"""Who a caller id names, and which ones name nobody."""

from __future__ import annotations

import pytest

from pipecat_memory import Caller

HIDDEN = """
anonymous|Anonymous|ANONYMOUS|unknown|Unknown Caller|Unknown Number|unknown name|restricted|Restricted Number
restricted_number|private|Private Number|Private Caller|PRIVATE NAME|unavailable|Caller ID Unavailable
withheld|Number Withheld|Withheld by caller|blocked|Blocked Caller|Blocked Number|Hidden|No Caller ID
NoCallerID|no number|Not Available|Out Of Area|N/A|null|None|undefined|-|?|+|0|0000000000|+00000000000
+266696687|00266696687|+7378742833|+86282452253|+8566696|+2562533
anonymous@anonymous.invalid|sip:anonymous@anonymous.invalid|sips:anonymous@anonymous.invalid
sip:anonymous@192.0.2.7|sip:anonymous@carrier.example:5060;transport=udp|SIP:Anonymous@Carrier.Example
"Anonymous" <sip:anonymous@anonymous.invalid>;tag=9f|<sip:restricted@192.0.2.7>|"" <sip:@192.0.2.7>
sip:7f3a@anonymous.invalid|sip:unavailable@unknown.invalid|sip:x@invalid|sip:Unknown%20Caller@192.0.2.7
sip:@192.0.2.7|sip:192.0.2.7|sip:gw.carrier.example:5060|sip:|tel:anonymous|sip:+266696687@192.0.2.7
Anonym|Unbekannt|Nummer unterdrückt|Número oculto|Desconocido|Privado|Numéro masqué|Inconnu|Sconosciuto
匿名|未知号码|隐藏号码|私人号码|无来电显示|匿名来电|非通知
""".replace("\n", "|").strip("|").split("|")  # fmt: skip

NAMED = {
    "+15551230001": "+15551230001",
    "+1 (555) 123-0001": "+15551230001",
    "+77787428330": "+77787428330",
    "2562533": "2562533",
    "7378742833": "7378742833",
    "266696687": "266696687",
    "sip:alice@carrier.example": "sip:alice@carrier.example",
    "sip:+15551230001@carrier.example": "sip:+15551230001@carrier.example",
    "anonymous-42": "anonymous-42",
    "unknown soldier": "unknown soldier",
    "private.ryan@firm.example": "private.ryan@firm.example",
    "user": "user",
    "id 7": "id 7",
    "101": "101",
    "匿名42": "匿名42",
}


@pytest.mark.parametrize("written", ["", "  ", *HIDDEN])
def test_a_hidden_caller_is_nobody_however_the_carrier_writes_it(written: str) -> None:
    assert Caller.phone(written) == Caller.nobody()
    assert Caller.account(written) == Caller.nobody()


@pytest.mark.parametrize(("written", "id"), NAMED.items())
def test_what_names_somebody_is_kept(written: str, id: str) -> None:
    assert Caller.phone(written).id == id
    assert Caller.account(written).id == written
