"""Rows A1, A2, A6 and A11: what becomes of the caller's words."""

from __future__ import annotations

import pytest

from pipecat_memory import events as ev
from pipecat_memory.ledger import effects as fx
from pipecat_memory.ledger.reducer import Ledger

from .notation import effects, events, fold, lines, told

CASES: dict[str, tuple[str, str]] = {
    # A1: partials.
    "partials are not history": ("1 U[\n1.2 U~ book a\n1.5 U~ book a table", ""),
    "partials of a turn with words are not history": (
        "1 U[\n1.2 U~ book a cable\n2 U]\n2.1 U= book a table\n2.5 .",
        "user 1 book a table",
    ),
    "partials without voice activity are not promoted": ("1 U~ book\n2 .\n3 END hangup", ""),
    "an empty final promotes the last partial": (
        "1 U[\n1.2 U~ it is\n1.4 U~ it is Wren\n2 U]\n2.1 U=\n2.5 .",
        "user 1 ^it is Wren",
    ),
    "a turn end promotes too": ("1 U[\n1.4 U~ it is Wren\n2 U]\n2.5 .", "user 1 ^it is Wren"),
    "the end of the call promotes too": ("1 U[\n1.4 U~ it is Wren\n3 END hangup", "user 1 ^_it is Wren"),
    "a voice stop alone proves voice": ("1.4 U~ it is Wren\n2 U=\n2.1 U]\n2.5 .", "user 1 ^it is Wren"),
    "a later final replaces the promoted partial": (
        "1 U[\n1.4 U~ it is when\n2 U]\n2.5 .\n6 U= it is Wren @1.1",
        "user 1 it is Wren",
    ),
    "half a second beside the voice activity is inside": (
        "1 U[\n1.4 U~ it is when\n2 U]\n2.5 .\n6 U= it is Wren @0.5",
        "user 1 it is Wren",
    ),
    "a second beside it is not": (
        "1 U[\n1.4 U~ it is when\n2 U]\n4 .\n6 U= hello @3.0",
        "user 1 ^it is when\nuser 2 hello",
    ),
    "one wordless utterance beside a worded one stands by itself": (
        "1 U[\n2 U]\n2.1 U= I call about my bill\n5 U[\n5.2 U~ number nine\n6 U]\n7 .",
        "user 1 I call about my bill\nuser 2 ^number nine",
    ),
    "a flicker of voice under one final promotes nothing": (
        "1 U[\n2 U]\n2.3 U[\n2.5 U~ my number is five\n3 U]\n3.2 U= my number is five @1.0\n4 .",
        "user 1 my number is five",
    ),
    "not even where the partial was misheard": (
        "1 U[\n2 U]\n2.3 U[\n2.5 U~ my number is fife\n3 U]\n3.2 U= my number is five @1.0\n4 .",
        "user 1 my number is five",
    ),
    # A2: finals.
    "finals of one turn are joined": (
        "1 U[\n2 U= my name is @1.0\n3 U= Ada Quill @2.2\n3.1 U]\n3.5 .",
        "user 1 my name is Ada Quill",
    ),
    "Chinese finals are joined without a space": (
        "1 U[\n2 U= 我想订 @1.0\n3 U= 一张票 @2.2\n3.5 .",
        "user 1 我想订一张票",
    ),
    "blank finals leave nothing": ("1 U= \n2 .", ""),
    "voice without words leaves nothing": (
        "1 U[\n2 U]\n3 .\n4 U[\n4.8 U= hello\n5 U]\n5.2 .",
        "user 1 hello",
    ),
    "same id, same final": ("1 U= hello #a\n1.3 U= hello #a\n2 .", "user 1 hello"),
    "same id, mended text": ("1 U= hallo #a\n1.3 U= hello #a\n2 .", "user 1 hello"),
    "same start and text, same final": ("1 U= yes @0.5\n3 U= yes @0.5\n4 .", "user 1 yes"),
    "the same word said twice is two": ("1 U= yes @0.5\n3 U= yes @2.5\n4 .", "user 1 yes yes"),
    "the same word without starts is two": ("1 U= yes\n3 U= yes\n4 .", "user 1 yes yes"),
    "the same key pressed twice is two, also at one moment": (
        "1 D 4+\n1 D 4+\n1 D 0+\n1 D 4\n2 .",
        "user 1 4404",
    ),
    "the same entry keyed twice is two": ("1 D 44\n1 D 44\n2 .", "user 1 44 44"),
    "a late final amends its turn": (
        "2 U= I moved @1.0\n3 .\n4 U= to Lyon @2.0\n5 U= thanks @4.5\n6 .",
        "user 1 I moved to Lyon\nuser 2 thanks",
    ),
    "a late final without a start goes to its voice": (
        "0 U[\n2 U]\n6 .\n8 U= my number changed\n9 END hangup",
        "user 1 my number changed",
    ),
    "a final without a start, long after a promoted partial, is the next turn": (
        "0 U[\n1 U~ it's Wren\n2 U]\n2.5 .\n3 R r\n6 U= yes\n6.5 .",
        "user 1 ^it's Wren\nuser 2 yes",
    ),
    "so it is once the recogniser closed the voice without words": (
        "0 U[\n1 U~ it's Wren\n1.5 U= \n2 U]\n6 U= yes\n6.5 .",
        "user 1 ^it's Wren\nuser 2 yes",
    ),
    "a voice closed without words is kept beside the next one's words": (
        "0 U[\n1 U~ it's Wren\n1.5 U= \n2 U]\n5 U[\n6 U= yes @5.0\n6 U]\n6.5 .",
        "user 1 ^it's Wren\nuser 2 yes",
    ),
    "sooner it replaces the partial": (
        "0 U[\n1 U~ it's Ren\n2 U]\n2.5 .\n3.5 U= it's Wren\n4 .",
        "user 1 it's Wren",
    ),
    "one that started later opens the next turn": (
        "2 U= I moved @1.0\n3 .\n4 U= to Lyon @3.5\n5 .",
        "user 1 I moved\nuser 2 to Lyon",
    ),
    "an earlier turn slots in": (
        "1 .\n5 U= second @4.0\n6 .\n7 U= first @0.5",
        "user 1 first\nuser 2 second",
    ),
    "finals come out of order": ("3 U= two @2.0\n4 U= one @1.0\n5 .", "user 1 one two"),
    "a final after the hang-up still counts": (
        "9 U[\n9.5 U~ actually make\n10 END hangup\n10.6 U= actually make it Thursday @9.1",
        "user 1 _actually make it Thursday",
    ),
    "an open turn is incomplete": ("1 U= my email is @0.5\n2 END cancelled", "user 1 _my email is"),
    "one moment for all events keeps the order of arrival": (
        "0 U= one\n0 .\n0 U= two\n0 .",
        "user 1 one\nuser 2 two",
    ),
    # Hallucinations.
    "words out of silence are of low trust": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n40 U= see you next time\n41 .",
        "user 1 hello\nuser 2 -see you next time",
    ),
    "they don't taint the words beside them": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n40 U= see you next time\n45 U[\n46 U]\n46.1 U= cancel\n47 .",
        "user 1 hello\nuser 2 -see you next time\nuser 3 cancel",
    ),
    "words soon after voice are quiet speech": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n6 U= cancel\n7 .",
        "user 1 hello\nuser 2 cancel",
    ),
    "so are words soon after the agent was heard": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n9 R r1\n9.5 H r1 Hi.\n10 X r1\n14 U= cancel\n14.5 .",
        "user 1 hello\nagent 1 Hi.\nuser 2 cancel",
    ),
    "and words that go on from them": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n6 U= cancel @5.0\n10 U= Tuesday @9.5\n11 .",
        "user 1 hello\nuser 2 cancel Tuesday",
    ),
    "without voice activity on the line words are words": ("40 U= hello\n41 .", "user 1 hello"),
    "words before their own voice start are words": (
        "1 U[\n2 U]\n2.1 U= hello\n2.5 .\n9 U= cancel\n9.001 U[\n9.5 U]\n10 .",
        "user 1 hello\nuser 2 cancel",
    ),
    # Continuation, and ends that nobody reports.
    "a continuation before the answer stands in order": (
        "1 U= what are your hours\n2 .\n2.5 U= on Sunday\n3 .",
        "user 1 what are your hours\nuser 2 on Sunday",
    ),
    "a released reply ends the turn": (
        "1 U= what are your hours\n2 R r1\n2.5 H r1 Nine.\n3 X r1\n4 U= thanks\n5 END hangup",
        "user 1 what are your hours\nagent 1 Nine.\nuser 2 _thanks",
    ),
    "but not while the caller speaks": (
        "1 U[\n1.5 U= cancel @1.0\n2 R r1\n3 U= the Tuesday one @2.2\n3.1 U]\n3.5 .",
        "user 1 cancel the Tuesday one",
    ),
    "nor while it answers a guess": (
        "1 U= cancel @0.5\n1.5 ? cancel\n2 R r1\n2.2 !?\n3 U= the Tuesday one @2.3\n3.5 .",
        "user 1 cancel the Tuesday one",
    ),
    "a transcript after the reply it caused": (
        "1 U[\n3 U]\n3.2 R r1\n3.5 H r1 At nine.\n4 X r1\n5 U= When do you open?\n6 END bot_ended",
        "user 1 When do you open?\nagent 1 At nine.",
    ),
    # A6: speculation.
    "a guess is not history": ("1 U[\n1.5 ? book a table\n2 END hangup", ""),
    "a confirmed guess is committed from its final": (
        "1 U[\n1.5 ? book a table\n2 U= Book a table.\n2.1 U]\n2.2 .",
        "user 1 Book a table.",
    ),
    # A11: typed and keyed.
    "typed text is a turn": (
        "1 T hello\n2 R r1\n2.2 H r1 Hi.\n3 X r1\n4 END hangup",
        "user 1 hello\nagent 1 Hi.",
    ),
    "typed text is complete at the end": ("1 T hello\n4 END hangup", "user 1 hello"),
    "typed text needs no voice": (
        "1 U[\n2 U]\n2.1 U= hi\n2.5 .\n30 T hello\n31 .",
        "user 1 hi\nuser 2 hello",
    ),
    "keys of one entry are joined": ("1 D 4+\n2 D 2+\n3 D 7\n4 .", "user 1 427"),
    "two entries are two": ("1 D 42\n3 D 17\n4 .", "user 1 42 17"),
    "an entry that went on is incomplete": ("1 D 4+\n2 END hangup", "user 1 _4"),
    "keys and speech in one turn": ("1 U= my pin is @0.5\n2 D 4+\n3 D 2\n4 .", "user 1 my pin is 42"),
}


