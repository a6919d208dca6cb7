"""The notes as a whole: the model's patch, a person's correction, rollback, the log, the end."""

from __future__ import annotations

from typing import Any

import pytest

from pipecat_memory.errors import UsedWrongly
from pipecat_memory.notes.book import Notes, correct, patch, rollback, settle
from pipecat_memory.notes.patch import DeepPatch, SlotFinding
from pipecat_memory.notes.steps import COMPLETED, PENDING
from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.schema import DEFAULT_SCHEMA, MemorySchema, Slot
from tests.notes.talk import AT, BOOKING, held, opened, say, talk, values

THURSDAY, FRIDAY = "2026-12-03", "2026-12-04"

PICK_UP = MemorySchema(
    (
        Slot("when", "datetime"),
        Slot("person", "text"),
        Slot("car", values=["limousine", "van"], synonyms={"van": ["面包车"]}),
    )
)
WORDS = {
    "zh": ("明天下午三点去接老周，要面包车", "再买一盒茶叶", "说错了，是后天下午三点", "然后送他去公司"),
    "en": (
        "pick up old Joe tomorrow at three pm, with a van",
        "and buy a box of tea",
        "I got that wrong, it's the day after tomorrow at three pm",
        "after that take him to the office",
    ),
}
FOUND = {"zh": ("老周", "接人"), "en": ("old Joe", "pick-up")}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_pick_up_in_four_turns(language: str) -> None:
    notes = opened(PICK_UP, "Asia/Shanghai")
    person, task = FOUND[language]
    times = ["2026-12-01T15:00", "2026-12-01T15:00", "2026-12-02T15:00", "2026-12-02T15:00"]
    for turn, (text, when) in enumerate(zip(WORDS[language], times, strict=True), 1):
        notes = say(notes, text, turn=turn)
        assert held(notes, "when").value.startswith(when)
        assert held(notes, "car").value == "van"
        findings = (SlotFinding("person", person, text),) if turn == 1 else ()
        steps = (f"step {turn}",)
        notes = patch(notes, DeepPatch(findings, task=task, pending_steps=steps), turn, AT)
    assert held(notes, "person").value == person
    assert held(notes, "person").confidence == "confirmed"
    assert notes.state.task == task
    assert notes.state.pending_steps == ("step 1", "step 2", "step 3", "step 4")
    assert notes.state.step == "step 1"


def found(name: str, value: Any, quote: str, *, explicit: bool = True) -> DeepPatch:
    return DeepPatch((SlotFinding(name, value, quote, explicit),))


def test_a_patch_fills_and_refines_but_never_undoes() -> None:
    notes = talk("hello there", "it's Thursday", schema=BOOKING)
    filled = patch(notes, found("area", "South", "down south"), 1, AT)
    assert (held(filled, "area").value, held(filled, "area").confidence) == ("south", "confirmed")
    implied = patch(notes, found("area", "south", "where it's warm", explicit=False), 1, AT)
    assert held(implied, "area").confidence == "inferred"
    assert values(patch(notes, found("day", FRIDAY, "Friday"), 1, AT)) == {"day": THURSDAY}, "a late patch"
    assert values(patch(notes, found("day", FRIDAY, "Friday"), 2, AT)) == {"day": THURSDAY}, "surely heard"
    assert held(patch(notes, found("day", FRIDAY, "Friday"), 3, AT), "day").asked == FRIDAY


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nothing", "x"),
        ("area", "west"),
        ("day", "some day"),
        ("guests", "many"),
        ("account", "12"),
        ("parking", 7),
    ],
)
def test_what_does_not_fit_the_schema_stays_out(name: str, value: Any) -> None:
    notes = opened(BOOKING)
    assert patch(notes, found(name, value, "words"), 1, AT).state.slots == {}


def test_steps_are_merged_capped_and_folded() -> None:
    notes = patch(opened(), DeepPatch(pending_steps=("Call back", "send form")), 1, AT)
    notes = patch(
        notes, DeepPatch(pending_steps=("send form.", "book"), completed_steps=("call back",)), 2, AT
    )
    assert notes.state.pending_steps == ("send form", "book")
    assert notes.state.completed_steps == ("call back",)
    for n in range(40):
        notes = patch(notes, DeepPatch(pending_steps=(f"p{n}",), completed_steps=(f"c{n}",)), n, AT)
    assert len(notes.state.pending_steps) == PENDING
    assert len(notes.state.completed_steps) == COMPLETED
    assert notes.state.completed_steps[0] == "… 30 earlier"
    assert notes.state.completed_steps[-1] == "c39"


