"""The window drops whole turns, keeps instructions, and never splits a call from its result."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.reading.window import select

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def agent(text: str) -> Message:
    return {"role": "assistant", "content": text}


def call(name: str) -> Message:
    return {"role": "assistant", "tool_calls": [{"id": name, "type": "function"}]}


def result(name: str) -> Message:
    return {"role": "tool", "tool_call_id": name, "content": "ok"}


def talk(turns: int) -> list[Message]:
    return [m for i in range(turns) for m in (user(f"u{i}"), agent(f"a{i}"))]


def chosen(messages: list[Message], mode: Any, turns: int, covered: int | None = None) -> list[Message]:
    return select(messages, mode=mode, turns=turns, covered=covered, read=lambda m: m)


@pytest.mark.parametrize(
    ("mode", "turns", "covered", "dropped"),
    [
        ("off", 2, None, 0),
        ("last_n", 4, None, 6),
        ("last_n", 10, None, 0),
        ("last_n", 50, None, 0),
        ("last_n", 1, None, 9),
        ("hybrid", 4, None, 0),
        ("hybrid", 4, 3, 3),
        ("hybrid", 4, 10, 6),
        ("summary", 4, 10, 8),
        ("summary", 4, 5, 5),
    ],
)
def test_how_many_turns_leave(mode: str, turns: int, covered: int | None, dropped: int) -> None:
    messages = talk(10)
    assert chosen(messages, mode, turns, covered) == messages[2 * dropped :]


def test_instructions_stay_word_for_word_wherever_they_stand() -> None:
    head, mid = {"role": "system", "content": "S" * 200_000}, {"role": "developer", "content": "D"}
    messages = [head, *talk(3), mid, *talk(5)]
    kept = chosen(messages, "last_n", 2)
    assert kept == [head, mid, *talk(5)[-4:]]


def test_an_oversized_prompt_changes_nothing() -> None:
    # Selection is by turns: what can't be dropped can't make it try again.
    messages = [{"role": "system", "content": "S" * 500_000}, user("hi")]
    assert chosen(messages, "last_n", 1) == messages
    assert chosen(chosen(messages, "last_n", 1), "last_n", 1) == messages


def test_pairs_are_kept_whole() -> None:
    late = [user("u0"), call("a"), user("u1"), result("a"), agent("a1"), user("u2"), agent("a2")]
    kept = chosen(late, "last_n", 2)
    assert kept == [call("a"), *late[2:]]
    two = [user("u0"), {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}, result("a")]
    two += [user("u1"), result("b"), user("u2")]
    assert [m for m in chosen(two, "last_n", 2) if m["role"] == "tool"] == [result("a"), result("b")]


def test_every_prefix_gives_a_list_without_orphans() -> None:
    messages: list[Message] = []
    for i in range(12):
        messages += [user(f"u{i}"), call(f"c{i}"), result(f"c{i}"), agent(f"a{i}")]
    for end in range(len(messages)):
        kept = chosen(messages[:end], "last_n", 3)
        calls = {c["id"] for m in kept for c in m.get("tool_calls", [])}
        assert {m["tool_call_id"] for m in kept if m["role"] == "tool"} <= calls


def test_the_start_stays_the_same_for_several_turns() -> None:
    starts = {str(chosen(talk(n), "last_n", 8)[0]) for n in range(8, 21)}
    assert len(starts) == 4


def test_messages_of_a_providers_own_form_stay_with_their_turn() -> None:
    messages: list[Any] = [user("u0"), "own-0", agent("a0"), user("u1"), "own-1"]
    kept = select(messages, mode="last_n", turns=1, read=lambda m: m if isinstance(m, dict) else None)
    assert kept == [user("u1"), "own-1"]
