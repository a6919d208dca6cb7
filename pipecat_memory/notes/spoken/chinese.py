"""Chinese numbers and amounts. Dates and times stand in `chinese_moments.py`."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib import resources
from typing import Any

from pipecat_memory.notes.spoken.figures import find_figures
from pipecat_memory.notes.spoken.span import Span


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    """The words of Chinese, from `tables/zh.json`."""
    return json.loads(
        (resources.files("pipecat_memory.notes.spoken") / "tables" / "zh.json").read_text("utf-8")
    )


def either(words: dict[str, Any] | list[str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


NUMBER = r"[0-9零〇一幺二两三四五六七八九十百千万亿]+"
_PEOPLE = re.compile(r"位|名|人|个(?:大人|小孩|孩子|人)")
"""Behind a number they make it one of people, who come whole: 十二点三位 is three people at twelve."""
_POINT = re.compile(rf"({NUMBER})(?:点([零〇一二三四五六七八九0-9]+))?")
_MEASURED = re.compile(r"[个位人桌份张件瓶杯碗箱包条台辆间晚次岁斤米]")
# Words in which a numeral is no number.
_IDIOM = re.compile(
    r"一(?:下|定|样|起|直|些|点|般|共|会儿|边|旦|切)|万一|十分|千万|星期.|周[一二三四五六日]|礼拜."
)
_DIGITS = re.compile(r"[0-9零〇一幺二两三四五六七八九](?:[\s,，、-]?[0-9零〇一幺二两三四五六七八九])+|\d")
_MONEY = re.compile(
    rf"({NUMBER})\s*(?:点([零〇一二三四五六七八九0-9]+))?\s*({either(table()['currencies'])})([一二三四五六七八九0-9])?(?:毛)?"
)


def value(text: str) -> int | None:
    """A Chinese or mixed numeral: 两千三百, 三万五, 21, 一二三, 2万."""
    if text.isdigit() and text.isascii():
        return int(text)
    digits, scales = table()["digits"], table()["scales"]
    if not any(mark in scales for mark in text):
        return int("".join(str(digits.get(mark, mark)) for mark in text))
    total = section = number = 0
    last_scale = 1
    zero = False
    for mark in text:
        if mark in scales:
            scale = scales[mark]
            if scale >= 10_000:
                total = (total + section + number or 1) * scale
                section = number = 0
            else:
                section += (number or 1) * scale
                number = 0
            last_scale, zero = scale, False
        else:
            digit = digits.get(mark)
            digit = int(mark) if digit is None else digit
            zero = zero or digit == 0
            number = number * 10 + digit if mark.isdigit() and mark.isascii() else digit
    if number and last_scale >= 100 and not zero:
        number *= last_scale // 10  # 两百五 is 250
    return total + section + number


def find_numbers(text: str) -> list[Span]:
    """Every number; surer with a measure word behind it."""
    idioms = [match.span() for match in _IDIOM.finditer(text)]
    spans: list[Span] = []
    for match in _POINT.finditer(text):
        if any(start <= match.start() < end for start, end in idioms):
            continue
        number: int | float | None = value(match[1])
        end = match.end(1)
        people = match[2] is not None and _PEOPLE.match(text, match.end()) is not None
        clock = text[match.end() : match.end() + 1] in ("分", "半", "钟") or not match[2] or people
        if match[2] and not clock and number is not None:
            number, end = float(f"{number}.{value(match[2])}"), match.end()
        if number is None:
            continue
        sure = 0.9 if _MEASURED.match(text, end) or match[1].isascii() or len(match[1]) > 1 else 0.4
        spans.append(Span(match.start(), end, text[match.start() : end], number, "number", sure))
        if people and (count := value(match[2])) is not None:
            spans.append(Span(*match.span(2), match[2], count, "number", 0.9))
    return spans


def find_digits(text: str) -> list[Span]:
    """Strings of digits said one by one: 幺三八零零, 138 0013."""
    digits = table()["digits"]
    spans: list[Span] = []
    for match in _DIGITS.finditer(text):
        marks = "".join(
            str(digits.get(mark, mark)) for mark in match.group() if mark.isalnum() or mark in digits
        )
        sure = 0.4 if len(marks) == 1 else 0.6 if len(marks) < 4 else 0.9
        spans.append(Span(*match.span(), match.group(), marks, "digits", sure))
    return spans


def find_money(text: str) -> list[Span]:
    """Amounts: 三百块, 十二块五, 50美元."""
    spans = find_figures(text, table()["currencies"])
    for match in _MONEY.finditer(text):
        amount: int | float | None = value(match[1])
        if amount is None or any(span.start < match.end() and match.start() < span.end for span in spans):
            continue
        if match[2]:
            amount = float(f"{amount}.{value(match[2])}")
        elif match[4]:
            amount = amount + (value(match[4]) or 0) / 10
        unit = table()["currencies"][match[3]]
        spans.append(Span(*match.span(), match.group(), amount, "money", 0.95, unit))
    return sorted(spans, key=lambda span: span.start)


def find_yes_no(text: str) -> list[Span]:
    """Agreement and refusal at the head of the utterance, or of one of its clauses."""
    spans: list[Span] = []
    for clause in re.finditer(r"[^\s,，。！？!?、;；]+", text):
        for words, meaning in ((table()["no"], False), (table()["yes"], True)):
            found = re.match(either(words), clause.group())
            if found:
                start, end = clause.start(), clause.start() + found.end()
                alone = found.end() == len(clause.group()) or len(found.group()) > 1
                sure = 0.95 if start == 0 and alone else 0.5
                spans.append(Span(start, end, text[start:end], meaning, "boolean", sure))
                break
    return spans


def find_emails(text: str) -> list[Span]:
    """Addresses with the marks said in Chinese: zhang 点 wei 艾特 qq 点 com."""
    marks = {"dot": ".", "underscore": "_", "dash": "-"}
    said = "|".join(either(table()[name]) for name in marks)
    token = rf"(?:[A-Za-z0-9._+-]|{said}|{either(table()['digits'])}|\s)"
    pattern = re.compile(rf"({token}*?[A-Za-z0-9]{token}*?)(?:{either(table()['at_sign'])})({token}+)")
    spans: list[Span] = []
    for match in pattern.finditer(text):
        written: list[str] = []
        for part in match.groups():
            for name, mark in marks.items():
                part = re.sub(either(table()[name]), mark, part)
            part = "".join(str(table()["digits"].get(letter, letter)) for letter in part)
            written.append(re.sub(r"\s", "", part).strip(".-_"))
        local, domain = written
        if local and re.fullmatch(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", domain):
            address = f"{local}@{domain}".lower()
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            spans.append(Span(start, match.end(), text[start : match.end()].rstrip(), address, "email", 0.9))
    return spans