def test_two_patches_at_once_do_not_overwrite_each_other() -> None:
    one = DeepPatch(task="t", pending_steps=("a",))
    two = DeepPatch(topic="x", pending_steps=("b",))
    state = patch(patch(opened(), one, 1, AT), two, 1, AT).state
    assert (state.task, state.topic, state.pending_steps) == ("t", "x", ("a", "b"))


def test_the_log_says_where_from_and_why() -> None:
    notes = talk("Thursday", "no, Friday")
    first, second = notes.changes
    assert first.report() == {
        "turn": 1, "path": "/slots/date/value", "before": None, "after": THURSDAY,
        "cause": {"by": "caller", "quote": "Thursday"},
    }  # fmt: skip
    assert second.report() == {
        "turn": 2, "path": "/slots/date/value", "before": THURSDAY, "after": FRIDAY,
        "cause": {"by": "caller", "quote": "no, Friday"},
    }  # fmt: skip


def test_a_secret_stays_out_of_the_log() -> None:
    notes = say(opened(BOOKING), "my pin is 4 4 0 9")
    assert values(notes) == {"pin": "4409"}
    (change,) = notes.changes
    assert change.report() == {
        "turn": 1, "path": "/slots/pin/value", "before": None, "after": "***", "cause": {"by": "caller"},
    }  # fmt: skip


def test_rollback_puts_back_and_logs_it() -> None:
    first = talk("Thursday")
    later = say(first, "no, Friday at 7 pm")
    back = rollback(later, first, 2, AT)
    assert back.state.slots == first.state.slots
    assert back.changes[: len(later.changes)] == later.changes
    put = {(c.path, c.after, c.by) for c in back.changes[len(later.changes) :]}
    assert put == {("/slots/date/value", THURSDAY, "operator"), ("/slots/time/value", None, "operator")}


CORRECTIONS: list[tuple[str, Any, str]] = [
    ("/slots/day", FRIDAY, "/slots/day/value"),
    ("/slots/day/value", FRIDAY, "/slots/day/value"),
    ("/slots/day", {"value": FRIDAY}, "/slots/day/value"),
    ("/slots/area", "South", "/slots/area/value"),
    ("/slots/extras", ["cake"], "/slots/extras/value"),
    ("/slots/parking", True, "/slots/parking/value"),
    ("/slots/guests", 3, "/slots/guests/value"),
    ("/task", "a new task", "/task"),
    ("/pending_steps", ["a", "b"], "/pending_steps"),
    ("/pending_steps/-", "c", "/pending_steps"),
]


@pytest.mark.parametrize(("path", "value", "logged"), CORRECTIONS)
def test_a_person_mends_the_notes(path: str, value: Any, logged: str) -> None:
    notes = correct(opened(BOOKING), path, value, "Eva", AT, 0)
    (change,) = notes.changes
    assert (change.path, change.by) == (logged, "operator")
    assert all(slot.confidence == "confirmed" for slot in notes.state.slots.values())


def test_none_takes_away() -> None:
    assert values(correct(talk("Thursday"), "/slots/date", None, "Eva", AT, 1)) == {}


@pytest.mark.parametrize(
    ("path", "value"),
    [("day", 1), ("/slots/nothing", "x"), ("/slots/area", "west"), ("/slots/day", "x"), ("/task", 3), ("", 1),
     ("/pending_steps/4", "x"), ("/pending_steps", "x"), ("/slots", {}), ("/updated_at", "x")],
)  # fmt: skip
def test_a_wrong_correction_is_refused(path: str, value: Any) -> None:
    with pytest.raises(UsedWrongly):
        correct(opened(BOOKING), path, value, "Eva", AT, 0)


def test_what_waits_at_the_end_is_kept_as_unconfirmed() -> None:
    notes = talk("Thursday at 7 pm", "no, Friday", schema=BOOKING)
    assert held(notes, "time").confidence == "pending"
    assert held(settle(notes, AT), "time").confidence == "inferred"
    doubtful = say(opened(BOOKING), "Friday", trust="low")
    assert held(settle(doubtful, AT), "day").confidence == "pending", "never set, so not kept as set"


