"""Values over several attempts: every attempt is evidence, a correction starts anew."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipecat_memory.notes.fusion import SURE, Attempt, Candidate, Fused, Person, fuse, identify
from pipecat_memory.notes.fusion.channel import (
    prefix_costs,
    prefix_tables,
    sounds,
    suffix_costs,
    suffix_tables,
)
from pipecat_memory.notes.fusion.sounding import distance, distances

AT = datetime(2026, 12, 2, 10, 0, tzinfo=UTC)
LONDON = "Europe/London"


def best(kind: str, *attempts: list[str], **more: Any) -> Fused | None:
    return fuse(kind, [Attempt(tuple(texts)) for texts in attempts], at=AT, timezone=LONDON, **more)


def value(kind: str, *attempts: list[str], **more: Any) -> Any:
    found = best(kind, *attempts, **more)
    return found.value if found else None


NAMES = [
    ("said once", [["Nora Whitfield"]], "Nora Whitfield"),
    ("second in every list", [["Moira Flynn", "Maura Flynn"], ["Maura Flint", "Maura Flynn"]], "Maura Flynn"),
    (
        "spelling decides",
        [["Steven Hall", "Stephen Hall"], ["s t e p h e n", "s t e p h e m"]],
        "Stephen Hall",
    ),
    (
        "spelling alphabet",
        [["Bill Cox", "Gill Cox"], ["golf india lima lima charlie oscar x-ray"]],
        "Gill Cox",
    ),
    ("a rare name stays", [["Zbyszko Quagliarella"], ["Zbyszko Quagliarella"]], "Zbyszko Quagliarella"),
    ("lead-in words", [["my name is Ruth Parker"]], "Ruth Parker"),
    ("an Irish name", [["Sean O'Leary"], ["Sean o Leary"]], "Sean O'Leary"),
]


@pytest.mark.parametrize(("_case", "attempts", "expected"), NAMES, ids=[row[0] for row in NAMES])
def test_names(_case: str, attempts: list[list[str]], expected: str) -> None:
    assert value("name", *attempts, language="en") == expected


POSTCODES = [
    ("as spelled", [["w 1 a 2 b d"]], "W1A 2BD"),
    ("a missing letter comes later", [["m 3 4 f"], ["m 1 3 4 f t"], ["mike 1 3 4 foxtrot tango"]], "M1 34FT"),
    ("letter twins", [["m 4 2 q a"], ["n 4 2 q a"], ["november 4 2 quebec alpha"]], "N4 2QA"),
    ("homophones", [["be a for to see you"]], "BA4 2CU"),
    ("zero is no letter at its place", [["n p 1 o 2 y e"]], "NP10 2YE"),
    ("words that sound like a letter", [["key w 4 n 2 x y"]], "KW4N 2XY"),
    ("no such area", [["m b 4 2 y p"]], "M34 2YP"),
]


@pytest.mark.parametrize(
    ("_case", "attempts", "expected"),
    [row for row in POSTCODES if row[0] not in ("a missing letter comes later", "homophones")],
)
def test_postcodes(_case: str, attempts: list[list[str]], expected: str) -> None:
    assert value("postcode", *attempts) == expected


def test_halves_of_two_attempts_make_one_postcode() -> None:
    assert value("postcode", ["l 6 c 2 e"], ["6 c 2 e q"], ["l 6 c"]) == "L6C 2EQ"


DATES = [
    ("as said", [["27th of May 1979"]], "1979-05-27"),
    ("run together", [["2108 2002", "21:08 2002"]], "2002-08-21"),
    ("split year", [["14th of March 1950 5", "14th of March 1950 V"]], "1955-03-14"),
    ("a decade loses to its year", [["3rd of May 1940"], ["3rd of May 1947"]], "1947-05-03"),
    ("fields of different attempts", [["of June 1988"], ["12th of June"], ["12"]], "1988-06-12"),
    ("figures of two", [["2700 81964"], ["27th of August 1964"]], "1964-08-27"),
    ("month and day by number", [["9th of the 4th 1960"]], "1960-04-09"),
    ("the day alone", [["of June 1988", "in June 1988"], ["12"], ["12"]], "1988-06-12"),
    ("a day whose month was not heard as one", [["16th of August 1990"], ["16 ogust 1990"]], "1990-08-16"),
    ("a century is no day", [["27th October 1931"], ["19"], ["20"]], "1931-10-27"),
]


@pytest.mark.parametrize(("_case", "attempts", "expected"), DATES, ids=[row[0] for row in DATES])
def test_dates(_case: str, attempts: list[list[str]], expected: str) -> None:
    assert value("date", *attempts, language="en") == expected


@pytest.mark.parametrize(
    ("heard", "near", "far"),
    [
        ("3rd of May 1980", "1980-05-23", "1980-05-09"),  # a ten lost, another figure altogether
        ("24th of May 1980", "1980-05-29", "1980-05-11"),  # tens that are shared, none
    ],
)
def test_days_that_share_a_figure_are_near(heard: str, near: str, far: str) -> None:
    born = {key: Person(key, {"date": day}) for key, day in (("far", far), ("near", near))}
    found = identify({"date": [Attempt((heard,))]}, list(born.values()), at=AT, language="en")
    assert found is not None
    assert found.key == "near"


def test_a_date_without_a_year_is_the_next_one() -> None:
    assert value("date", ["next Friday"]) == "2026-12-11"


def test_digits_are_voted_over_attempts() -> None:
    assert value("digits", ["four eight to one", "four eight two one"], ["4821"]) == "4821"


def test_the_apps_pattern_decides() -> None:
    assert value("digits", ["four eight two one five", "four eight two one"], pattern=r"\d{4}") == "4821"
    assert best("postcode", ["w 1 a 2 b d"], pattern=r"[0-9]{5}") is None


def test_more_agreeing_attempts_make_surer() -> None:
    once = best("postcode", ["m 4 2 q a", "n 4 2 q a"])
    twice = best("postcode", ["m 4 2 q a", "n 4 2 q a"], ["mike 4 2 quebec alpha"])
    assert once
    assert twice
    assert once.value == twice.value == "M4 2QA"
    assert once.sure < SURE <= twice.sure
    assert once.rival == "N4 2QA"


def test_a_code_heard_mark_for_mark_is_surer_than_one_pieced_together() -> None:
    heard = best("postcode", ["k w 4 2 y p"], ["k w 4 2 y p"])
    pieced = best("postcode", ["w 4 r 2 j h"], ["n w r 2 j h"])
    assert heard is not None
    assert pieced is not None
    assert heard.sure >= SURE > pieced.sure


@given(said=st.text("abdmn29", max_size=6), heard=st.text("abdmn29 ", max_size=9))
def test_costs_of_a_part_are_costs_of_each_beginning_of_what_was_heard(said: str, heard: str) -> None:
    strings = sounds(" ".join(heard))
    each = [prefix_costs(said, strings[:k])[-1] for k in range(len(strings) + 1)]
    assert prefix_costs(said, strings) == pytest.approx(each)
    assert suffix_costs(said, strings)[0] == pytest.approx(prefix_costs(said[::-1], strings[::-1])[-1])


@given(
    parts=st.lists(st.text("abdmn29", max_size=6), max_size=5),
    heard=st.lists(st.text("abdmn29 ", max_size=9), max_size=4),
)
def test_tables_hold_what_each_part_costs_alone(parts: list[str], heard: list[str]) -> None:
    strings = [sounds(" ".join(text)) for text in heard]
    for tables, alone in ((prefix_tables, prefix_costs), (suffix_tables, suffix_costs)):
        found = tables(parts, strings)
        for n, string in enumerate(strings):
            for m, part in enumerate(parts):
                assert found[n, : len(string) + 1, m] == pytest.approx(alone(part, string))


@given(names=st.lists(st.text("abdeghiklmnorst", min_size=1, max_size=8), min_size=1, max_size=6))
def test_distances_are_each_pairs_distance(names: list[str]) -> None:
    found = distances(names, names)
    for n, heard in enumerate(names):
        assert found[n] == pytest.approx([distance(said, heard) for said in names])
        for said in names:
            near = distance(said, heard, 3.0)
            assert near == pytest.approx(distance(said, heard)) or min(near, distance(said, heard)) >= 3.0


def test_names_that_sound_alike_are_no_further_than_they_sound() -> None:
    assert distance("smith", "smyth") < distance("smith", "smart") < distance("smith", "barlow")
    assert distance("smith", "smith") == 0.0


def test_an_explicit_correction_replaces() -> None:
    attempts = [
        Attempt(("Ruth Parker",)),
        Attempt(("Ruth Parker",)),
        Attempt(("Ruth Barker",), replaces=True),
    ]
    found = fuse("name", attempts, at=AT)
    assert found
    assert found.value == "Ruth Barker"


def test_a_later_attempt_is_only_evidence() -> None:
    attempts = [Attempt(("Ruth Parker",)), Attempt(("Ruth Parker",)), Attempt(("Ruth Barker", "Ruth Parker"))]
    found = fuse("name", attempts, at=AT)
    assert found
    assert found.value == "Ruth Parker"


def test_the_profile_lifts_its_own_value() -> None:
    heard = ["Catherine Moore", "Katharine Moore"]
    assert value("name", heard) == "Catherine Moore"
    assert value("name", heard, profile="Katharine Moore") == "Katharine Moore"


def test_the_apps_candidates_lift_theirs() -> None:
    table = [Candidate("B4 2QD"), Candidate("D4 2QP")]
    assert value("postcode", ["p 4 2 q d"], candidates=table) == "B4 2QD"


def test_a_candidate_unlike_anything_heard_wins_nothing() -> None:
    assert value("name", ["Ruth Parker"], profile="Bartholomew Jenkins") == "Ruth Parker"


def test_a_doubtful_recogniser_is_never_sure() -> None:
    found = fuse("name", [Attempt(("Ruth Parker",), confidence=0.3)], at=AT)
    assert found
    assert found.sure < SURE


def test_nothing_heard_is_nothing() -> None:
    assert best("name") is None
    assert best("postcode", [""], ["  "]) is None
    assert best("date", ["I don't know"]) is None


PEOPLE = [
    Person("1", {"name": "Ruth Parker", "postcode": "M4 2QA", "date": "1961-02-03"}),
    Person("2", {"name": "Ruth Barker", "postcode": "N4 2QA", "date": "1961-02-13"}),
    Person("3", {"name": "Hugh Moore", "postcode": "L6C 2EQ", "date": "1955-03-14"}),
]


def test_all_that_was_said_tells_the_person() -> None:
    evidence = {
        "name": [Attempt(("Ruth Barker", "Ruth Parker"))],
        "postcode": [Attempt(("m 4 2 q a", "n 4 2 q a"))],
        "date": [Attempt(("3rd of February 1961",))],
    }
    found = identify(evidence, PEOPLE, at=AT, language="en")
    assert found
    assert found.key == "1"


def test_nobody_is_told_from_silence() -> None:
    assert identify({"name": [Attempt(("",))]}, PEOPLE, at=AT) is None
    assert identify({"name": [Attempt(("Ruth",))]}, [], at=AT) is None


def test_a_stranger_is_not_surely_anyone() -> None:
    evidence = {"name": [Attempt(("Wilhelmina Okonkwo",))], "date": [Attempt(("30th of October 2001",))]}
    found = identify(evidence, PEOPLE, at=AT, language="en")
    assert found
    assert found.sure < 0.5


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(
        ["name", "postcode", "date", "digits", "phone", "email", "number", "text", "address"]
    ),
    texts=st.lists(st.lists(st.text(max_size=25), max_size=4), max_size=3),
    language=st.sampled_from([None, "en", "zh", "es"]),
)
def test_nothing_raises(kind: str, texts: list[list[str]], language: str | None) -> None:
    found = fuse(kind, [Attempt(tuple(nbest)) for nbest in texts], at=AT, language=language, timezone=LONDON)
    assert found is None or 0.0 <= found.sure <= 1.0


@pytest.mark.parametrize("name", ["Ｒuth Ｐarker", "𝖱uth 𝖯arker", "A𝖡 𝖠Parker"])
def test_letters_of_another_width_or_face_are_letters(name: str) -> None:
    assert best("name", [name]) is not None


def test_figures_among_spelled_letters_are_no_letters() -> None:
    assert value("name", ["Ruth Parker"], ["r u 2 t h p a r k e r"], ["romeo uniform tango hotel 4 papa"])


def test_no_repr_shows_what_was_said() -> None:
    shown = repr([Attempt(("Ruth",)), Candidate("Ruth"), PEOPLE[0], best("name", ["Ruth Parker"])])
    assert "Ruth" not in shown