@pytest.mark.parametrize("name", CASES)
def test_history(name: str) -> None:
    script, expected = CASES[name]
    assert told(fold(script)) == lines(expected)


def test_open_turn_grows_and_knows_its_number() -> None:
    ledger = fold("1 U= one @0.5\n2 .\n3 U= two @2.5\n4 U= three @3.5")
    turn = ledger.open_turn
    assert turn is not None
    assert (turn.number, turn.text, turn.started) == (2, "two three", 2.5)
    assert [t.text for t in ledger.turns] == ["one"]
    ledger.apply(ev.TurnEnded(t=5.0))
    assert ledger.open_turn is None
    assert [t.key for t in ledger.turns][1] == turn.key


def test_segments_are_told_as_they_come() -> None:
    found = effects("1 U= one @0.5\n2 U= two @1.5\n3 .\n4 U= late @1.7")
    assert [type(e) for e in found] == [fx.SegmentHeard, fx.SegmentHeard, fx.TurnCommitted, fx.TurnAmended]
    amended = found[-1]
    assert isinstance(amended, fx.TurnAmended)
    assert amended.turn.text == "one two late"


def test_a_promoted_turn_keeps_its_key_when_words_replace_it() -> None:
    found = effects("1 U[\n1.4 U~ it is when\n2 U]\n2.5 .\n6 U= it is Wren @1.1")
    promoted, committed, amended = found
    assert isinstance(promoted, fx.Promoted)
    assert isinstance(committed, fx.TurnCommitted)
    assert isinstance(amended, fx.TurnAmended)
    assert (promoted.partial_text, promoted.at) == ("it is when", 1.4)
    assert committed.turn.key == amended.turn.key
    assert (amended.turn.promoted, amended.turn.trust) == (False, "high")


