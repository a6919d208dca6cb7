"""Both memories are weighed alike: all that was sent and answered, and what a cache takes off."""

from __future__ import annotations

import json

import pytest

from pipecat_memory.bench.long_call import long_call
from pipecat_memory.bench.tokens import CACHED_FROM, CACHED_PRICE, CACHED_STEP, Exchange, share, weigh
from pipecat_memory.clients.base import ModelReply
from pipecat_memory.writing.answer import read_extract
from pipecat_memory.writing.quote import tokens


def words(text: str) -> int:
    return len(text.split())


def test_a_request_is_weighed_with_all_its_messages_and_its_schema() -> None:
    body = {
        "messages": [{"role": "system", "content": "fixed part"}, {"role": "user", "content": "the turn"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "extract"}},
    }
    assert Exchange.of(body, "yes").prompt == '{"name":"extract"}\nfixed part\nthe turn'
    del body["response_format"]
    assert Exchange.of(body, "yes") == Exchange("fixed part\nthe turn", "yes")


LONG = "w " * (CACHED_FROM + CACHED_STEP + 7)


@pytest.mark.parametrize(
    ("prompts", "cached"),
    [
        (["a b c", "a b c"], 0),
        ([LONG + "x", LONG + "y"], CACHED_FROM + CACHED_STEP),
        ([LONG + "x", "other", LONG + "y"], CACHED_FROM + CACHED_STEP),
        (["x " + LONG, "y " + LONG], 0),
        ([LONG], 0),
    ],
    ids=["too short", "a long beginning", "some requests ago", "the beginning differs", "the first time"],
)
def test_a_repeated_beginning_is_read_from_the_cache(prompts: list[str], cached: int) -> None:
    found = weigh([Exchange(prompt, "one two") for prompt in prompts], words)
    sent = sum(words(prompt) for prompt in prompts)
    assert found == {
        "requests": len(prompts),
        "tokens_in": sent,
        "tokens_out": 2 * len(prompts),
        "tokens": sent + 2 * len(prompts),
        "tokens_cached": cached,
        "tokens_discounted": round(sent - cached * (1 - CACHED_PRICE)) + 2 * len(prompts),
    }


def test_how_many_times_fewer() -> None:
    ours, theirs = weigh([Exchange("a", "b")], words), weigh([Exchange("a b c", "d")] * 5, words)
    assert share(ours, theirs) == {"times_fewer": 10.0, "times_fewer_discounted": 10.0}
    assert weigh([], words)["tokens"] == 0
    assert share(weigh([], words), theirs)["times_fewer"] == 20.0


def test_the_call_has_fifty_turns_and_its_facts_stand_in_the_callers_words() -> None:
    script = long_call()
    assert len(script.turns) == 50
    facts = [(said, fact) for said in script.turns for fact in said.facts]
    assert len(facts) >= 30
    for said, fact in facts:
        quote = [token.text for token in tokens(fact.quote)]
        heard = [token.text for token in tokens(said.caller)]
        assert any(heard[at : at + len(quote)] == quote for at in range(len(heard))), fact.key


def test_the_scripted_answers_are_what_the_prompts_ask_for() -> None:
    script = long_call()
    read = read_extract(ModelReply(text=script.our_answer([2, 5])))
    assert [(fact.turn, fact.op, fact.subject, fact.explicit) for fact in read.facts] == (
        [(2, "set", "caller", True)] * 2 + [(5, "set", "caller", True)] * 2
    )
    assert read.task == script.task
    theirs = json.loads(script.mem0_answer(2))["memory"]
    assert [row["text"] for row in theirs] == [fact.text for fact in script.turns[1].facts]
