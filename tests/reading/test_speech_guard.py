"""What must not be spoken is taken out, and what may be spoken is not held back."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.speech_guard import SpeechGuard, sentences

FIELDS = ("party_size", "preferred_name", "date", "name")

CASES = [
    ("Your table is booked.", "Your table is booked.", (0, 0, 0)),
    ("<memory kind='notes'>Name: Ana</memory>Hello!", "Hello!", (1, 0, 0)),
    ("Hello <memory>secret</memory> there.", "Hello there.", (1, 0, 0)),
    ("Hello. <memory>never closed", "Hello. ", (1, 0, 0)),
    ("All right.</memory> See you.", "All right. See you.", (1, 0, 0)),
    ("[party_size: 4] A table for four.", "A table for four.", (0, 1, 0)),
    ("(note: caller is upset) I am sorry.", "I am sorry.", (0, 1, 0)),
    ('{"party_size": 4} Done.', "Done.", (0, 1, 0)),
    ("party_size: 4, a table for four.", "a table for four.", (0, 1, 0)),
    ("Your party_size is four.", "Your party size is four.", (0, 0, 1)),
    ("Write to ana_b@example.org, please.", "Write to ana_b@example.org, please.", (0, 0, 0)),
    ("Is 3 < 4? Yes (of course).", "Is 3 < 4? Yes (of course).", (0, 0, 0)),
    ('Wait <break time="1s"/> now.', 'Wait <break time="1s"/> now.', (0, 0, 0)),
    ("The date is fixed. Name it.", "The date is fixed. Name it.", (0, 0, 0)),
    ("<MEMORY>x</Memory>Good.", "Good.", (1, 0, 0)),
    ("<think>quick</think>Fine.", "<think>quick</think>Fine.", (0, 0, 0)),
    (
        '[note.date] date = 2026-03-06 (confirmed, said "Friday") So Friday it is.',
        "So Friday it is.",
        (0, 1, 0),
    ),
    ("[note.goal] goal: book a table. So, Friday?", "So, Friday?", (0, 1, 0)),
    ("[recall.turn.c1.1] From 2026-03-02: my pin is 4711. Fine.", "Fine.", (0, 1, 0)),
    ('Yes. [fact.be110750ae8a] preferences: window seat; said 2026-03-02: "x". Hi.', "Yes. Hi.", (0, 1, 0)),
    ("[name] Goes by: Ana. Hi Ana.", "Hi Ana.", (0, 1, 0)),
    ("Goes by: Ana. Hi Ana.", "Hi Ana.", (0, 1, 0)),
    ("[next] Suggested next step: ask_slot party_size: required. How many?", "How many?", (0, 1, 0)),
    ("Suggested next step: confirm date. Friday?", "Friday?", (0, 1, 0)),
    ("[open1] Left open: table, Friday. Shall we?", "Shall we?", (0, 1, 0)),
    ('[turn3] Turn 3, caller: "well".\nGood.', "Good.", (0, 1, 0)),
    (
        "[dropped.date] Noted before the line dropped: date = 2026-03-06 (inferred) Friday?",
        "Friday?",
        (0, 1, 0),
    ),
    ("Noted before the line dropped: Friday. Right?", "Right?", (0, 1, 0)),
    (
        "[document.d1] Document d1 says name = Bo, but the caller said Al: go by the caller. Al?",
        "Al?",
        (0, 1, 0),
    ),
    (
        "[cut.r1] The last reply was cut off; the caller may have heard none of it\nAgain: noon.",
        "Again: noon.",
        (0, 1, 0),
    ),
    ("date = 2026-03-06 (confirmed), your table is booked.", ", your table is booked.", (0, 1, 0)),
    ("name = Ana, date = 2026-03-06. Good.", "Good.", (0, 2, 0)),
    ('It is Friday (confirmed, said "Friday") then.', "It is Friday then.", (0, 1, 0)),
    ("Two (pending; unsure: or three?) people.", "Two people.", (0, 1, 0)),
    ("call_tool book_table now. Booked.", "Booked.", (0, 1, 0)),
    ("I will call_tool book_table now.", "I will", (0, 1, 0)),
    ("ask_slot date", "", (0, 1, 0)),
    ("Working notes of this call. Hello.", "Hello.", (0, 1, 0)),
]
SPOKEN = [
    "Your date of birth, please.",
    "The date is Friday, and the name is Ana.",
    "Noted. Friday at seven (7 pm) it is.",
    "Noted before, yes.",
    "I have noted that. She goes by Lena.",
    "Let me call the tool shop now.",
    "I'll confirm the date with you (pending your yes).",
    "Is it confirmed (or not)?",
    "Your table [the round one] is free.",
    "The next step is to confirm. Working hours are nine to five.",
    "One open item: the deposit. Last call for drinks is at ten.",
    "Turn left after 3 turns, caller parking is free.",
    "As I recall, from Monday on we open at 8.",
    "I take notes of this call for you.",
    "What this means is simple. Ask which you like.",
    "Name: Ana Ruiz. Date: Friday.",
    "Two plus two = four.",
    "Hello [name], how are you?",
]


@pytest.mark.parametrize("text", SPOKEN)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_what_a_caller_may_hear_is_left_as_it_is(text: str, size: int) -> None:
    guard = SpeechGuard((*FIELDS, "note", "recall"))
    pieces = [guard.feed(text[i : i + size]) for i in range(0, len(text), size)]
    assert "".join(pieces) + guard.end() == text
    assert (guard.counts.tags, guard.counts.notes, guard.counts.fields) == (0, 0, 0)


@pytest.mark.parametrize("text", [text for text in SPOKEN if not set(text) & set("([")])
def test_what_a_caller_may_hear_waits_for_a_few_words_at_most(text: str) -> None:
    guard = SpeechGuard(FIELDS)
    said, fed = "", ""
    for word in text.split(" "):
        fed += f"{word} "
        said += guard.feed(f"{word} ")
        assert len(fed) - len(said) <= len("noted before the ")


@pytest.mark.parametrize(("text", "spoken", "counts"), CASES)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_takes_out_the_same_however_it_is_cut(
    text: str, spoken: str, counts: tuple[int, int, int], size: int
) -> None:
    guard = SpeechGuard(FIELDS)
    pieces = [guard.feed(text[i : i + size]) for i in range(0, len(text), size)]
    got = "".join(pieces) + guard.end()
    assert got.split() == spoken.split()
    assert (guard.counts.tags, guard.counts.notes, guard.counts.fields) == counts


def test_clean_text_goes_through_at_once() -> None:
    guard = SpeechGuard(FIELDS)
    for word in ["We", "are", "open", "until", "nine", ",", "and", "tomorrow", "too"]:
        assert guard.feed(word + " ") == word + " "


@pytest.mark.parametrize(
    "leak", ["[note.date] x", "goes by: x", "name = x", "call_tool x", "working notes of"]
)
def test_a_line_of_ours_holds_no_more_than_its_sentence(leak: str) -> None:
    guard = SpeechGuard(FIELDS)
    assert guard.feed("One ") == "One "
    assert guard.feed(f"{leak} this call two three. ") + guard.feed("Four five. ") == "Four five. "


@pytest.mark.parametrize("opener", ["(", "[", "{", "<", "party_size"])
def test_holds_no_more_than_one_sentence(opener: str) -> None:
    guard = SpeechGuard(FIELDS)
    first = guard.feed(f"One {opener} two three. ")
    second = guard.feed("Four five. ")
    assert "three" in first.replace("(", "") or "three" in first + second
    assert "Four" in first + second


def test_an_element_over_many_pieces_is_dropped_whole() -> None:
    guard = SpeechGuard()
    parts = ["Hi. <memory", " kind='x'>a. ", "b. c. ", "d</mem", "ory> Bye."]
    spoken = "".join(guard.feed(p) for p in parts) + guard.end()
    assert spoken.split() == ["Hi.", "Bye."]
    assert guard.counts.tags == 1


def test_a_cut_reply_leaves_nothing_behind() -> None:
    guard = SpeechGuard(FIELDS)
    guard.feed("Hello <memory>a")
    guard.drop()
    assert guard.feed("Next one.") + guard.end() == "Next one."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One.", 1),
        ("One. Two! Three?", 3),
        ("It is 5.30 p.m. now. Fine.", 2),
        ("Dr. Silva is in. Hold on.", 2),
        ("はい。わかりました。", 2),
        ("no full stop", 1),
        ("", 0),
        ("Well... yes.", 2),
    ],
)
def test_counts_sentences(text: str, count: int) -> None:
    assert sentences(text) == count


def test_counts_replies_that_are_too_long() -> None:
    guard = SpeechGuard()
    for text, long in (("A b. C d.", 0), ("A b. C d. E f.", 1), ("Fine.", 1)):
        guard.feed(text)
        guard.end()
        assert guard.counts.long_replies == long


ENDLESS = {
    "one word": "a",
    "one name": "a_",
    "full stops": ".",
    "brackets": "[",
    "pairs": "()",
    "notes begun": "[a_b: ",
    "angles": "<",
    "elements": "<memory>x</memory> ",
    "fields": "party_size: ",
    "quotes": '."',
}


@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_answer_without_an_end_in_one_piece_holds_nobody_up(piece: str) -> None:
    """Time that grows with the square of the length would be many minutes here."""
    guard = SpeechGuard(FIELDS)
    text = piece * (200_000 // len(piece))
    assert len(guard.feed(text) + guard.end()) <= len(text)