def test_a_turn_that_slots_in_renumbers_the_later_ones() -> None:
    ledger = fold("1 .\n5 U= second @4.0\n6 .")
    key = ledger.turns[0].key
    found = ledger.apply(ev.UserFinal(t=7, text="first", started=0.5))
    assert [type(e) for e in found] == [fx.TurnCommitted, fx.TurnsRenumbered]
    assert [(t.number, t.text) for t in ledger.turns] == [(1, "first"), (2, "second")]
    assert ledger.turns[1].key == key


@pytest.mark.parametrize(
    ("script", "missed"),
    [
        ("1 U[\n2 U]\n3 .", True),
        ("1 U[\n1.2 U~ hm\n2 U]\n3 .", True),
        ("1 U[\n1.9 U= hello\n2 U]\n3 .", False),
        ("1 U[\n2 U]\n3 .\n4 U[\n4.5 U= hello @4.1", False),
        ("1 U[\n2 U]\n3 .\n4 U= hello @1.5", False),
        ("1 U[\n2 U]\n3 .\n4 .", True),
        ("3 .", False),
        ("1 PAUSE\n1.1 U[\n2 U]\n3 .", False),
        ("1 U[\n1.9 U= hello\n2 U]\n3 .\n5 .", False),
    ],
)
def test_missed_means_voice_without_words(script: str, missed: bool) -> None:
    assert fold(script).missed is missed


