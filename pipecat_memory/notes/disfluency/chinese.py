"""Corrections in Chinese, which has no blanks: 四个人，不对，五个人."""

from __future__ import annotations

import re
from functools import lru_cache

from pipecat_memory.notes.disfluency.language import read
from pipecat_memory.notes.spoken.chinese import NUMBER, either

_PAUSE = r"[\s，,。、；;！!…—]"
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+")


@lru_cache(maxsize=1)
def _cue() -> re.Pattern[str]:
    table = read("zh")
    strong, glue = either(table["strong"]), either(table["glue"])
    weak = either(table["weak"])
    return re.compile(
        rf"{_PAUSE}*(?:(?<={_PAUSE[:-1]}])(?:{weak})(?={_PAUSE})|(?:{strong}))(?:{_PAUSE}*(?:{strong}|{glue}))*{_PAUSE}*"
    )


TRAILING = 8
"""Characters that may follow what is replaced: 四个人的位子，不对，五个人."""


def tokens(text: str) -> list[tuple[int, int]]:
    """Characters of Chinese and words of other scripts, by place."""
    return [match.span() for match in _TOKEN.finditer(text)]


def find_fillers(text: str) -> list[tuple[int, int]]:
    """Filled pauses that stand alone between pauses, or open the utterance."""
    words = either(read("zh")["fillers"])
    return [match.span() for match in re.finditer(rf"(?:^|(?<={_PAUSE}))(?:{words})+{_PAUSE}+", text)]


def find_edits(text: str) -> list[tuple[int, int, int, int]]:
    """Every correction: where the replaced words begin and end, the edit phrase and the replacement begin."""
    found: list[tuple[int, int, int, int]] = []
    floor = 0
    for match in _cue().finditer(text):
        if match.start() <= floor or match.end() >= len(text):
            continue
        span = _replaced(text, floor, match.start(), match.end())
        if span:
            found.append((*span, match.start(), match.end()))
            floor = match.end()
    return found


_KINDS = (
    re.compile(rf"{NUMBER}(?:个|位|人|张|份|间|晚|点|块|元|号|月|日|天)+"),
    re.compile(
        r"(?:大?[今明后昨前]天|[这下上]?个?(?:周|星期|礼拜)[一二三四五六日天])(?:[早中下晚]?[上午]?(?:[0-9零一二两三四五六七八九十]+点半?)?)?"
    ),
    re.compile(r"(?:早上|上午|中午|下午|晚上)(?:[0-9零一二两三四五六七八九十]+点半?)?"),
    re.compile(NUMBER),
)


def _replaced(text: str, floor: int, cue: int, repair: int) -> tuple[int, int] | None:
    """The words that the replacement stands for: the last of the same kind."""
    before = text[floor:cue]
    for kind in _KINDS:
        if kind.match(text, repair):
            same = list(kind.finditer(before))
            if same and len(before) - same[-1].end() <= TRAILING:
                return floor + same[-1].start(), floor + same[-1].end()
    head = text[repair : repair + 1]
    at = before.rfind(head)
    return (floor + at, cue) if at >= 0 and len(before) - at <= 8 else None
