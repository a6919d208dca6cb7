"""What is read of a model's text: whole things, item by item, and never a cut one."""

# ruff: noqa: E501  # one row of a table a line reads best

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.clients.base import Finish, ModelReply
from pipecat_memory.errors import ModelAnswerBad
from pipecat_memory.writing.answer import read_extract, read_summary
from pipecat_memory.writing.items import MAX_ITEMS, key_name, subject_name

NUTS = '{"key":"allergy","value":"nuts","quote":"nuts"}'

READ = {
    "plain": '{"facts":[%s]}',
    "a fence": '```json\n{"facts":[%s]}\n```',
    "a fence without a name": '```\n{"facts":[%s]}\n```',
    "a fence and prose": 'Here you are:\n```json\n{"facts":[%s]}\n```\nAnything else?',
    "prose around": 'Sure! {"facts":[%s]} I hope {that} helps.',
    "brackets in the prose": 'As in [1], the answer is {"facts":[%s]}.',
    "prose after": '{"facts":[%s]}\n\nNote: nothing else was said.',
    "thoughts": '<think>maybe {"facts":[]} or not</think>{"facts":[%s]}',
    "thoughts in capitals": '<THINKING>hm</THINKING> {"facts":[%s]}',
    "reasoning": '<reasoning>\n{"facts":\n</reasoning>\n{"facts":[%s]}',
    "a bare list": "[%s]",
    "a bare list in a fence": "```json\n[%s]\n```",
    "a bare list with nulls": "[null, %s]",
    "a bare fact": "%s",
    "a trailing comma": '{"facts":[%s,],}',
    "a comma after the list": '{"facts":[%s],}',
    "a comma in the item": '{"facts":[{"key":"allergy","value":"nuts","quote":"nuts",}]}',
    "a comment": '// facts\n{"facts":[%s]}',
    "no closing brackets": '{"facts":[%s',
    "no closing brace": '{"facts":[%s]',
    "single quotes": "{'facts':[{'key':'allergy','value':'nuts','quote':'nuts'}]}",
    "python words": '{"facts":[{"key":"allergy","value":"nuts","quote":"nuts","explicit":True,"importance":None}]}',
    "other names": '{"memories":[{"attribute":"allergy","object":"nuts","evidence":"nuts"}]}',
    "names in capitals": '{"Facts":[{"KEY":"allergy","Value":"nuts","Quote":"nuts"}]}',
    "one fact instead of a list": '{"facts":%s}',
    "nulls for lists": '{"facts":[%s],"slots":null,"task":null,"pending_steps":null}',
    "twice, the last counts": '{"facts":[]}\n{"facts":[%s]}',
    "an echoed schema first": '{"type":"object","properties":{"key":{}}}\n{"facts":[%s]}',
    "JSON in a string": json.dumps('{"facts":[' + NUTS + "]}"),
    "unescaped quote marks": '{"facts":[%s],"task":"the "big" one"}',
    "a NUL": '{"facts":[%s]\x00}',
    "half a pair of surrogates": '{"facts":[{"key":"allergy","value":"nuts\\ud83d","quote":"nuts\\ude00"}]}',
    "escapes that are none": '{"facts":[{"key":"allergy","value":"nuts","quote":"nuts","text":"\\uZZ"}]}',
}


@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_a_whole_answer_is_read_in_whatever_wrapping(text: str) -> None:
    raw = read_extract(ModelReply(text=text.replace("%s", NUTS)))
    assert [(f.key, f.value, f.quote) for f in raw.facts] == [("allergy", "nuts", "nuts")]


