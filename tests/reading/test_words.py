"""Words as the index counts them, in the scripts and languages it knows."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.words import (
    date_terms,
    fold,
    grams,
    guess_language,
    ideographic,
    pairs,
    stem,
    terms,
    without,
)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The children's books cost £4,700", "en", ["child", "book", "cost", "4700"]),
        ("two kids at 4pm in May", "en", ["2", "child", "4", "pm", "month5"]),
        ("it may rain", "en", ["rain"]),
        ("She bought apples; he buys one", "en", ["buy", "appl", "buy", "1"]),
        ("007 and 0", "en", ["7", "0"]),
        ("don’t you and I", "en", []),
        ("las citas del jueves", "es", ["cit", "juev"]),
        ("die Häuser in München", "de", ["haus", "munch"]),
        ("我住在北京", "zh", ["住", "北", "京", "我住", "住在", "在北", "北京"]),
        ("娘の名前を覚えて", "ja", ["娘", "名", "前", "覚", "娘の", "の名", "名前", "前を", "を覚", "覚え"]),
        ("りんご", "ja", ["り", "ん", "ご", "りん", "んご"]),
        ("치과는 네", "ko", ["치과", "과는", "네"]),
        ("แพ้ถั่ว", "th", ["แพ้", "พ้ถั่", "ถั่ว"]),
        ("๒๓ กก", "th", ["๒๓", "กก"]),
        ("ＡＢＣ１２", "en", ["abc", "12"]),
        ("unknown tongue", "xx", ["unknown", "tongue"]),
        ("", "en", []),
        ("?! …", "en", []),
    ],
)
def test_terms(text: str, language: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("went", "going", "en"),
        ("mum", "mother", "en"),
        ("kids", "child", "en"),
        ("seventeen", "17", "en"),
        ("february", "feb", "en"),
        ("marzo", "marzo", "es"),
        ("reservas", "reserva", "es"),
    ],
)
def test_forms_that_meet(one: str, other: str, language: str) -> None:
    assert stem(one, language) == stem(other, language)


@pytest.mark.parametrize(("one", "other"), [("peso", "pesó"), ("hat", "heat"), ("march", "mark")])
def test_forms_that_stay_apart(one: str, other: str) -> None:
    assert stem(fold(one), "en") != stem(fold(other), "en")


@pytest.mark.parametrize(
    ("text", "fallback", "expected"),
    [
        ("Where is my parcel?", "en", "en"),
        ("¿Dónde está mi paquete y cuándo llega?", "en", "es"),
        ("Wo ist mein Paket und wann kommt es?", "en", "de"),
        ("Où est mon colis et quand arrive-t-il ?", "en", "fr"),
        ("我的包裹在哪里", "en", "zh"),
        ("parcel", "de", "de"),
        ("", "fr", "fr"),
    ],
)
def test_the_language_of_a_text(text: str, fallback: str, expected: str) -> None:
    assert guess_language(text, fallback) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("我住在北京", True), ("call 北京 office at noon today", False), ("plain", False), ("", False)],
)
def test_mostly_written_without_spaces(text: str, expected: bool) -> None:
    assert ideographic(text) is expected


def test_ideographs_come_single_and_in_pairs_and_particles_only_in_pairs() -> None:
    assert grams("我的猫") == ["猫", "我的", "的猫"]


@pytest.mark.parametrize("gram", ["치과", "แพ้"])
def test_pairs_join_no_grams(gram: str) -> None:
    assert pairs(["visa", gram, gram, "visa"]) == []


def test_pairs_join_neighbours_but_not_ideographs() -> None:
    assert pairs(["red", "car", "猫", "key"]) == ["red car"]
    assert pairs(["alone"]) == []


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2024-03-05T10:00:00", ["2024", "month3", "5"]),
        ("2024-12-31", ["2024", "month12", "31"]),
        ("", []),
        ("yesterday", []),
    ],
)
def test_the_day_as_terms(at: str, expected: list[str]) -> None:
    assert date_terms(at) == expected


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Where does Ada's brother live?", ("ada",), "Where does brother live?"),
        ("Adam and ada", ("ada",), "Adam and"),
        ("Ada Lovelace sings", ("ada", "ada lovelace"), "sings"),
        ("Ada?", ("ada",), "Ada?"),
        ("no names", (), "no names"),
    ],
)
def test_names_taken_out(text: str, names: tuple[str, ...], expected: str) -> None:
    assert without(text, names) == expected
