"""What of a model's answer stands: the table, and what the table can't say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.errors import ModelAnswerBad
from pipecat_memory.records.schema import FactRule, MemorySchema, Slot
from pipecat_memory.records.turn import Segment, Turn
from pipecat_memory.writing.reconcile import reconcile

from .answer_table import ROWS, Row
from .scene import AT, fact, history, judged, turn_of


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_what_stands_of_an_answer(row: Row) -> None:
    turn = turn_of(row.said, language=row.language)
    (result,) = judged(turn, row.answer, before=row.before, timezone=row.timezone)
    assert [(claim.key, claim.value) for claim in result.claims] == row.right
    assert bool(result.rejected) == (not row.right or row.refused is not None)
    if row.refused is not None:
        assert set(result.refused) == {row.refused}
    for claim in result.claims:
        assert claim.quote
        assert claim.quote in row.said


def test_a_quote_may_have_been_cleaned() -> None:
    turn = turn_of("so I um live in in uh Lyon now you know")
    (result,) = judged(turn, [fact("home_city", "Lyon", "I live in Lyon now")])
    assert [claim.quote for claim in result.claims] == ["I um live in in uh Lyon now"]


def test_a_quote_may_stand_in_another_hearing() -> None:
    turn = turn_of("my name is Shavon Garter", nbest=("my name is Shavon Garter", "my name is Siobhan Ngata"))
    (result,) = judged(turn, [fact("name", "Siobhan Ngata", "my name is Siobhan Ngata")])
    assert [claim.value for claim in result.claims] == ["Siobhan Ngata"]


def test_one_word_in_five_may_be_heard_otherwise() -> None:
    turn = turn_of("i want to be called on my mobile phone in Leeds")
    kept = judged(turn, [fact("home_city", "Leeds", "I want to be called on my mobyle phone in Leeds")])
    assert len(kept[0].claims) == 1
    made_up = judged(turn, [fact("home_city", "Leeds", "I own a big house with ten rooms in Leeds")])
    assert not made_up[0].claims


def test_a_quote_of_two_words_needs_both() -> None:
    turn = turn_of("I really like it in Leeds")
    (result,) = judged(turn, [fact("home_city", "Leeds", "near Leeds")])
    assert not result.claims


def test_promoted_words_are_no_proof() -> None:
    turn = turn_of("it's Wren", trust="low", promoted=True)
    (result,) = judged(turn, [fact("name", "Wren", "it's Wren")])
    assert not result.claims
    assert result.refused == {"no_quote": 1}


@pytest.mark.parametrize(
    ("said", "answer", "explicit"),
    [
        ("I live in Lyon", fact("home_city", "Lyon", "I live in Lyon"), True),
        ("maybe I'll take the gold plan", fact("plan", "gold", "take the gold plan"), False),
        ("I think my plan is gold", fact("plan", "gold", "my plan is gold"), False),
        ("I'm booked for Friday, right?", fact("day", "Friday", "booked for Friday"), False),
        ("I live in Lyon", fact("home_city", "Lyon", "I live in Lyon", explicit=False), False),
        ("ich glaube ich wohne in Zone zwei", fact("zone", "zwei", "in Zone zwei", text="Zone zwei"), False),
        ("quizás me mude a Sevilla", fact("home_city", "Sevilla", "me mude a Sevilla"), False),
    ],
)
def test_a_doubt_is_kept_as_a_doubt(said: str, answer: dict[str, object], explicit: bool) -> None:
    (result,) = judged(turn_of(said), [answer])
    assert [claim.explicit for claim in result.claims] == [explicit]


@pytest.mark.parametrize(
    ("said", "explicit"),
    [
        ("I ate peanuts yesterday", False),
        ("I'm not allergic to peanuts any more", True),
        ("maybe no peanuts", False),
    ],
)
def test_a_retraction_without_any_word_of_it_is_a_doubt(said: str, explicit: bool) -> None:
    (result,) = judged(turn_of(said), [fact("allergy", "peanuts", said, op="retract")])
    assert [claim.explicit for claim in result.claims] == [explicit]


def test_what_points_back_is_taken_from_the_callers_last_turns_and_marked() -> None:
    before = history(("user", "my brother lives at 5 Elm Road"), ("assistant", "Noted."))
    (result,) = judged(
        turn_of("I live there too"), [fact("address", "5 Elm Road", "I live there too")], before=before
    )
    assert [(claim.value, claim.explicit) for claim in result.claims] == [("5 Elm Road", False)]
    agents = history(("assistant", "He lives at 5 Elm Road."))
    (result,) = judged(
        turn_of("I live there too"), [fact("address", "5 Elm Road", "I live there too")], before=agents
    )
    assert not result.claims


def test_the_second_voice_waits_and_is_named() -> None:
    segments = (
        Segment("I'm diabetic", 20.0, speaker="0"),
        Segment("and I hate fish", 21.0, speaker="1"),
    )
    turn = Turn(2, "k2", "I'm diabetic and I hate fish", 20.0, segments)
    answer = [fact("condition", "diabetic", "I'm diabetic"), fact("dislikes", "fish", "I hate fish")]
    (result,) = judged(turn, answer, caller_voice="0")
    assert [(c.value, c.speaker, c.pending) for c in result.claims] == [
        ("diabetic", "0", False),
        ("fish", "1", True),
    ]


def test_with_unsure_labels_everything_waits() -> None:
    (result,) = judged(
        turn_of("I hate fish", speaker="0"), [fact("dislikes", "fish", "I hate fish")], labels_sure=False
    )
    assert [claim.pending for claim in result.claims] == [True]


def test_a_closed_schema_rejects_and_counts() -> None:
    schema = MemorySchema(
        facts=(FactRule("plan", values=("gold", "basic"), kind="contract", sensitive=True),)
    )
    answer = [
        fact("plan", "gold", "I'm on the gold plan"),
        fact("hobby", "chess", "I play chess"),
        fact("plan", "silver", "the silver plan"),
    ]
    turn = turn_of("I'm on the gold plan and I play chess and I had the silver plan")
    (result,) = judged(turn, answer, schema=schema)
    assert [(c.value, c.kind, c.sensitive) for c in result.claims] == [("gold", "contract", True)]
    assert result.refused == {"schema": 2}


def test_what_is_secret_in_the_apps_schema_is_never_a_fact() -> None:
    schema = MemorySchema(slots=(Slot("safe_word", secret=True),))
    (result,) = judged(
        turn_of("it is bluebird"), [fact("safe_word", "bluebird", "it is bluebird")], schema=schema
    )
    assert result.refused == {"secret": 1}


def test_a_claim_says_where_when_and_how() -> None:
    turn = turn_of("I'm allergic to nuts", language="en-GB")
    answer = [fact("allergy", "nuts", "I'm allergic to nuts", text="Is allergic to nuts", importance=9)]
    (result,) = judged(turn, answer, strength=2, line="dental")
    (claim,) = result.claims
    assert (claim.call, claim.turn, claim.at) == ("c", 2, "2026-03-02T10:00:20+00:00")
    assert (claim.kind, claim.importance, claim.language) == ("constraint", 0.9, "en-GB")
    assert (claim.strength, claim.line, claim.sensitive) == (2, "dental", True)
    assert repr(claim) == "<Claim c/2/0>"


def test_who_a_named_person_is_stands_as_a_relation() -> None:
    (result,) = judged(turn_of("my sister Ines will come"), [fact("sister", "Ines", "my sister Ines")])
    assert result.claims[0].relations == (("sister", "Ines"),)


def test_a_fact_about_somebody_else_is_filed_as_such() -> None:
    said = "my brother can't eat walnuts"
    (result,) = judged(turn_of(said), [fact("allergy", "walnuts", said, subject="brother")])
    assert [(claim.kind, claim.subject) for claim in result.claims] == [("person", "other: brother")]


def test_relative_days_rot_in_no_text() -> None:
    answer = [
        fact("flight", "2026-03-03T07:00", "my flight is tomorrow at 7", text="The flight is tomorrow at 7")
    ]
    (result,) = judged(turn_of("my flight is tomorrow at 7"), answer, timezone="Europe/Lisbon")
    (claim,) = result.claims
    assert claim.text == "The flight is 2026-03-03 07:00"
    assert claim.valid_to == "2026-03-03T07:00:00+00:00"


def test_a_dated_day_is_over_when_it_ends_where_the_caller_is() -> None:
    answer = [fact("appointment", "2026-03-03", "my appointment is tomorrow")]
    (result,) = judged(turn_of("my appointment is tomorrow"), answer, timezone="America/New_York")
    assert result.claims[0].valid_to == "2026-03-04T05:00:00+00:00"


def test_each_turn_of_a_window_gets_its_own() -> None:
    turns = [turn_of("I live in Lyon", 2), turn_of("I have a dog", 3), turn_of("I live in a flat", 4)]
    answer = [
        fact("home_city", "Lyon", "I live in Lyon"),
        fact("pet", "dog", "I have a dog", turn=3),
        fact("pet", "dog", "I have a dog", turn=99),
        fact("home_type", "flat", "a flat", turn="[4]"),
        fact("job", "pilot", "I'm a pilot", turn=3),
    ]
    results = judged(turns, answer)
    assert [[claim.value for claim in result.claims] for result in results] == [
        ["Lyon"],
        ["dog", "dog"],
        ["flat"],
    ]
    assert [claim.turn for result in results for claim in result.claims] == [2, 3, 3, 4]
    assert sum(result.rejected for result in results) == 1


def test_the_same_words_twice_belong_to_the_turn_the_model_names() -> None:
    turns = [turn_of("I live in Lyon", 2), turn_of("I live in Lyon", 3)]
    first, second = judged(turns, [fact("home_city", "Lyon", "I live in Lyon", turn=2)])
    assert len(first.claims) == 1
    assert not second.claims


def test_what_is_said_later_in_a_turn_holds_however_the_model_lists_it() -> None:
    turn = turn_of("I used to work at Novatel and now I work at Iberia")
    items = [
        fact("employer", "Novatel", "work at Novatel", explicit=True),
        fact("employer", "Iberia", "I work at Iberia", explicit=True),
    ]
    for listed in (items, items[::-1]):
        (result,) = judged(turn, listed)
        assert [(claim.seq, claim.value) for claim in result.claims] == [(0, "Novatel"), (1, "Iberia")]
        current = [
            fact.value for fact in reconcile(result.claims, rules=(), now=AT) if fact.status == "current"
        ]
        assert current == ["Iberia"]


def test_no_answer_is_good_enough_to_raise() -> None:
    turn = turn_of("I live in Lyon")
    for text in ("", "no", "null", '{"facts":[{"key":"home_city","value":"Lyo'):
        with pytest.raises(ModelAnswerBad):
            judged(turn, text)
    assert replace(judged(turn, "{}")[0]).claims == ()


WORDS = st.text(max_size=30) | st.sampled_from(
    [
        "I live in Rome",
        "tomorrow at 7",
        "no, not me",
        "4412",
        "allergic to nuts",
        "我对花生过敏",
        "¿?",
        "a@b.c",
        "2026-13-45",
    ]
)


@given(
    WORDS,
    WORDS,
    WORDS,
    WORDS,
    st.sampled_from(["set", "add", "retract"]),
    st.sampled_from(["caller", "other: x"]),
)
def test_no_answer_about_any_turn_raises_or_stands_without_the_callers_words(
    said: str, key: str, value: str, quote: str, op: str, subject: str
) -> None:
    answer = [fact(key, value, quote, op=op, subject=subject, text=value)]
    (result,) = judged(turn_of(said), answer)
    for claim in result.claims:
        assert claim.quote
        assert claim.quote in said
    assert len(result.claims) + result.rejected >= 1 or not quote.strip()
