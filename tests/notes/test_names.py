"""Names: taken as they were said, joined from their halves, written as they are spelled."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipecat_memory.notes.fusion import Attempt, fuse
from pipecat_memory.notes.lasting import lasting
from pipecat_memory.notes.whole_name import sounds_like
from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import AT, held, opened, say, talk, values

SAID_TWICE = [
    ("en", "my name is Mario", "Mario?", "Mario"),
    ("en", "my name is Anouk", "Sorry, your name?", "Anouk"),
    ("en", "my name is Li Wei", "What was your name?", "Li Wei"),
    ("de", "mein Name ist Jürgen", "Wie war Ihr Name?", "Jürgen"),
    ("es", "me llamo Lucía", "¿Su nombre?", "Lucía"),
    ("fr", "je m'appelle Zoé", "Votre nom ?", "Zoé"),
    ("zh", "我叫王小明", "请问您叫什么名字？", "王小明"),
]


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize(("language", "first", "agent", "name"), SAID_TWICE)
def test_a_name_said_twice_is_that_name(
    language: str, first: str, agent: str, name: str, tagged: bool
) -> None:
    tag = language if tagged else None
    notes = say(say(opened(), first, turn=1, language=tag), name, agent, turn=2, language=tag)
    assert held(notes, "name").value == name
    assert held(notes, "name").confidence == "confirmed"
    assert held(notes, "name").asked is None


_words = st.sampled_from(
    ["Wren", "Okafor", "mary", "ann", "Jürgen", "o", "Leary", "s", "m", "y", "t", "h", "Bo"]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.lists(st.lists(_words, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_every_part_of_a_fused_name_was_said_or_spelled(heard: list[list[str]]) -> None:
    found = fuse("name", [Attempt(tuple(texts)) for texts in heard], at=AT, language="en")
    said = [_squeezed(text) for texts in heard for text in texts]
    for part in str(found.value).split() if found else []:
        assert any(_squeezed(part) in text for text in said)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'’]", "", text).casefold()


HALVES = [
    ("en", ["my first name is Anna", "my last name is Lindqvist"], "Anna Lindqvist"),
    ("en", ["my last name is Lindqvist", "my first name is Anna"], "Anna Lindqvist"),
    ("en", ["my name is Anna", "my last name is Lindqvist"], "Anna Lindqvist"),
    ("en", [("What's your name?", "Saoirse"), ("And your last name?", "Murphy")], "Saoirse Murphy"),
    ("en", [("Your last name?", "Murphy"), ("And your first name?", "Saoirse")], "Saoirse Murphy"),
    ("en", [("Your first and last name?", "Anna Lindqvist")], "Anna Lindqvist"),
    ("en", [("What's your name?", "Wren"), ("Your full name?", "Wren Okafor")], "Wren Okafor"),
    ("de", ["mein Vorname ist Anna", "mein Nachname ist Lindqvist"], "Anna Lindqvist"),
    ("de", [("Wie ist Ihr Nachname?", "Lindqvist"), ("Und Ihr Vorname?", "Anna")], "Anna Lindqvist"),
    ("de", [("Ihr Vor- und Nachname?", "Anna Lindqvist")], "Anna Lindqvist"),
    ("es", ["mi apellido es Ruiz", "me llamo Ana"], "Ana Ruiz"),
    ("es", [("¿Su nombre?", "Ana"), ("¿Y su apellido?", "Ruiz")], "Ana Ruiz"),
    ("fr", ["mon prénom est Zoé", "mon nom de famille est Lefèvre"], "Zoé Lefèvre"),
    ("fr", [("Votre prénom ?", "Zoé"), ("Votre nom de famille ?", "Lefèvre")], "Zoé Lefèvre"),
    ("zh", [("您贵姓？", "王"), ("您的名字是？", "小明")], "王小明"),
    ("zh", ["我姓王", "我名叫小明"], "王小明"),
]


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize(("language", "lines", "name"), HALVES)
def test_the_halves_of_a_name_join(
    language: str, lines: list[str | tuple[str, str]], name: str, tagged: bool
) -> None:
    notes = opened()
    for turn, line in enumerate(lines, 1):
        agent, text = line if isinstance(line, tuple) else ("", line)
        notes = say(notes, text, agent, turn=turn, language=language if tagged else None)
    assert values(notes) == {"name": name}
    assert held(notes, "name").confidence == "confirmed"
    (fact,) = lasting(notes)
    assert (fact.key, fact.value) == ("name", name)
    assert name.split()[-1][-1] in fact.quote or name.split()[0] in fact.quote


def test_half_a_name_is_a_guess_and_no_whole_name() -> None:
    notes = talk("my last name is Schmidt")
    assert held(notes, "name").confidence == "inferred"
    assert [(fact.key, fact.value) for fact in lasting(notes)] == [("last_name", "Schmidt")]


def test_a_half_said_otherwise_is_asked_and_corrected_by_a_no() -> None:
    first = talk("my name is Anna Schmidt")
    assert held(say(first, "my last name is Schmitt"), "name").asked == "Anna Schmitt"
    assert held(say(first, "no, my last name is Schmitt"), "name").value == "Anna Schmitt"
    half = talk("my last name is Schmidt")
    assert held(say(half, "no, my last name is Schmitt"), "name").value == "Schmitt"


def test_slots_of_their_own_take_their_halves() -> None:
    schema = MemorySchema((Slot("first_name", "name"), Slot("last_name", "name")))
    notes = talk(("Your last name?", "Lindqvist"), ("And your first name?", "Anna"), schema=schema)
    assert values(notes) == {"first_name": "Anna", "last_name": "Lindqvist"}


def test_the_half_that_was_named_of_two_in_question_settles_it() -> None:
    notes = talk("my name is Priya Nair", "my name is Priya Nayar")
    notes = say(notes, "Nayar", "Nair or Nayar?", asked=NextStep("confirm", "two_values", slot="name"))
    assert held(notes, "name").value == "Priya Nayar"
    assert held(notes, "name").asked is None


KNOWN = {"name": "Siobhan Ngata"}


@pytest.mark.parametrize("agent", ["Your name please?", "How can I help?"])
def test_a_hearing_of_the_known_name_is_asked_and_supersedes_nothing(agent: str) -> None:
    notes = talk((agent, "my name is Shivonne Nagata"), profile=KNOWN)
    assert held(notes, "name").value == "Siobhan Ngata"
    assert held(notes, "name").asked == "Shivonne Nagata"
    assert held(notes, "name").confidence == "inferred"
    assert lasting(notes) == []


@pytest.mark.parametrize(
    ("agent", "text"), [("Your last name please?", "Ngata"), ("Your first name?", "Siobhan")]
)
def test_a_part_of_the_known_name_is_that_name(agent: str, text: str) -> None:
    notes = talk((agent, text), profile=KNOWN)
    assert values(notes) == {"name": "Siobhan Ngata"}
    assert lasting(notes) == []


def test_the_other_half_completes_the_known_one() -> None:
    notes = talk(("Your last name please?", "Ngata"), profile={"name": "Siobhan"})
    assert values(notes) == {"name": "Siobhan Ngata"}
    assert [fact.value for fact in lasting(notes)] == ["Siobhan Ngata"]


def test_a_new_last_name_keeps_the_known_first_one() -> None:
    notes = talk("no, my last name is Bianchi now", profile=KNOWN)
    assert values(notes) == {"name": "Siobhan Bianchi"}
    assert [fact.value for fact in lasting(notes)] == ["Siobhan Bianchi"]


def test_another_name_than_the_known_one_is_taken_as_said() -> None:
    notes = talk(("Your name please?", "Giulia Bianchi"), profile=KNOWN)
    assert values(notes) == {"name": "Giulia Bianchi"}


def test_names_sound_alike_part_by_part() -> None:
    assert sounds_like("Siobhan Ngata", "Shivonne Nagata")
    assert not sounds_like("Mario Rossi", "Giulia Rossi")
    assert not sounds_like("Mario Rossi", "Mario")


def test_no_fact_on_a_name_that_only_the_apps_table_holds() -> None:
    names = ["Maria Lopez"]
    notes = opened(candidates=lambda slot: names if slot == "name" else [])
    notes = say(notes, "Marya Lopes", "What's your name?", nbest=(("Marya Lopes", "Marya Lopis"),))
    assert held(notes, "name").value == "Maria Lopez"
    assert lasting(notes) == []


def test_the_quote_of_a_name_is_the_hearing_that_holds_it() -> None:
    notes = opened(candidates=lambda slot: ["Maria Lopez"] if slot == "name" else [])
    heard = (("maria lopes", "mario lopes", "maria lopez"),)
    notes = say(notes, "maria lopes", "What's your name?", nbest=heard)
    assert [(fact.value, fact.quote) for fact in lasting(notes)] == [("Maria Lopez", "maria lopez")]


NO_NAMES = [
    ("en", ["I'm Dutch", "I am Diabetic", "I'm Type 2 diabetic", "This is Mary's husband", "I'm Irish"]),
    ("en", ["I'm Gluten Free", "I'm Canadian", "I'm Retired", "my name's misspelled", "im dutch"]),
    ("de", ["ich bin Arzt", "ich bin Vegetarierin", "ich bin Linkshänder", "ich bin Deutscher"]),
    ("es", ["soy médico", "Soy Española", "soy vegetariano", "soy de Madrid"]),
    ("fr", ["je suis médecin", "je suis Française", "je suis Diabétique", "je suis végétarien"]),
    ("zh", ["我是素食者", "我是医生", "我是新客户", "我是北京人", "我是高级会员", "我是常客", "我是老师"]),
]


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in NO_NAMES for text in texts])
def test_what_somebody_is_is_no_name(language: str, text: str, tagged: bool) -> None:
    notes = say(opened(), text, language=language if tagged else None)
    assert values(notes) == {}


WEAKLY = [
    ("en", "Hi, I'm Saoirse", "Saoirse"),
    ("en", "I'm Priya Nair, a table please", "Priya Nair"),
    ("en", "this is Jordan from the workshop", "Jordan"),
    ("de", "ich bin Anna Schmidt", "Anna Schmidt"),
    ("de", "hier ist Schmidt", "Schmidt"),
    ("es", "soy Íñigo", "Íñigo"),
    ("fr", "c'est Zoé à l'appareil", "Zoé"),
    ("zh", "我是王小明想订位", "王小明"),
    ("zh", "我是欧阳娜娜", "欧阳娜娜"),
]


@pytest.mark.parametrize("tagged", [True, False])
@pytest.mark.parametrize(("language", "text", "name"), WEAKLY)
def test_who_somebody_is_is_a_name(language: str, text: str, name: str, tagged: bool) -> None:
    assert held(say(opened(), text, language=language if tagged else None), "name").value == name


UNTAGGED = [
    ("me llamo Ana Ruiz", "name", "Ana Ruiz"),
    ("hola, me llamo Ana Ruiz", "name", "Ana Ruiz"),
    ("llámame Pepe", "preferred_name", "Pepe"),
    ("ich heiße Jürgen Groß", "name", "Jürgen Groß"),
    ("nennen Sie mich Tom", "preferred_name", "Tom"),
    ("je m'appelle Zoé Lefèvre", "name", "Zoé Lefèvre"),
    ("appelez-moi Zo", "preferred_name", "Zo"),
    ("my name is Ana Ruiz", "name", "Ana Ruiz"),
    ("我叫王小明", "name", "王小明"),
]


@pytest.mark.parametrize(("text", "slot", "name"), UNTAGGED)
def test_the_words_tell_the_language(text: str, slot: str, name: str) -> None:
    assert values(say(opened(), text)) == {slot: name}


AMENDED = [
    ("en", "my name is Anna", "", "it's Hannah actually", "Hannah"),
    ("en", "my name is Anna", "", "no, it's Hannah", "Hannah"),
    ("en", "my name is Anna Rossi", "", "it's Hannah actually", "Hannah Rossi"),
    ("en", "my name is Mike", "Thanks, Mike.", "sorry, it's Hannah", "Hannah"),
    ("en", "my name is Anna", "", "my name's misspelled, it should be Zoë", "Zoë"),
    ("en", "my name is Anna", "", "it's Thursday actually", "Anna"),
    ("en", "my name is Anna", "", "actually Austin", "Anna"),
    ("de", "ich heiße Anna", "", "nein, es ist Hanna", "Hanna"),
    ("es", "me llamo Ana", "", "no, es Hanna", "Hanna"),
    ("fr", "je m'appelle Anna", "", "non, c'est Hannah", "Hannah"),
    ("zh", "我叫王小明", "", "不对，是王晓明", "王晓明"),
    ("en", "my name is anna smith", "", "no it's schmidt not smith", "anna schmidt"),
    ("en", "my name is anna smith", "", "no it's joan not anna", "joan smith"),
]


@pytest.mark.parametrize(("language", "first", "agent", "then", "name"), AMENDED)
def test_a_name_put_right_without_the_word_for_it(
    language: str, first: str, agent: str, then: str, name: str
) -> None:
    notes = say(say(opened(), first, turn=1, language=language), then, agent, turn=2, language=language)
    assert held(notes, "name").value == name
    assert held(notes, "name").asked is None