REFUSED = {
    "nothing": "",
    "blank": "   \n",
    "null": "null",
    "a number": "42",
    "a refusal": "I'm sorry, but I can't help with that.",
    "prose with brackets": "See [the manual] {chapter 3}.",
    "an echoed schema": '{"type":"object","properties":{"facts":{"type":"array"}}}',
    "a list of strings": '["likes tea"]',
    "unclosed thoughts": '<think>{"facts":[]}',
    "cut in a value": '{"facts":[{"key":"kids","value":"has two ki',
    "cut in a second item": '{"facts":[' + NUTS + ',{"key":"b","val',
    "cut after a colon": '{"facts":[{"key":',
    "cut in a fence": '```json\n{"facts":[{"key":"kids","value":"has two ki\n```',
    "cut in a list of values": '{"facts":[{"key":"kids","value":["Ann","Be',
    "nested beyond reading": "[" * 5000 + "]" * 5000,
    "cut in an escape": '{"facts":[{"key":"a","value":"caf\\u00',
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_answer_or_a_cut_one_is_refused(text: str) -> None:
    with pytest.raises(ModelAnswerBad):
        read_extract(ModelReply(text=text))


@pytest.mark.parametrize("finish", ["length", "error", "timeout"])
def test_an_answer_that_did_not_end_by_itself_is_refused_even_if_it_parses(finish: Finish) -> None:
    with pytest.raises(ModelAnswerBad):
        read_extract(ModelReply(text='{"facts":[' + NUTS + "]}", finish=finish))
    with pytest.raises(ModelAnswerBad):
        read_summary(ModelReply(text='{"text":"Done."}', finish=finish))


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"facts":[]}', '{"facts":null}', '{"facts":"none"}', '{"facts":{}}']
)
def test_nothing_found_is_an_answer(text: str) -> None:
    raw = read_extract(ModelReply(text=text))
    assert raw.facts == ()


def item(**more: Any) -> dict[str, Any]:
    return {"key": "pet", "value": "dog", "quote": "a dog"} | more


@pytest.mark.parametrize(
    "bad",
    [
        None, 3, "a dog", [], {}, {"text": None}, item(key=None), item(key=""), item(key=7), item(key="x" * 90),
        item(value=None), item(value=""), item(value="unknown"), item(value={"a": 1}), item(value="x" * 999),
        item(value=float("nan")), item(quote=None), item(quote=""), item(quote=5), item(op="explode"),
        item(subject="agent"), item(subject=["caller"]),
    ],
)  # fmt: skip
def test_a_bad_item_costs_itself_and_is_counted(bad: Any) -> None:
    raw = read_extract(ModelReply(text=json.dumps({"facts": [bad, item(), bad]})))
    assert [fact.value for fact in raw.facts] == ["dog"]
    assert raw.rejected == 2


def test_lists_in_lists_are_no_more_facts_than_one_list() -> None:
    many = [item(value=[f"dog {n} {m}" for m in range(50)]) for n in range(50)]
    raw = read_extract(ModelReply(text=json.dumps({"facts": many})))
    assert (len(raw.facts), raw.rejected) == (MAX_ITEMS, 2_500 - MAX_ITEMS)


def test_lists_of_values_are_several_facts() -> None:
    raw = read_extract(ModelReply(text=json.dumps({"facts": [item(value=["dog", None, "cat", 7, True])]})))
    assert [fact.value for fact in raw.facts] == ["dog", "cat", 7, True]


def test_a_retraction_needs_no_value() -> None:
    raw = read_extract(ModelReply(text=json.dumps({"facts": [item(op="DELETE", value=None)]})))
    assert [(fact.op, fact.value) for fact in raw.facts] == [("retract", None)]


def test_a_sentence_without_a_key_is_a_note() -> None:
    raw = read_extract(ModelReply(text='{"facts":[{"text":"Has a dog","quote":"a dog"}]}'))
    assert [(fact.key, fact.value) for fact in raw.facts] == [("note", "Has a dog")]


