"""What holds for every call, however its events are delivered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipecat_memory import events as ev
from pipecat_memory.ledger.reducer import Ledger
from pipecat_memory.records.turn import HistoryItem

FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@dataclass
class Call:
    """A call that could have happened: events in order of time, and who said which words."""

    events: list[ev.Event] = field(default_factory=list[ev.Event])
    finals: set[str] = field(default_factory=set[str])
    heard: set[str] = field(default_factory=set[str])
    t: float = 0.0
    words: int = 0

    def later(self, seconds: float) -> float:
        self.t = round(self.t + seconds, 3)
        return self.t

    def new_words(self, count: int) -> list[str]:
        self.words += count
        return [f"w{n}" for n in range(self.words - count, self.words)]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    call = Call()
    vad = draw(st.booleans())
    timed = draw(st.booleans())
    for number in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            _caller_turn(draw, call, vad=vad, timed=timed)
        if draw(st.integers(0, 3)) == 0:
            words = call.new_words(1)
            call.finals |= set(words)
            call.events.append(ev.UserTyped(t=call.later(0.3), text=words[0]))
        if draw(st.integers(0, 3)) == 0:
            _tool(draw, call, f"t{number}")
        if draw(st.integers(0, 4)) == 0:
            call.events.append(ev.Interrupted(t=call.later(0.1)))
        if draw(st.booleans()):
            _reply(draw, call, f"r{number}")
        if draw(st.integers(0, 5)) == 0:
            kind = draw(st.sampled_from([ev.MemoryPaused, ev.MemoryResumed, ev.MemoryForgetLast]))
            call.events.append(kind(t=call.later(0.1)))
    if draw(st.booleans()):
        call.events.append(ev.CallEnded(t=call.later(1.0), reason="hangup"))
    call.events.sort(key=lambda e: e.t)
    return call


def _caller_turn(draw: st.DrawFn, call: Call, *, vad: bool, timed: bool) -> None:
    delay = draw(st.sampled_from([0.01, 0.4, 3.0]))
    for _ in range(draw(st.integers(1, 2))):
        begun = call.later(draw(st.sampled_from([0.5, 9.0])))
        # On a line with voice activity some words come without it.
        vad = vad and draw(st.integers(0, 4)) > 0
        if vad:
            call.events.append(ev.UserStarted(t=begun))
        words = call.new_words(draw(st.integers(1, 3)))
        for upto in range(1, len(words) + 1):
            partial = " ".join(words[:upto]) + " maybe"
            call.events.append(ev.UserPartial(t=call.later(0.1), text=partial))
        stopped = call.later(0.3)
        if vad:
            call.events.append(ev.UserStopped(t=stopped))
        what = draw(st.sampled_from(["final", "final", "final", "empty", "nothing"]))
        at = round(stopped + delay, 3) + len(call.events) * 1e-6
        started = begun + 0.05 if timed else None
        if what == "final":
            call.finals |= set(words)
            call.events.append(ev.UserFinal(t=at, text=" ".join(words), started=started))
        elif what == "empty":
            call.events.append(ev.UserFinal(t=at, text=""))
    if draw(st.integers(0, 5)):
        call.events.append(ev.TurnEnded(t=call.later(0.45)))


def _tool(draw: st.DrawFn, call: Call, id: str) -> None:
    call.events.append(ev.ToolCalled(t=call.later(0.1), id=id, name="look", args={}))
    if draw(st.booleans()):
        # A result may come back after the next thing happened.
        at = round(call.t + draw(st.sampled_from([0.05, 2.0])), 3) + len(call.events) * 1e-6
        call.events.append(ev.ToolReturned(t=at, id=id, status="ok", result=1))


def _reply(draw: st.DrawFn, call: Call, id: str) -> None:
    guessed = draw(st.integers(0, 3)) == 0
    if guessed:
        call.events.append(ev.TurnSpeculated(t=call.later(0.1), text="guess"))
    call.events.append(ev.ReplyStarted(t=call.later(0.1), reply=id, record=draw(st.integers(0, 4)) > 0))
    words = call.new_words(draw(st.integers(1, 5)))
    call.events.append(ev.ReplyText(t=call.later(0.1), reply=id, text=" ".join(words) + "."))
    said = 0 if guessed else draw(st.integers(0, len(words)))
    for word in words[:said]:
        call.heard.add(word)
        call.events.append(ev.ReplyHeard(t=call.later(0.1), reply=id, text=word))
    if guessed and draw(st.booleans()):
        call.events.append(ev.SpeculationWithdrawn(t=call.later(0.1)))
    cut = said < len(words)
    if draw(st.integers(0, 5)):
        call.events.append(ev.ReplyEnded(t=call.later(0.1), reply=id, interrupted=cut))


def fold(events: list[ev.Event]) -> Ledger:
    ledger = Ledger()
    for event in events:
        ledger.apply(event)
    return ledger


def reply_of(event: ev.Event) -> str | None:
    match event:
        case ev.ReplyStarted(reply=id) | ev.ReplyText(reply=id):
            return id
        case ev.ReplyHeard(reply=id) | ev.ReplyEnded(reply=id):
            return id
        case _:
            return None


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[Call, list[ev.Event]]:
    """A call, and its events in another order that keeps each reply's own in sequence."""
    call = draw(calls())
    shuffled = draw(st.permutations(call.events))
    queues: dict[str, list[ev.Event]] = {}
    for event in call.events:
        if (name := reply_of(event)) is not None:
            queues.setdefault(name, []).append(event)
    order: list[ev.Event] = []
    for event in shuffled:
        name = reply_of(event)
        order.append(event if name is None else queues[name].pop(0))
    return call, order