def asked(slot: str) -> NextStep:
    return NextStep("ask_slot", "required", slot=slot)


def keyed(notes: Notes, digits: str, slot: str | None = None) -> Notes:
    return say(notes, digits, source="dtmf", asked=asked(slot) if slot else None)


KEYED: list[tuple[str, str | None, dict[str, Any]]] = [
    ("440921", "account", {"account": "440921"}),
    ("440921#", "account", {"account": "440921"}),
    ("440921", None, {"account": "440921"}),
    ("4409", None, {"pin": "4409"}),
    ("4", "guests", {"guests": 4}),
    ("12345", "account", {}),
    ("", "account", {}),
    ("*", "guests", {}),
]


@pytest.mark.parametrize(("digits", "slot", "expected"), KEYED)
def test_keyed_digits_fill_the_slot_in_play(digits: str, slot: str | None, expected: dict[str, Any]) -> None:
    notes = keyed(opened(BOOKING), digits, slot)
    assert values(notes) == expected
    assert all(h.confidence == "confirmed" for h in notes.state.slots.values())
    assert all(c.by == "dtmf" for c in notes.changes)


PHONE = "Please enter your phone number."
PARTS: list[tuple[str, list[tuple[str, str]], str | None]] = [
    ("Europe/London", [(PHONE, "02079460958")], "+442079460958"),
    ("Europe/London", [(PHONE, "020 7946 0958#")], "+442079460958"),
    ("Europe/London", [(PHONE, "0207"), (PHONE, "946"), (PHONE, "0958")], "+442079460958"),
    ("Europe/London", [(PHONE, "0207946"), (PHONE, "0958")], "+442079460958"),
    ("America/New_York", [(PHONE, "212"), ("", "5550123")], None),
    ("America/New_York", [(PHONE, "212"), (PHONE, "5550123")], "+12125550123"),
    ("UTC", [(PHONE, "212"), (PHONE, "5550123")], "2125550123"),
    # A number keyed anew, and a key that answers something else, are no continuation.
    ("UTC", [(PHONE, "2125550123"), (PHONE, "2125550124")], "2125550124"),
    ("UTC", [(PHONE, "2125550123"), ("Is that your phone number? Press 1 for yes.", "1")], "2125550123"),
    ("UTC", [(PHONE, "212"), ("How many people?", "5550123")], None),
    ("Europe/Madrid", [("Marque su número de teléfono.", "912"), ("Su teléfono:", "345")], None),
    ("Europe/Madrid", [("Marque su número de teléfono.", "912"), ("Teclee el teléfono.", "345678")],
     "+34912345678"),
    ("Asia/Shanghai", [("请输入您的手机号。", "138"), ("请输入您的手机号。", "00138000")], "+8613800138000"),
    ("Europe/Berlin",
     [("Bitte geben Sie Ihre Telefonnummer ein.", "030"), ("Geben Sie Ihr Telefon ein.", "1234567")],
     "+49301234567"),
]  # fmt: skip


@pytest.mark.parametrize(("timezone", "turns", "expected"), PARTS)
def test_a_phone_number_keyed_in_parts(
    timezone: str, turns: list[tuple[str, str]], expected: str | None
) -> None:
    notes = opened(DEFAULT_SCHEMA, timezone)
    for turn, (agent, digits) in enumerate(turns, 1):
        notes = say(notes, digits, agent, turn=turn, source="dtmf")
    assert values(notes).get("phone") == expected


def test_a_code_keyed_in_parts() -> None:
    parts = keyed(keyed(opened(BOOKING), "440", "account"), "921", "account")
    assert values(parts) == {"account": "440921"}
    assert values(keyed(parts, "123456", "account")) == {"account": "123456"}
    apart = say(keyed(opened(BOOKING), "440", "account"), "one moment please")
    assert values(keyed(apart, "921", "account")) == {}


def test_keyed_digits_replace_what_was_misheard() -> None:
    notes = say(opened(BOOKING), "my account is 4 4 0 9 2 2")
    assert values(keyed(notes, "440921", "account")) == {"account": "440921"}
