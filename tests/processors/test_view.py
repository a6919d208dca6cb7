"""Where memory stands in what a model reads, and that nobody else sees it."""

from __future__ import annotations

from typing import Any

import pytest
from pipecat.frames.frames import Frame, LLMContextFrame, LLMContextUserTurnFrame
from pipecat.processors.aggregators.llm_context import LLMContext, LLMSpecificMessage
from pipecat.processors.frame_processor import FrameDirection
from pipecat.tests.utils import run_test

from pipecat_memory.processors import MemoryProcessor
from pipecat_memory.processors.view import MemoryView, content_text, last_user_text, overlay

from .conftest import MakeCall

S, D, U, A = "system", "developer", "user", "assistant"


def messages(*roles: str) -> list[Any]:
    return [{"role": role, "content": f"{role} {i}"} for i, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("roles", "order"),
    [
        ([], "s c"),
        ([D], "0 s c"),
        ([S, D], "0 1 s c"),
        ([U], "s c 0"),
        ([S, U], "0 s c 1"),
        ([D, U, A, U], "0 s 1 2 c 3"),
        ([D, U, A, D], "0 s c 1 2 3"),
        ([A, U], "s 0 c 1"),
        ([A], "s c 0"),
    ],
)
def test_places(roles: list[str], order: str) -> None:
    base = messages(*roles)
    names = {"<s>": "s", "<c>": "c"} | {m["content"]: str(i) for i, m in enumerate(base)}
    laid = overlay(base, "<s>", "<c>")
    assert " ".join(names[str(m["content"])] for m in plain(laid)) == order
    assert base == messages(*roles)


def test_only_adapters_see_it_and_what_they_write_stays() -> None:
    base = LLMContext(messages(D, U))
    view = MemoryView(base, stable="<s>", changing="<c>")
    assert view.messages is base.messages
    assert len(view.get_messages("openai")) == 4
    assert view.get_messages("openai", truncate_large_values=True) == base.messages
    view.add_message({"role": "assistant", "content": "yes"})
    view.set_messages([*view.messages, {"role": "user", "content": "more"}])
    assert [m["content"] for m in messages_of(base)] == ["developer 0", "user 1", "yes", "more"]
    view.set_tool_choice("none")
    assert base.tool_choice == "none"


def test_an_empty_context_is_shared_too() -> None:
    base = LLMContext()
    MemoryView(base).add_message({"role": "user", "content": "hi"})
    assert len(base.messages) == 1


def test_an_invalid_file_is_removed_from_the_real_context() -> None:
    picture: Any = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]}
    base = LLMContext([*messages(U), picture])
    assert MemoryView(base, stable="<s>").remove_invalid_file_message()
    assert len(base.messages) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "image_url"}, "odd", {"text": 3}], "a"),
        (7, ""),
    ],
)
def test_reads_text_of_any_content(content: Any, text: str) -> None:
    assert content_text(content) == text
    assert last_user_text([{"role": "user", "content": content}]) == (text or None)


@pytest.mark.parametrize("direction", [FrameDirection.DOWNSTREAM, FrameDirection.UPSTREAM])
@pytest.mark.parametrize("speculation", [False, True])
async def test_a_frame_is_told_in_both_directions(
    make_call: MakeCall, direction: FrameDirection, speculation: bool
) -> None:
    call = make_call()
    context = LLMContext([{"role": "user", "content": "I am Ana, a table for four please"}])
    frames: list[Frame] = [
        LLMContextUserTurnFrame(text="I am Ana, a table for four please", timestamp=""),
        LLMContextFrame(context=context, speculation=speculation),
    ]
    down, up = await run_test(
        MemoryProcessor(call), frames_to_send=frames, frames_to_send_direction=direction
    )
    passed = down if direction == FrameDirection.DOWNSTREAM else up
    told = [f for f in passed if isinstance(f, LLMContextFrame)]
    assert len(told) == 1
    assert told[0].speculation == speculation
    view = told[0].context
    assert isinstance(view, MemoryView)
    assert view.base is context
    read = messages_of(view, "openai")
    assert read[-1]["content"] == "I am Ana, a table for four please"
    assert read[-2]["role"] == "user"
    assert str(read[-2]["content"]).startswith("<memory")
    assert len(context.messages) == 1


async def test_other_frames_pass_untouched_in_both_directions(make_call: MakeCall) -> None:
    from pipecat.frames.frames import HeartbeatFrame, LLMRunFrame, TextFrame

    for direction in FrameDirection:
        sent = [TextFrame("a"), LLMRunFrame(), HeartbeatFrame(timestamp=1)]
        down, up = await run_test(
            MemoryProcessor(make_call()), frames_to_send=sent, frames_to_send_direction=direction
        )
        passed = [f for f in (down if direction == FrameDirection.DOWNSTREAM else up) if f in sent]
        assert passed == sent


def messages_of(context: LLMContext, name: str | None = None) -> list[dict[str, Any]]:
    return plain(context.get_messages(name))


def plain(given: list[Any]) -> list[dict[str, Any]]:
    return [dict(m) for m in given if not isinstance(m, LLMSpecificMessage)]
