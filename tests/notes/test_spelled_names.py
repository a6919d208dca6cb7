"""Names as they are spelled: the letters decide how the part that they spell is written."""

from __future__ import annotations

import pytest

from pipecat_memory.notes.lasting import lasting
from tests.notes.talk import held, opened, say, talk, values

SPELLED = [
    ("en", "my name is Dmitri", "D M I T R Y", "Dmitry"),
    ("en", "my name is Dmitri", "D-M-I-T-R-Y", "Dmitry"),
    ("en", "my name is Dmitri", "D, M, I, T, R, Y", "Dmitry"),
    ("en", "my name is Dmitri", "D. M. I. T. R. Y.", "Dmitry"),
    ("en", "my name is Dmitri", "it's spelled D M I T R Y", "Dmitry"),
    ("en", "my name is Dmitri", "D for delta M I T R Y", "Dmitry"),
    ("en", "my name is Dmitri", "delta mike india tango romeo yankee", "Dmitry"),
    ("en", "my name is Katherine Smith", "C A T H E R I N E", "Catherine Smith"),
    ("en", "my name is Anna Smith", "S M I double T", "Anna Smitt"),
    ("en", "my name is Dmitri Petrov", "D M I T R Y P E T R O F F", "Dmitry Petroff"),
    ("en", "my name is Ana Smith", "A N N A, S M Y T H", "Anna Smyth"),
    ("en", "my name is Jose", "J O S E with an accent", "José"),
    ("de", "mein Name ist Meier", "M E Y E R", "Meyer"),
    ("de", "mein Name ist Meier", "Martha Emil Ypsilon Emil Richard", "Meyer"),
    ("de", "ich heiße Anna Muller", "M U Umlaut doppel L E R", "Anna Müller"),
    ("de", "ich heiße Jürgen", "J U R G E N", "Jürgen"),
    ("de", "ich heiße Jurgen", "J Ü R G E N", "Jürgen"),
    ("es", "me llamo Jimena", "X I M E N A", "Ximena"),
    ("es", "me llamo Jimena", "equis i eme e ene a", "Ximena"),
    ("es", "me llamo Ana Peres", "pe e con acento erre e zeta", "Ana Pérez"),
    ("fr", "je m'appelle Zoé Lefebvre", "L E F È V R E", "Zoé Lefèvre"),
    ("fr", "je m'appelle Zoé Lefebvre", "l e f e accent grave v r e", "Zoé Lefèvre"),
    ("zh", "我叫 Dmitri", "D M I T R Y", "Dmitry"),
]
ASKS = {
    "en": "How do you spell that?",
    "de": "Wie schreibt man das?",
    "es": "¿Cómo se escribe?",
    "fr": "Comment ça s'écrit ?",
    "zh": "怎么拼写？",
}


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize(("language", "said", "letters", "name"), SPELLED)
def test_letters_decide(language: str, said: str, letters: str, name: str, asked: bool, tagged: bool) -> None:
    tag = language if tagged else None
    notes = say(opened(), said, turn=1, language=tag)
    notes = say(notes, letters, ASKS[language] if asked else "", turn=2, language=tag)
    assert held(notes, "name").value == name
    assert held(notes, "name").confidence == "confirmed"
    assert [fact.value for fact in lasting(notes)] == [name]


def test_letters_go_to_the_half_that_they_spell() -> None:
    notes = talk("my name is Dirk Meier")
    assert held(say(notes, "A L B R E C H T", "Could you spell your last name?"), "name").asked is None
    assert (
        held(say(notes, "A L B R E C H T", "Could you spell your last name?"), "name").value
        == "Dirk Albrecht"
    )
    assert held(say(notes, "D I R C", "And your first name, spelled?"), "name").value == "Dirc Meier"
    spelled = talk(("What's your last name?", "M E Y E R"), ("And your first name?", "D I R K"))
    assert values(spelled) == {"name": "Dirk Meyer"}


@pytest.mark.parametrize(
    "text", ["I'm from the U S A", "my postcode is N A N 2 A", "we saw it on T V", "it arrives at 5 P M"]
)
def test_letters_of_something_else_change_no_name(text: str) -> None:
    assert held(talk("my name is Ursula Tvardovsky", text), "name").value == "Ursula Tvardovsky"
