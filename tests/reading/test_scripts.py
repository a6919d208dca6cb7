"""Keywords find what was said in scripts without spaces, and where words carry their particles."""

from __future__ import annotations

import pytest

from pipecat_memory.reading.entry import Entry, Query
from pipecat_memory.reading.index import Index

SAID = {
    "ja": ("私は甲殻類アレルギーがあります", "娘の名前は美咲です", "車は赤いトヨタです"),
    "ko": ("저는 땅콩 알레르기가 있어요", "제 딸 이름은 민지예요", "제 차는 빨간 현대예요"),
    "th": ("ฉันแพ้ถั่วลิสง", "ลูกสาวของฉันชื่อมะลิ", "รถของฉันเป็นโตโยต้าสีแดง"),
}


@pytest.mark.parametrize(
    ("language", "question", "found"),
    [
        ("ja", "アレルギーは何でしたか", 0),
        ("ja", "娘の名前を覚えていますか", 1),
        ("ko", "알레르기가 뭐였죠", 0),
        ("ko", "딸 이름이 뭐예요", 1),
        ("th", "แพ้ถั่วลิสงไหม", 0),
        ("th", "ลูกสาวชื่ออะไร", 1),
        ("ja", "フランスの首都はどこですか", None),
        ("ko", "프랑스의 수도는 어디예요", None),
        ("th", "เมืองหลวงของฝรั่งเศสคืออะไร", None),
    ],
)
def test_found_by_keywords_alone(language: str, question: str, found: int | None) -> None:
    index = Index()
    index.add(
        [
            Entry(id=f"{n}", kind="turn", text=text, call=f"c{n}", language=language)
            for n, text in enumerate(SAID[language])
        ]
    )
    hits = index.search(Query(text=question))
    assert [hit.entry.id for hit in hits] == ([] if found is None else [f"{found}"])