def words_of(item: HistoryItem) -> set[str]:
    return set(item.text.replace(".", " ").split())


@FAST
@given(deliveries())
def test_history_does_not_depend_on_the_order_of_delivery(case: tuple[Call, list[ev.Event]]) -> None:
    call, order = case
    ends = next((i for i, e in enumerate(order) if isinstance(e, ev.CallEnded)), len(order))
    calls_known = {e.id for e in order[:ends] if isinstance(e, ev.ToolCalled)}
    found, want = fold(order), fold(call.events)
    assert found.history() == want.history()
    assert found.missed == want.missed
    # A result whose call is still unknown when the call ends is given up, as any unknown id.
    assert [t for t in found.tools if t.id in calls_known] == [t for t in want.tools if t.id in calls_known]


@FAST
@given(deliveries(), st.data())
def test_no_item_holds_a_word_without_evidence(
    case: tuple[Call, list[ev.Event]], data: st.DataObject
) -> None:
    call, order = case
    kept = [e for e in order if data.draw(st.integers(0, 9)) > 0]
    twice = [e for e in kept for _ in range(data.draw(st.sampled_from([1, 1, 1, 2])))]
    for item in fold(twice).history():
        assert item.text.strip()
        if item.role == "user" and not item.promoted:
            assert words_of(item) <= call.finals
        if item.role == "assistant" and item.precision == "exact":
            assert words_of(item) <= call.heard


@FAST
@given(calls())
def test_a_second_delivery_of_everything_changes_nothing(call: Call) -> None:
    ledger = fold(call.events)
    before = (ledger.history(), ledger.turns, ledger.tools, ledger.missed)
    ended = {event.reply for event in call.events if isinstance(event, ev.ReplyEnded)}
    for event in call.events:
        # Text of a reply that still runs is the exception: it has no id, so the stream goes on with it.
        if not isinstance(event, ev.ReplyText) or event.reply in ended:
            ledger.apply(event)
    assert (ledger.history(), ledger.turns, ledger.tools, ledger.missed) == before


@FAST
@given(calls())
def test_every_event_delivered_twice_in_a_row_is_one_event(call: Call) -> None:
    # Text of a stream is the exception: two tokens alike in words and moment are two.
    once = fold(call.events)
    twice = fold([e for e in call.events for _ in range(1 if isinstance(e, ev.ReplyText) else 2)])
    assert twice.history() == once.history()


@FAST
@given(deliveries())
def test_effects_tell_the_whole_story(case: tuple[Call, list[ev.Event]]) -> None:
    """Who follows the effects alone ends with the turns the ledger holds."""
    from pipecat_memory.ledger import effects as fx

    ledger, known = Ledger(), dict[str, str]()
    for event in case[1]:
        for effect in ledger.apply(event):
            match effect:
                case fx.TurnCommitted(turn):
                    assert turn.key not in known
                    known[turn.key] = turn.text
                case fx.TurnAmended(turn):
                    assert turn.key in known
                    known[turn.key] = turn.text
                case fx.TurnForgotten(key):
                    del known[key]
                case _:
                    pass
    assert known == {turn.key: turn.text for turn in ledger.turns}
    assert [turn.number for turn in ledger.turns] == list(range(1, len(known) + 1))


@FAST
@given(calls())
def test_a_turn_keeps_its_key_when_the_call_is_folded_again(call: Call) -> None:
    """The journal replays a call in the order it went; what was derived per turn must find it again."""
    assert [t.key for t in fold(call.events).turns] == [t.key for t in fold(list(call.events)).turns]


@FAST
@given(calls(), st.floats(0, 1))
def test_drop_keeps_no_word_of_a_cut_reply(call: Call, share: float) -> None:
    ledger = Ledger(interrupted_reply="drop")
    for event in call.events:
        ledger.apply(replace(event, played=share) if isinstance(event, ev.ReplyEnded) else event)
    assert not any(item.interrupted for item in ledger.history())
