"""`eval recall`: does the product's own index find the turns that answer a question."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..clients.base import Embedder, Vectors
from ..clients.embedders import resolve_embedder
from ..reading.briefing import plain
from ..reading.entry import Entry, Hit, Query
from ..reading.index import Index
from .lines import cases

DEPTH = 40
"""Items asked for a question: enough for 20 turns and for 800 tokens."""
BUDGET = 800
_WORD = re.compile(r"[a-z0-9]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SKIPPED = {"locomo": ("adversarial",), "beam": ("event_ordering", "summarization", "instruction_following")}
UPDATE = "knowledge_update"


@dataclass(slots=True)
class _Tally:
    """Sums over the questions scored."""

    sums: dict[str, float] = field(default_factory=dict[str, float])
    count: int = 0
    order: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    mrr_other: list[float] = field(default_factory=list[float])
    mrr_plain: list[float] = field(default_factory=list[float])
    searches: list[float] = field(default_factory=list[float])
    encodes: list[float] = field(default_factory=list[float])
    tokens: int = 0

    def add(self, row: dict[str, float]) -> None:
        self.count += 1
        for name, value in row.items():
            self.sums[name] = self.sums.get(name, 0.0) + value


def run(
    file: Path | str, *, embedder: bool = True, predictions: Path | str | None = None, seed: int = 7
) -> dict[str, Any]:
    """Ask every question of a file and score the ranking.

    Args:
        file: conversations, one a line, in the retrieval format of the data's README.
        embedder: with the in-process embedder, or by keywords alone.
        predictions: where to write one line a question.
        seed: shuffles the turns before they are added, so that no tie is won by the file's order.
    """
    encoder = resolve_embedder("auto") if embedder else None
    tally, lines = _Tally(), list[str]()
    for n, talk in enumerate(cases(file, "sessions", "questions")):
        asyncio.run(_conversation(talk, Path(file).name, encoder, seed + n, tally, lines))
    if predictions is not None:
        Path(predictions).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return _figures(tally, encoder)


async def _conversation(
    talk: dict[str, Any], name: str, encoder: Embedder | None, seed: int, tally: _Tally, lines: list[str]
) -> None:
    entries = list(_entries(talk))
    random.Random(seed).shuffle(entries)  # noqa: S311 - an order, not a secret
    index = Index()
    vectors: Vectors | None = None
    if encoder is not None:
        vectors = await _embed(encoder, [entry.text for entry in entries])
    index.add(entries, vectors)
    texts = {entry.id: entry.text for entry in entries}
    for question in talk["questions"]:
        if not _scored(question, name):
            continue
        rows = None
        if encoder is not None:
            begun = time.perf_counter()
            rows = await encoder.embed(list(index.encodings(question["q"])))
            tally.encodes.append(time.perf_counter() - begun)
        query = Query(text=question["q"], vector=rows, k=DEPTH, floor=False)
        begun = time.perf_counter()
        hits = index.search(query)
        tally.searches.append(time.perf_counter() - begun)
        items = [{"turns": list(hit.turns), "text": plain(hit.text)} for hit in hits]
        lines.append(json.dumps({"qid": question["qid"], "items": items}, ensure_ascii=False))
        _score(question, items, texts, hits, tally)


def _entries(talk: dict[str, Any]) -> Iterable[Entry]:
    speakers: list[str] = talk.get("speakers") or []
    people = {s for s in speakers if s not in ("assistant", "user")}
    for session in talk["sessions"]:
        for n, turn in enumerate(session["turns"]):
            agent = turn["speaker"] == "assistant"
            yield Entry(
                id=turn["id"],
                kind="turn",
                text=turn["text"],
                at=_iso(turn.get("date") or session.get("date")),
                call=str(session["session_id"]),
                turn=n,
                role="assistant" if agent else "user",
                speaker=turn["speaker"] if turn["speaker"] in people else "",
            )


_DATES = ("%I:%M %p on %d %B, %Y", "%d.%m.%Y, %H:%M:%S", "%B-%d-%Y")
"""How the public sets write the day of a session, besides ISO and Chinese."""
_CHINESE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日")


def _iso(date: Any) -> str:
    if not isinstance(date, str):
        return ""
    if re.match(r"\d{4}-\d{2}-\d{2}", date):
        return date
    chinese = _CHINESE.match(date)
    if chinese:
        return f"{chinese[1]}-{int(chinese[2]):02}-{int(chinese[3]):02}"
    for form in _DATES:
        try:
            return datetime.strptime(date, form).isoformat()
        except ValueError:
            continue
    return ""


async def _embed(encoder: Embedder, texts: Sequence[str]) -> Vectors:
    parts = [await encoder.embed(texts[i : i + 256]) for i in range(0, len(texts), 256)]
    return np.concatenate(parts)


def _scored(question: dict[str, Any], name: str) -> bool:
    skipped = next((kinds for start, kinds in _SKIPPED.items() if name.startswith(start)), ())
    has = question.get("evidence") or question.get("evidence_groups")
    return bool(has) and question.get("category") not in skipped


def _score(
    question: dict[str, Any],
    items: list[dict[str, Any]],
    texts: dict[str, str],
    hits: Sequence[Hit],
    tally: _Tally,
) -> None:
    ranked = _ranked(items, texts)
    groups: list[list[str]] = question.get("evidence_groups") or [[turn] for turn in question["evidence"]]
    ranks = [_best(group, ranked) for group in groups]
    row = {f"r@{k}": _share(ranks, k) for k in (5, 10, 20)}
    row["all@10"] = float(all(rank is not None and rank <= 10 for rank in ranks))
    row["mrr"] = 1.0 / min((rank for rank in ranks if rank), default=10**9)
    room = _within(items, BUDGET)
    inside = _ranked(items[:room], texts)
    row["r800"] = _share([_best(group, inside) for group in groups], 10**9)
    tally.tokens += sum(_tokens(item["text"]) for item in items[:room])
    tally.add(row)
    parts = question.get("evidence_parts") or {}
    if question.get("category") == UPDATE and parts.get("updated_info") and parts.get("original_info"):
        new = _best(parts["updated_info"], ranked) or 10**9
        old = _best(parts["original_info"], ranked) or 10**9
        tally.order.append((float(new < old), float(new == 1)))
    elif question.get("category") != UPDATE:
        tally.mrr_other.append(row["mrr"])
        # Scores are those before newer statements were lifted over older ones.
        plainly = sorted(zip(hits, items, strict=True), key=lambda pair: -pair[0].score)
        unlifted = _ranked([item for _, item in plainly], texts)
        best = min((rank for group in groups if (rank := _best(group, unlifted))), default=10**9)
        tally.mrr_plain.append(1.0 / best)


def _ranked(items: Sequence[dict[str, Any]], texts: dict[str, str]) -> dict[str, tuple[int, bool]]:
    """Rank of each distinct turn, and whether the item's text holds enough of its words."""
    found: dict[str, tuple[int, bool]] = {}
    for item in items:
        for turn in item["turns"][:3]:
            if turn not in found:
                found[turn] = (len(found) + 1, _supported(texts.get(turn, ""), item["text"]))
    return found


