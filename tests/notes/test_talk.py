"""What is noted after the caller's words: corrections, denials, answers, in three languages."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.records.schema import MemorySchema, Slot
from tests.notes.talk import BOOKING, talk, values

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
    (("Thursday", "at 3 pm, sorry"), {"when": f"{THURSDAY}T15:00+00:00"}),
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
