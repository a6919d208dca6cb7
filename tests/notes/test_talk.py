"""What is noted after the caller's words: corrections, denials, answers, in three languages."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.notes.book import Notes
from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import DEFAULT_SCHEMA, MemorySchema, Slot
from tests.notes.talk import BOOKING, held, opened, say, talk, values

THURSDAY, FRIDAY, SATURDAY = "2026-12-03", "2026-12-04", "2026-12-05"

STATED: list[tuple[tuple[str | tuple[str, str], ...], dict[str, Any]]] = [
    # English
    (("my name is Anna Schmidt",), {"name": "Anna Schmidt"}),
    (("hi this is Bob Miller, I need a table for four on Thursday at 7 pm",),
     {"name": "Bob Miller", "date": THURSDAY, "time": "19:00", "party_size": 4}),
    (("you can call me Annie",), {"preferred_name": "Annie"}),
    (("I'm allergic to peanuts and shellfish",), {"allergies": ["peanuts", "shellfish"]}),
    (("I have a nut allergy",), {"allergies": ["nut"]}),
    (("I'm allergic to peanuts", "and also I'm allergic to soy"), {"allergies": ["peanuts", "soy"]}),
    (("Thursday please", "No, Friday not Thursday"), {"date": FRIDAY}),
    (("Thursday please", "actually, Friday"), {"date": FRIDAY}),
    (("Thursday please", "sorry, I meant Friday"), {"date": FRIDAY}),
    (("Thursday, no wait, Friday",), {"date": FRIDAY}),
    (("Thursday please", "can we make it Friday instead"), {"date": FRIDAY}),
    (("Thursday please", "let's change that to Friday"), {"date": FRIDAY}),
    (("a table for four people", "make that five"), {"party_size": 5}),
    (("a table for four people", "sorry, five people"), {"party_size": 5}),
    (("a table for four people", "no, I said five"), {"party_size": 5}),
    (("Thursday at 7 pm", "forget the time"), {"date": THURSDAY}),
    (("Thursday at 7 pm", "not Thursday"), {"time": "19:00"}),
    (("Thursday at 7 pm", "Thursday doesn't work"), {"time": "19:00"}),
    (("my wife and I on Friday",), {"date": FRIDAY, "party_size": 2}),
    (("2 adults 3 kids",), {"party_size": 5}),
    (("two adults, two teenagers and a baby",), {"party_size": 5}),
    (("four people, two adults and two kids",), {"party_size": 4}),
    (("two people and three kids",), {"party_size": 5}),
    (("at 7 pm", "let's keep eight o'clock after all"), {"time": "20:00"}),
    (("at 7 pm", ("Is six pm okay?", "no can we do nine")), {"time": "21:00"}),
    (("is six pm okay", "no can we do nine"), {"time": "21:00"}),
    ((("Is Friday okay?", "no, can we do Saturday"),), {"date": SATURDAY}),
    (("my last name is Smith, first name John",), {"name": "John Smith"}),
    (("my name is Anna, last name Schmidt",), {"name": "Anna Schmidt"}),
    ((("Please tell me your name.", "Maria Lopez"),), {"name": "Maria Lopez"}),
    (("my account number is double four oh nine two one",), {"account_number": "440921"}),
    (("it's anna at gmail dot com",), {"email": "anna@gmail.com"}),
    (("I prefer a window seat",), {"preferences": ["window seat"]}),
    ((("What's your name?", "Maria Lopez"),), {"name": "Maria Lopez"}),
    ((("What's your name?", "it's Maria"),), {"name": "Maria"}),
    ((("What is your name?", "why do you ask?"),), {}),
    ((("How many people?", "six"),), {"party_size": 6}),
    ((("Do you have any allergies?", "yes, sesame and eggs"),), {"allergies": ["sesame", "eggs"]}),
    ((("Do you have any allergies?", "no"),), {}),
    ((("Your name?", "Anna"), "this is Anna Schmidt speaking"), {"name": "Anna Schmidt"}),
    (("my name is Anna Schmidt", "Schmidt is my last name"), {"name": "Anna Schmidt"}),
    (("my last name is Schmidt",), {"name": "Schmidt"}),
    (("my name is Anna Smith, that's s m y t h",), {"name": "Anna Smyth"}),
    (("his name is Bobby",), {}),
    (("this is great",), {}),
    (("Same here!",), {}),
    (("a table under the name of Peter Pan",), {"name": "Peter Pan"}),
    (("I'd like to book a table for Peter Pan",), {"name": "Peter Pan"}),
    (("what is the weather in March",), {}),
    (("my address is 12 Long Lane",), {"place": "12 Long Lane"}),
    (("call me at oh two oh, seven nine four six, oh nine five eight",), {"phone": "02079460958"}),
    (("in half an hour",), {"time": "09:30"}),
    (("me, my wife and our two kids",), {"party_size": 4}),
    (("for one person, me",), {"party_size": 1}),
    (("I'm allergic to nuts and soy", "I'm not allergic to soy"), {"allergies": ["nuts"]}),
    (("I'm allergic to nuts and soy", "please remove the nuts"), {"allergies": ["soy"]}),
    (("hello, how are you",), {}),
    (("I'm looking for some information",), {}),
    (("is this the right number",), {}),
    (("I can't do Thursday",), {}),
    (("Thursday please", "I can't do Thursday any more"), {}),
    # German
    (("Donnerstag um sieben Uhr abends", "nein, lieber am Freitag"), {"date": FRIDAY, "time": "19:00"}),
    (("am Donnerstag", "nicht Donnerstag, sondern Freitag"), {"date": FRIDAY}),
    ((("Wie heißen Sie?", "Schmidt, bitte"),), {"name": "Schmidt"}),
    (("ich heiße Anna Schmidt, einen Tisch für vier Personen", "nein, fünf Personen"),
     {"name": "Anna Schmidt", "party_size": 5}),
    (("zwei Erwachsene drei Kinder",), {"party_size": 5}),
    (("am Donnerstag", "bleiben wir bei Freitag"), {"date": FRIDAY}),
    # French
    (("deux adultes et trois enfants",), {"party_size": 5}),
    (("je m'appelle Anne Dupont",), {"name": "Anne Dupont"}),
    (("une table pour quatre personnes jeudi", "non, plutôt vendredi"), {"date": FRIDAY, "party_size": 4}),
    (("je suis allergique aux noix",), {"allergies": ["noix"]}),
    # Spanish
    (("me llamo Ana García y quiero una mesa para cuatro personas el viernes",),
     {"name": "Ana García", "date": FRIDAY, "party_size": 4}),
    (("el jueves a las nueve de la noche", "no, mejor el viernes"), {"date": FRIDAY, "time": "21:00"}),
    (("soy alérgica a los cacahuetes y al marisco",), {"allergies": ["cacahuetes", "marisco"]}),
    (("llámame Pepe",), {"preferred_name": "Pepe"}),
    (("el jueves, perdón, el viernes",), {"date": FRIDAY}),
    (("dos adultos tres niños",), {"party_size": 5}),
    (("mi mujer y yo y nuestros tres hijos",), {"party_size": 5}),
    (("a las siete de la tarde", "dejémoslo en las ocho"), {"time": "20:00"}),
    ((("¿Le va bien a las seis de la tarde?", "no, a las nueve"),), {"time": "21:00"}),
    (("me apellido García y me llamo Ana",), {"name": "Ana García"}),
    # Chinese
    (("两个大人三个小孩",), {"party_size": 5}),
    (("两个大人带三个小孩，一共五个人",), {"party_size": 5}),
    (("四位，两个大人两个小孩",), {"party_size": 4}),
    (("我和我太太还有两个孩子",), {"party_size": 4}),
    (("晚上七点", "还是八点吧"), {"time": "20:00"}),
    (("晚上七点", "那就八点吧"), {"time": "20:00"}),
    (("周四下午三点", "那还是周五吧"), {"date": FRIDAY, "time": "15:00"}),
    ((("下午六点可以吗？", "不行，九点吧"),), {"time": "21:00"}),
    (("姓王叫王小红",), {"name": "王小红"}),
    (("我姓王，叫王小红",), {"name": "王小红"}),
    (("我姓王，名叫小红",), {"name": "王小红"}),
    (("我姓王，叫我小王就行",), {"name": "王", "preferred_name": "小王"}),
    (("我叫王小明，我想订周四晚上七点，四个人",),
     {"name": "王小明", "date": THURSDAY, "time": "19:00", "party_size": 4}),
    (("周四下午三点", "说错了，是周五"), {"date": FRIDAY, "time": "15:00"}),
    (("周四下午三点", "不是周四，是周五"), {"date": FRIDAY, "time": "15:00"}),
    (("周四下午三点", "改成四点"), {"date": THURSDAY, "time": "16:00"}),
    (("我对花生和海鲜过敏",), {"allergies": ["花生", "海鲜"]}),
    (("叫我小王",), {"preferred_name": "小王"}),
    (("我姓王",), {"name": "王"}),
    ((("请问您怎么称呼？", "王小明"),), {"name": "王小明"}),
    (("我是王小明",), {"name": "王小明"}),
    (("我是想订位子",), {}),
    (("我姓王", "我叫王小明"), {"name": "王小明"}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), STATED, ids=[str(line[0]) for line in STATED])
def test_default_schema(lines: tuple[str | tuple[str, str], ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines)) == expected


CHOSEN: list[tuple[tuple[str | tuple[str, str], ...], dict[str, Any]]] = [
    (("somewhere in the north",), {"area": "north"}),
    (("in the center please",), {"area": "centre"}),
    (("the northern part",), {"area": "north"}),
    (("the north", "how about the south"), {"area": "south"}),
    (("the north", "not the north"), {}),
    (("the north", "no, south"), {"area": "south"}),
    (("the north rather than the south",), {"area": "north"}),
    ((("Which area would you like?", "I don't mind"),), {"area": "any"}),
    ((("Which area would you like?", "anywhere"),), {"area": "any"}),
    (("any area",), {"area": "any"}),
    (("anything else",), {}),
    ((("You want the north, right?", "yes"),), {"area": "north"}),
    (("the south", ("You want the north, right?", "no, south")), {"area": "south"}),
    (("the north", ("You want the north, right?", "no")), {}),
    (("the north", "start over"), {}),
    (("I want flowers and a cake",), {"extras": ["flowers", "cake"]}),
    (("I want flowers and a cake", "no flowers"), {"extras": ["cake"]}),
    (("I want flowers and a cake", "I don't want the cake any more"), {"extras": ["flowers"]}),
    (("I want flowers and a cake", "leave out the cake"), {"extras": ["flowers"]}),
    (("I want flowers and a cake", "cancel the flowers please"), {"extras": ["cake"]}),
    (("I need parking",), {"parking": True}),
    (("we won't come by car, no parking",), {"parking": False}),
    ((("Do you need parking?", "yes please"),), {"parking": True}),
    ((("Do you need parking?", "no thanks"),), {"parking": False}),
    ((("Anything to note?", "no"),), {}),
    ((("Is there a note for the driver?", "ring the bell twice"),), {"note": "ring the bell twice"}),
    (("my account is 4 4 0 9 2 1",), {"account": "440921"}),
    (("my account is 4 4 0 9",), {}),
]


@pytest.mark.parametrize(("lines", "expected"), CHOSEN, ids=[str(line[0]) for line in CHOSEN])
def test_app_schema(lines: tuple[str | tuple[str, str], ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines, schema=BOOKING)) == expected


MOMENTS = MemorySchema((Slot("when", "datetime"), Slot("price", "money")))
AMENDED: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("Thursday at 3 pm", "no, make it 4 pm"), {"when": f"{THURSDAY}T16:00+00:00"}),
    (("Thursday at 3 pm", "sorry, Friday"), {"when": f"{FRIDAY}T15:00+00:00"}),
    (("Thursday", "at 3 pm, sorry"), {"when": f"{THURSDAY}T15:00"}),
    (("it costs 45 dollars", "no, 54"), {"price": 54}),
]


@pytest.mark.parametrize(("lines", "expected"), AMENDED)
def test_a_part_amends_the_whole(lines: tuple[str, ...], expected: dict[str, Any]) -> None:
    assert values(talk(*lines, schema=MOMENTS)) == expected


def test_a_range_fills_both_ends() -> None:
    stay = MemorySchema((Slot("check_in", "date"), Slot("check_out", "date")))
    told = talk("check in on Friday and check out on Saturday", schema=stay)
    assert values(told) == {"check_in": FRIDAY, "check_out": SATURDAY}
    assert all(h.confidence == "confirmed" for h in told.state.slots.values())
    bare = talk("from Friday to Saturday", schema=stay)
    assert values(bare) == {"check_in": FRIDAY, "check_out": SATURDAY}


NAMED = MemorySchema((Slot("name", "name"), Slot("code", "postcode")))


def test_attempts_add_up_and_a_correction_starts_anew() -> None:
    def said(notes: Notes, agent: str, *heard: str) -> Notes:
        return say(notes, heard[0], agent, nbest=(heard,))

    once = said(opened(NAMED, "Europe/London"), "What's your postcode?", "m one one a a", "n one one a a")
    twice = said(
        once, "Could you say the postcode again?", "n one one a a", "m one one a a", "m one one ay ay"
    )
    assert held(twice, "code").value in ("M1 1AA", "N1 1AA")
    assert len(twice.attempts["code"]) == 2
    anew = said(twice, "So your postcode is?", "no, s w one a one a a")
    assert held(anew, "code").value == "SW1A 1AA"


def test_the_apps_table_helps_to_hear() -> None:
    names = ["Maria Lopez", "Mario Lobos"]
    notes = opened(NAMED, candidates=lambda slot: names if slot == "name" else [])
    notes = say(
        notes, "maria lopes", "What's your name?", nbest=(("maria lopes", "mario lopes", "maria lopez"),)
    )
    assert held(notes, "name").value == "Maria Lopez"


UNSURE = [
    "maybe Friday would be better",
    "what about Friday",
    "I think Friday",
    "is Friday possible?",
    "Friday perhaps",
    "could be Friday",
]


@pytest.mark.parametrize("text", UNSURE)
def test_a_soft_change_of_mind_asks_and_names_both(text: str) -> None:
    notes = talk("Thursday please", text)
    assert (held(notes, "date").value, held(notes, "date").asked) == (THURSDAY, FRIDAY)
    (question,) = notes.state.questions
    assert THURSDAY in question
    assert FRIDAY in question


@pytest.mark.parametrize("text", UNSURE)
def test_an_unsure_value_alone_is_inferred(text: str) -> None:
    assert (held(talk(text), "date").value, held(talk(text), "date").confidence) == (FRIDAY, "inferred")


SETTLED = [
    ("Friday", FRIDAY),
    ("Thursday", THURSDAY),
    ("not Thursday", FRIDAY),
    ("not Friday", THURSDAY),
    ("No, Saturday", SATURDAY),
]


@pytest.mark.parametrize(("text", "expected"), SETTLED)
def test_the_answer_settles_the_question(text: str, expected: str) -> None:
    notes = say(talk("Thursday please", "maybe Friday"), text, "Thursday or Friday?")
    assert (held(notes, "date").value, held(notes, "date").asked) == (expected, None)
    assert held(notes, "date").confidence == "confirmed"
    assert notes.state.questions == ()


def test_a_rival_without_a_cue_asks_where_the_slot_asks_and_replaces_where_it_replaces() -> None:
    asks, replaces = (
        MemorySchema((Slot("day", "date", on_conflict=policy),)) for policy in ("ask", "replace")
    )
    assert held(talk("Thursday", "Friday", schema=asks), "day").asked == FRIDAY
    assert held(talk("Thursday", "Friday", schema=replaces), "day").value == FRIDAY


def test_a_question_about_nothing_is_not_answered_with_a_text() -> None:
    ours = NextStep("ask_slot", "required", slot="note")
    asked = say(opened(BOOKING), "that was it, thanks a lot", "Anything else?", asked=ours)
    assert values(asked) == {}
    told = say(opened(BOOKING), "ring twice", asked=ours)
    assert values(told) == {"note": "ring twice"}


@pytest.mark.parametrize("text", ["Thursday or Friday", "周四还是周五", "周四，还是周五"])
def test_alternatives_leave_the_question_open(text: str) -> None:
    notes = talk(text)
    assert (held(notes, "date").value, held(notes, "date").confidence) == (THURSDAY, "inferred")
    assert held(notes, "date").asked == FRIDAY


def test_repetition_is_one_value_seen_twice() -> None:
    once = talk("Thursday at seven pm")
    again = say(once, "yes, Thursday at seven pm")
    assert again.state.slots == once.state.slots
    assert again.changes == once.changes


def test_the_agents_words_set_nothing() -> None:
    notes = say(opened(DEFAULT_SCHEMA), "hmm", "So a table for four on Friday at eight pm?")
    assert values(notes) == {}


def test_a_read_back_in_other_words_is_confirmed_by_yes() -> None:
    notes = talk("maybe Thursday")
    assert held(notes, "date").confidence == "inferred"
    notes = say(notes, "yes", "So that is Thursday the third of December?")
    assert held(notes, "date").confidence == "confirmed"
    notes = say(talk("maybe Thursday"), "no", "So that is Thursday the third of December?")
    assert "date" not in notes.state.slots


def test_another_voice_changes_nothing_that_stands() -> None:
    notes = say(talk("Thursday"), "no, Friday", is_caller=False)
    assert values(notes) == {"date": THURSDAY}
    assert held(notes, "date").asked is None


def test_another_voice_alone_waits_for_a_yes() -> None:
    notes = say(opened(), "Friday", is_caller=False)
    assert held(notes, "date").confidence == "pending"


def test_a_low_trust_turn_may_ask_and_never_sets() -> None:
    alone = say(opened(), "Friday", trust="low")
    assert held(alone, "date").confidence == "pending"
    rival = say(talk("Thursday"), "no, Friday", trust="low")
    assert (held(rival, "date").value, held(rival, "date").asked) == (THURSDAY, FRIDAY)
    assert rival.state.questions != ()


def test_badly_heard_words_are_a_guess() -> None:
    notes = say(opened(), "Friday", confidence=0.2)
    assert held(notes, "date").confidence == "inferred"
    kept = say(talk("Thursday"), "Friday", confidence=0.2)
    assert held(kept, "date").value == THURSDAY


def test_said_twice_a_guess_is_sure() -> None:
    notes = say(say(opened(), "Friday", confidence=0.2), "Friday", confidence=0.2)
    assert held(notes, "date").confidence == "confirmed"


def test_a_change_reopens_what_depends_on_it() -> None:
    notes = talk("Thursday at 7 pm", "no, Friday", schema=BOOKING)
    assert values(notes) == {"day": FRIDAY, "time": "19:00"}
    assert held(notes, "time").confidence == "pending"
    together = talk("Thursday at 7 pm", "no, Friday at 8 pm", schema=BOOKING)
    assert held(together, "time").confidence == "confirmed"


def test_typed_words_are_sure() -> None:
    assert held(say(opened(), "Friday", source="typed", confidence=0.1), "date").confidence == "confirmed"


NOISY: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
    # What few alternatives hold counts where it was asked for, or anything was.
    ("", "Which area?", ("the mouth", "the south", "the south please", "the south"), {"area": "south"}),
    ("", "Which area?", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {"area": "south"}),
    ("", "How may I help you?", ("uh mouth please", "a mouse please", "uh south please"), {"area": "south"}),
    ("", "Shall I book it?", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {}),
    ("", "", ("the mouth", "a mouse", "the mouse", "the house", "the south"), {}),
    # Where a value stands, it takes more than that.
    ("the north please", "Which area?", ("the mouth", "a mouse", "the south"), {"area": "north"}),
    # What the agent said is not there may be given up.
    ("the north please", "Sorry, we have nothing in the north.", ("mouth", "uh", "south"), {"area": "south"}),
    ("the north please", "There are no tables in the north.", ("mouth", "uh", "south"), {"area": "south"}),
    ("the north please", "There are no tables in the north.", ("anywhere", "any wear"), {"area": "any"}),
    ("the north please", "There are no tables in the north.", ("thank you", "thanks"), {"area": "north"}),
    ("the north please", "The north is not cheap. All right?", ("mouth", "uh", "south"), {"area": "north"}),
    ("el norte", "No hay mesas en el norte.", ("la sur", "el sol", "el sur"), {"area": "south"}),
    ("北边", "北边没有了。", ("男变", "难", "南边"), {"area": "north"}),
    ("北边", "没有北边的位子。", ("男变", "难", "南边"), {"area": "south"}),
    # A "no" that only some alternatives hold denies nothing; one that most hold does.
    ("the north please", "", ("no no the north", "know the north", "the north"), {"area": "north"}),
    ("the north please", "", ("not the north", "not the nor", "not in the north", "the north"), {}),
]  # fmt: skip


SIDES = MemorySchema(
    (
        Slot(
            "area",
            values=["north", "south", "any"],
            synonyms={"north": ["el norte", "北边"], "south": ["el sur", "南边"]},
        ),
    )
)


@pytest.mark.parametrize(("before", "agent", "heard", "expected"), NOISY)
def test_alternatives_of_the_recogniser_vote(
    before: str, agent: str, heard: tuple[str, ...], expected: dict[str, Any]
) -> None:
    notes = say(opened(SIDES), before) if before else opened(SIDES)
    assert values(say(notes, heard[0], agent, nbest=(heard,))) == expected


def test_few_alternatives_are_a_best_guess_only() -> None:
    lone = ("the mouth", "a mouse", "the mouse", "the house", "the south")
    assert held(say(opened(BOOKING), lone[0], "Which area?", nbest=(lone,)), "area").confidence == "inferred"


NO_NORTH = "I'm sorry, we have no tables in the north."


@pytest.mark.parametrize(
    ("agent", "text", "confidence"),
    [
        (NO_NORTH, "how about what the old town", "pending"),
        ("I'm sorry, we have no tables in the centre.", "how about another what area", "pending"),
        ("The north is lovely.", "change the area to something else", "pending"),
        ("The north is lovely.", "another what something else", "confirmed"),
        (NO_NORTH, "thank you", "confirmed"),
        (NO_NORTH, "what about other times", "confirmed"),
        ("The north is lovely.", "how about what the old town", "confirmed"),
        ("I'm sorry, we have no tables in the centre.", "how about what the old town", "confirmed"),
    ],
)
def test_a_suggestion_not_caught_leaves_what_was_refused_in_doubt(
    agent: str, text: str, confidence: str
) -> None:
    notes = say(opened(BOOKING), "in the north please")
    assert held(say(notes, text, agent), "area").confidence == confidence