def _supported(turn: str, text: str) -> bool:
    wanted = _content(turn)
    return not wanted or 2 * len(wanted & _content(text)) >= len(wanted)


def _content(text: str) -> set[str]:
    chars = _CJK.findall(text)
    if len(chars) * 5 > len(text):
        return {a + b for a, b in itertools.pairwise(chars)}
    return {word for word in _WORD.findall(text.lower()) if len(word) > 3}


def _best(group: Sequence[str], ranked: dict[str, tuple[int, bool]]) -> int | None:
    found = [ranked[turn][0] for turn in group if turn in ranked and ranked[turn][1]]
    return min(found, default=None)


def _share(ranks: Sequence[int | None], k: int) -> float:
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def _within(items: Sequence[dict[str, Any]], budget: int) -> int:
    used = 0
    for n, item in enumerate(items):
        used += _tokens(item["text"])
        if used > budget:
            return n
    return len(items)


def _tokens(text: str) -> int:
    return len(text) if len(_CJK.findall(text)) * 5 > len(text) else -(-len(text) // 4)


def _figures(tally: _Tally, encoder: Embedder | None) -> dict[str, Any]:
    count = max(tally.count, 1)
    figures: dict[str, Any] = {
        "kind": "recall",
        "questions": tally.count,
        "embedder": encoder.name if encoder else None,
        **{name: round(value / count, 4) for name, value in tally.sums.items()},
    }
    if tally.order:
        other = round(float(np.mean(tally.mrr_other)), 4) if tally.mrr_other else None
        figures["order"] = {
            "new_first": round(float(np.mean([new for new, _ in tally.order])), 4),
            "new_at_1": round(float(np.mean([top for _, top in tally.order])), 4),
            "mrr_other": other,
            "mrr_other_without_rule": round(float(np.mean(tally.mrr_plain)), 4) if tally.mrr_plain else None,
        }
    figures["tokens"] = round(tally.tokens / count, 1)
    ms = np.asarray(tally.searches or [0.0]) * 1000
    figures["ms_p50"], figures["ms_p99"] = (round(float(np.percentile(ms, p)), 3) for p in (50, 99))
    encode = np.asarray(tally.encodes) * 1000
    figures["encode_ms_p50"] = round(float(np.percentile(encode, 50)), 3) if len(encode) else None
    return figures
