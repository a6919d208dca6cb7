"""A turn that only asks that something be forgotten, in the words people use."""

from __future__ import annotations

import pytest

from pipecat_memory.ledger.forgetting import only_asks_to_forget

ASKS = [
    "Please forget what I just said.",
    "forget that",
    "Oh, sorry, forget that please.",
    "Could you please delete what I told you?",
    "Scratch that.",
    "Don't remember that.",
    "please do not write that down",
    "I want you to forget everything I just said.",
    "Erase my last sentence from your memory, thank you.",
    "No wait, forget it.",
    "Olvida lo que acabo de decir, por favor.",
    "bórralo",
    "Bitte vergessen Sie, was ich gerade gesagt habe.",
    "Kannst du das bitte löschen?",
    "Oubliez ce que je viens de dire, s'il vous plaît.",
    "dimentica quello che ho appena detto",
    "por favor, esqueça o que eu disse",
    "请忘掉我刚才说的话。",
    "把我刚才说的删了吧",
    "别记住这个",
]
SAYS_MORE = [
    "My code is 4471, forget that.",
    "I'm allergic to walnuts, forget what I said",
    "forget that, let's make it Friday",
    "don't forget that",
    "please don't forget what I just said",
    "I forgot my password",
    "remember that please",
    "forget Paris",
    "what did I just say",
    "No.",
    "vergessen Sie nicht, was ich gesagt habe" + " am Freitag",
    "别忘了",
    "我叫小明，忘了吧",
    "",
]


@pytest.mark.parametrize("text", ASKS)
def test_asks(text: str) -> None:
    assert only_asks_to_forget(text)


@pytest.mark.parametrize("text", SAYS_MORE)
def test_says_more(text: str) -> None:
    assert not only_asks_to_forget(text)
