"""Chinese dates and times: 后天下午三点, 下周五上午九点半, 五月五号, 两个小时后."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise

from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.chinese import NUMBER, either, table, value
from pipecat_memory.notes.spoken.day_ranges import together
from pipecat_memory.notes.spoken.span import Part, Span

_WORDS = table()
_N = NUMBER
_NAMED = re.compile(either(_WORDS["days"]))
_FEAST = re.compile(either(_WORDS["feasts"]))
_WEEKDAY = re.compile(
    rf"({either(_WORDS['weeks'])})?(?:周|星期|礼拜)({either(_WORDS['weekdays'])})(?![0-9]|个|年)"
)
_DATED = re.compile(
    r"(?:([0-9零〇一二三四五六七八九]{4}|[0-9]{2}|今|明|后|去)年)?"
    r"\s*([0-9]{1,2}|十[一二]|[一二三四五六七八九十])月(?:份)?\s*([0-9]{1,2}|[一二三四五六七八九十]{1,3})(?:号|日)?"
)
_DAY_ONLY = re.compile(
    r"(?<![月0-9一二三四五六七八九十路街道巷弄里])(下个月|这个月|本月)?([0-9]{1,2}|[一二三四五六七八九十]{1,3})[号日](?![码线楼])"
)
_OF_MONTH = re.compile(
    r"(下个|这个|本|[0-9]{1,2}|十[一二]|[一二三四五六七八九十])月(?:份)?的?(?:(最后一|第[一二三四五])个(?:周|星期|礼拜)"
    rf"({either(_WORDS['weekdays'])})|最后一天)"
)
_COUNTED = re.compile(rf"({_N})({either(_WORDS['units'])})(后|之后|以后|前|之前|以前)")
_UNTIL = ("到", "至")
_YEARS = {"去": -1, "今": 0, "明": 1, "后": 2}

_PART = f"{either(_WORDS['am'])}|{either(_WORDS['noon'])}|{either(_WORDS['pm'])}"
_CLOCK = re.compile(
    rf"(?:({_PART})的?\s*)?(?<![周期拜])([0-9]{{1,2}}|[零一二两三四五六七八九十]{{1,3}})(?:点钟|点整|点|时|[:：])"
    r"(?!儿|心|头|名)\s*(半|一刻|三刻|差?(?:[0-9]{1,2}|[零一二三四五六七八九十]{1,3})(?:分|(?![0-9零一二三四五六七八九十个位人名])))?"
)
_NOON = re.compile(either(_WORDS["noon"]))
"""By itself about twelve: a guess."""
_WAIT = re.compile(rf"(?:过)?(半|{_N})\s*个?(半)?(小时|钟头|分钟)(?:后|之后|以后)")

_Read = Callable[[re.Match[str], date], tuple[date, float] | None]


def find_dates(text: str, today: date) -> list[Span]:
    """Every date, in order, as ISO dates."""
    spans: list[Span] = []
    for pattern, read, part in _FINDERS:
        for match in pattern.finditer(text):
            if any(span.start < match.end() and match.start() < span.end for span in spans):
                continue
            found = read(match, today)
            if found:
                on, sure = found
                # 下周五 and 下个月十五号 say all of the date.
                told: Part = "" if part and match[1] else part
                spans.append(Span(*match.span(), match.group(), on.isoformat(), "date", sure, part=told))
    spans.sort(key=lambda span: span.start)
    for i, (first, last) in enumerate(pairwise(spans)):
        if text[first.end : last.start].strip() in _UNTIL:
            spans[i : i + 2] = together(first, last)  # 三月十二号到十五号
    return spans


def _named(match: re.Match[str], today: date) -> tuple[date, float] | None:
    return today + timedelta(days=_WORDS["days"][match.group()]), 0.95


def _feast(match: re.Match[str], today: date) -> tuple[date, float] | None:
    on = calendar_days.yearless(today, *_WORDS["feasts"][match.group()])
    return (on, 0.9) if on else None


def _weekday(match: re.Match[str], today: date) -> tuple[date, float] | None:
    weekday = _WORDS["weekdays"][match[2]]
    if match[1] is None:
        on = calendar_days.coming_weekday(today, weekday)
        return on, 0.85 if on.weekday() != today.weekday() else 0.6
    return calendar_days.weekday_of_week(today, weekday, _WORDS["weeks"][match[1]]), 0.95


def _dated(match: re.Match[str], today: date) -> tuple[date, float] | None:
    month, day = value(match[2]) or 0, value(match[3]) or 0
    if match[1] is None:
        on = calendar_days.yearless(today, month, day) if 1 <= month <= 12 else None
        return (on, 0.85) if on else None
    if match[1] in _YEARS:
        year = today.year + _YEARS[match[1]]
    else:
        year = value(match[1]) or 0
        if year < 100:
            year += today.year // 100 * 100 - (100 if year > today.year % 100 + 10 else 0)
    on = calendar_days.make(year, month, day)
    return (on, 0.95) if on else None


def _of_month(match: re.Match[str], today: date) -> tuple[date, float] | None:
    """三月最后一个周五, 下个月第一个周一, 这个月最后一天."""
    ahead = {"下个": 1, "这个": 0, "本": 0}.get(match[1])
    month = value(match[1]) if ahead is None else None
    if ahead is None and not (month and 1 <= month <= 12):
        return None
    first = (
        date(today.year, month, 1) if month else calendar_days.step(today.replace(day=1), ahead or 0, "month")
    )
    on = _nth(match, first) if first else None
    if first and on and on < today and month:
        on = _nth(match, first.replace(year=first.year + 1))
    return (on, 0.9) if on else None


def _nth(match: re.Match[str], month: date) -> date | None:
    if match[2] is None:
        return calendar_days.last_of(month)
    nth = -1 if match[2] == "最后一" else value(match[2][1:]) or 0
    return calendar_days.nth_weekday(month, _WORDS["weekdays"][match[3]], nth)


def _day(match: re.Match[str], today: date) -> tuple[date, float] | None:
    day = value(match[2]) or 0
    if match[1] == "下个月":
        first = calendar_days.step(today.replace(day=1), 1, "month")
        on = calendar_days.make(first.year, first.month, day) if first else None
        return (on, 0.9) if on else None
    on = calendar_days.monthless(today, day)
    return (on, 0.6) if on else None


def _counted(match: re.Match[str], today: date) -> tuple[date, float] | None:
    count = value(match[1]) or 0
    if count > 10_000:
        return None
    sign = -1 if "前" in match[3] else 1
    on = calendar_days.step(today, sign * count, _WORDS["units"][match[2]])
    return (on, 0.9) if on else None


_FINDERS: tuple[tuple[re.Pattern[str], _Read, Part], ...] = (
    (_OF_MONTH, _of_month, ""),
    (_DATED, _dated, ""),
    (_WEEKDAY, _weekday, "weekday"),
    (_COUNTED, _counted, ""),
    (_NAMED, _named, ""),
    (_FEAST, _feast, ""),
    (_DAY_ONLY, _day, "day"),
)
"""Ways to say a date, longest first, how each is read, and which part of the date it says."""


def find_times(text: str) -> list[Span]:
    """Every time of day, in order, as `HH:MM`."""
    spans: list[Span] = []
    for match in _CLOCK.finditer(text):
        hour = value(match[2]) or 0
        minute = _minutes(match[3])
        if hour > 24 or minute is None:
            continue
        part = match[1] or _part_before(text, match.start())
        either_half = part is None and 1 <= hour <= 12 and not match[2].startswith("0")
        hour, sure = _halved(hour, part)
        if match[3] is None and part is None and text[match.end() - 1] == "点" and len(match[2]) == 1:
            sure = 0.6  # 三点 may be three points
        start = match.start() if match[1] not in _WORDS["days"] else match.start(2)
        end = match.end()
        clock = f"{hour % 24:02d}:{minute:02d}"
        spans.append(Span(start, end, text[start:end], clock, "time", sure, either_half=either_half))
    for match in _NOON.finditer(text):
        if not any(span.start < match.end() and match.start() < span.end for span in spans):
            spans.append(Span(*match.span(), match.group(), "12:00", "time", 0.6))
    return sorted(spans, key=lambda span: span.start)


def _part_before(text: str, start: int) -> str | None:
    """A day word that names a part of the day just before the hour (今晚八点)."""
    return next(
        (word for word in ("今晚", "明晚", "昨晚", "今早", "明早") if text[:start].endswith(word)), None
    )


def _minutes(said: str | None) -> int | None:
    if said is None:
        return 0
    if said in ("半", "一刻", "三刻"):
        return {"半": 30, "一刻": 15, "三刻": 45}[said]
    minute = value(said.strip("差分")) or 0
    return minute if minute < 60 else None


def _halved(hour: int, part: str | None) -> tuple[int, float]:
    if part is None:
        return (hour + 12, 0.7) if 1 <= hour <= 6 else (hour, 0.75 if hour <= 12 else 0.9)
    if part in _WORDS["pm"]:
        late = hour == 12 and part not in ("下午", "午后")  # 晚上十二点 is midnight
        return (0 if late else hour + 12 if hour < 12 else hour), 0.95
    if part in _WORDS["noon"]:
        return (hour + 12 if hour in (1, 2) else hour), 0.95
    return (0 if hour == 12 else hour), 0.95


def find_waits(text: str) -> list[tuple[int, int, timedelta]]:
    """Every stretch from now (两个小时后, 半小时后): start, end, how long."""
    waits: list[tuple[int, int, timedelta]] = []
    for match in _WAIT.finditer(text):
        minutes = 60 if match[3] != "分钟" else 1
        count = 0.5 if match[1] == "半" else float(value(match[1]) or 0)
        if match[2]:
            count += 0.5
        if count < 10_000:
            waits.append((match.start(), match.end(), timedelta(minutes=count * minutes)))
    return waits