@pytest.mark.parametrize(
    ("given", "kept"), [(0.7, 0.7), (7, 0.7), ("0.7", 0.7), ("high", 0.8), (None, 0.5), ("x", 0.5), (-3, 0.0), (99, 1.0), (True, 0.5)]
)  # fmt: skip
def test_importance_is_a_share(given: Any, kept: float) -> None:
    raw = read_extract(ModelReply(text=json.dumps({"facts": [item(importance=given)]})))
    assert raw.facts[0].importance == pytest.approx(kept)


def test_a_model_in_a_loop_is_cut_short() -> None:
    raw = read_extract(ModelReply(text=json.dumps({"facts": [item()] * 500})))
    assert (len(raw.facts), raw.rejected) == (MAX_ITEMS, 500 - MAX_ITEMS)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Home City", "home_city"), ("homeCity", "home_city"), ("user_home_city", "home_city"), ("caller's name", "name"),
        ("allergy", "allergy"), ("  ", ""), ("Größe", "größe"), ("城市", "城市"),
    ],
)  # fmt: skip
def test_keys_have_one_form(given: str, kept: str) -> None:
    assert key_name(given) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, "caller"), ("", "caller"), ("User", "caller"), ("me", "caller"), ("other: my brother", "other: my brother"),
        ("brother", "other: brother"), ("other", "other: somebody"), ("Agent", None), (3, None),
    ],
)  # fmt: skip
def test_subjects_have_one_form(given: Any, kept: str | None) -> None:
    assert subject_name(given) == kept


def test_slots_and_the_calls_own_lines() -> None:
    text = json.dumps(
        {
            "facts": [],
            "slots": [{"name": "date", "value": "2026-03-03", "quote": "tomorrow"}, {"name": "x"}, "y"],
            "task": " booking ",
            "goal": "topic",
            "topic": 7,
            "mood": "hurried",
            "pending_steps": ["ask name", "", None],
            "completed_steps": "greeted",
        }
    )
    raw = read_extract(ModelReply(text=text))
    assert [(slot.name, slot.value, slot.explicit) for slot in raw.slots] == [("date", "2026-03-03", True)]
    assert raw.rejected == 2
    assert (raw.task, raw.goal, raw.topic, raw.mood) == ("booking", None, None, "hurried")
    assert (raw.pending_steps, raw.completed_steps) == (("ask name",), ("greeted",))


def test_slots_by_name() -> None:
    raw = read_extract(ModelReply(text='{"facts":[],"slots":{"date":{"value":"x","quote":"x"}}}'))
    assert [slot.name for slot in raw.slots] == ["date"]


def test_a_summary() -> None:
    raw = read_summary(
        ModelReply(text='{"summary":"She moved.","resolved":"yes","follow_ups":["call back"]}')
    )
    assert (raw.text, raw.resolved, raw.open_items) == ("She moved.", True, ("call back",))
    with pytest.raises(ModelAnswerBad):
        read_summary(ModelReply(text='{"resolved":true}'))


def test_nothing_of_an_answer_shows_in_its_repr() -> None:
    raw = read_extract(ModelReply(text='{"facts":[' + NUTS + "]}"))
    assert "nuts" not in f"{raw!r}{raw.facts!r}"


@given(st.text(max_size=60))
def test_no_text_does_anything_but_be_read_or_refused(text: str) -> None:
    for wrapped in (text, '{"facts":[' + text, '{"facts":[{"key":"a","value":"' + text + '","quote":"q"}]}'):
        try:
            read_extract(ModelReply(text=wrapped))
        except ModelAnswerBad:
            continue


@given(st.integers(1, 200))
def test_no_prefix_of_an_answer_gives_a_partial_value(length: int) -> None:
    whole = json.dumps({"facts": [item(value="two kids", text="Has two kids"), item(value="a red car")]})
    try:
        raw = read_extract(ModelReply(text=whole[:length]))
    except ModelAnswerBad:
        return
    assert {fact.value for fact in raw.facts} <= {"two kids", "a red car"}
    assert {fact.text for fact in raw.facts} <= {"Has two kids", ""}