def test_speakers_are_kept_and_the_first_unknown_label_is_the_callers() -> None:
    ledger = fold("2 U= I am diabetic @1.0 *0\n3 U= and I hate fish @2.0 *1\n4 .")
    (turn,) = ledger.turns
    assert [(s.speaker, s.text) for s in turn.segments] == [("0", "I am diabetic"), ("1", "and I hate fish")]
    assert turn.speaker is None
    assert [label for label in ("0", "1") if ledger.is_caller(label)] == ["0"]


def test_a_label_introduced_as_another_is_not_the_callers() -> None:
    ledger = Ledger()
    joined = ev.Party(t=0, event="joined", role="human_agent", speaker="0")
    for event in (joined, *events("2 U= how can I help @1.0 *0\n3 U= my bill @2.0 *1\n4 .")):
        ledger.apply(event)
    assert [label for label in ("0", "1") if ledger.is_caller(label)] == ["1"]
    assert ledger.parties == (joined,)
    ledger.apply(ev.Party(t=5, event="left", role="human_agent", speaker="0"))
    assert ledger.parties == ()


def test_counters_hold_what_became_of_the_finals() -> None:
    ledger = fold("1 U= a @0.5 #x\n1.1 U= a @0.5 #x\n2 U= \n3 .\n4 U= b @2.5\n5 PAUSE\n6 U= c")
    counted = {k: v for k, v in ledger.counters.items() if k.startswith("finals")}
    assert counted == {
        "finals": 1,
        "finals_repeated": 1,
        "finals_empty": 1,
        "finals_late": 1,
        "finals_off_record": 1,
    }


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("1 U= one\n2 .\n3 U= two\n4 .", "one"),
        ("2 .", None),
        ("2 .\n3 U= late @1.0", "late"),
        ("1 U= one\n1.5 R r1\n2 .", "one"),
        ("0.5 U= zero\n0.6 .\n2 .", None),
        ("1 U= one", None),
    ],
)
def test_a_turn_end_knows_its_turn_later_too(script: str, text: str | None) -> None:
    turn = fold(script).closed_by(2.0)
    assert (turn.text if turn else None) == text


def test_a_promoted_turn_comes_back_from_a_journal_that_holds_its_partial() -> None:
    """Partials are not journalled; the one that was promoted is, as of when it came."""
    script = "1 U[\n2 U]\n2.3 U[\n2.6 U= I call about @1.0\n2.8 U~ my bill\n3 U]\n3.5 ."
    live, journal = Ledger(), list[ev.Event]()
    for event in events(script):
        for effect in live.apply(event):
            if isinstance(effect, fx.Promoted):
                journal.append(ev.UserPartial(t=effect.at, text=effect.partial_text))
        if not isinstance(event, ev.UserPartial):
            journal.append(event)
    revived = Ledger()
    for event in journal:
        revived.apply(event)
    assert told(revived) == told(live) == ["user 1 I call about", "user 2 ^my bill"]
    assert revived.turns == live.turns
