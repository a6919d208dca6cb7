"""Words of scripts with combining marks stay whole: in the notes, in quotes, in what is searched."""

from __future__ import annotations

import unicodedata

import pytest

from pipecat_memory.notes.spoken.words import split
from pipecat_memory.notes.tokens import tokens
from pipecat_memory.reading.words import terms
from pipecat_memory.records.turn import Turn
from pipecat_memory.writing.clean import clean
from pipecat_memory.writing.quote import locate
from pipecat_memory.writing.quote import tokens as quoted
from tests.notes.talk import opened, say, values

TEXTS = {
    "hi": "मैं शाकाहारी हूँ",
    "ar": "أنا نَبَاتِيٌّ وأحبّ القهوة",
    "th": "ฉัน เป็น มังสวิรัติ ครับผม",
    "ta": "நான் சைவ உணவு உண்பவன்",
    "he": "אֲנִי צִמְחוֹנִית",
    "vi": unicodedata.normalize("NFD", "tôi tên là Nguyễn"),
    "fr": unicodedata.normalize("NFD", "je préfère l'après-midi à côté"),
    "fa": "من گیاه\u200cخوار هستم",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_mark_is_cut_off_its_letter(text: str) -> None:
    letters = "".join(c for c in text if c not in " -'")
    for find in (tokens, quoted, split):
        found = [text[word.start : word.end] for word in find(text)]
        assert "".join(c for c in "".join(found) if c not in "-'") == letters
        assert not any(unicodedata.category(piece[0]).startswith("M") for piece in found)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_quote_and_clean_text_keep_every_mark(text: str) -> None:
    assert clean(text, None).text == text
    place = locate(text, Turn(1, "t", text, 0.0))
    assert place is not None
    assert place.words == text


def test_a_decomposed_name_is_a_name() -> None:
    name = unicodedata.normalize("NFD", "José Muñoz")
    assert values(say(opened(), f"me llamo {name}")) == {"name": name}


def test_what_is_searched_keeps_marks_with_their_letters() -> None:
    assert terms("हूँ", "xx") == ["हूँ"]
    assert terms("กิน ข้าว", "th") == ["กิน", "ข้า", "าว"]
