"""How a name is written: particles, titles, a letter told of it, Chinese surnames by their parts."""

from __future__ import annotations

import pytest

from tests.notes.talk import Line, held, talk, values

SAID: list[tuple[Line, str | None]] = [
    # Particles belong to the name.
    ("me llamo juan de la cruz", "juan de la cruz"),
    ("me llamo Juan de la Cruz", "Juan de la Cruz"),
    ("je m'appelle jean de la fontaine", "jean de la fontaine"),
    ("mein name ist ludwig van beethoven", "ludwig van beethoven"),
    ("my name is maria de la cruz", "maria de la cruz"),
    ("me llamo ana de la empresa", "ana"),
    ("soy Juan de la oficina", "Juan"),
    ("it's mr brown here", "brown"),
    # A letter told of it.
    (("What is your first name?", "katherine with a k"), "katherine"),
    (("What is your first name?", "katherine with a c"), "catherine"),
    (("Your name?", "Katherine with a C"), "Catherine"),
    (("Your name?", "my name is anna smith with a y"), "anna smyth"),
    (("¿Cómo se llama?", "me llamo catia con k"), "katia"),
    (("Wie heißen Sie?", "meier mit y"), "meyer"),
    (("Votre nom ?", "dupont avec un d"), "dupont"),
    # A Chinese surname told by its parts.
    (("请问您贵姓？", "弓长张"), "张"),
    (("请问您贵姓？", "木子李"), "李"),
    ("我姓王三横王", "王"),
    ("我姓章立早章", "章"),
    ("我先生姓李", None),
]


@pytest.mark.parametrize(("line", "expected"), SAID)
def test_a_name_as_it_is_told(line: Line, expected: str | None) -> None:
    assert values(talk(line)).get("name") == expected


@pytest.mark.parametrize("answer", ["sara with an h", "schmid mit dt"])
def test_a_letter_that_is_not_found_in_the_name_leaves_it_unsure(answer: str) -> None:
    agent = "Wie heißen Sie?" if "mit" in answer else "What is your name?"
    told = held(talk((agent, answer)), "name")
    assert (told.value, told.confidence) == (answer.split()[0], "inferred")
