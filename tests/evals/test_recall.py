"""The recall evaluation: what counts, what is left out, and figures that the written lines bear out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory.evals.recall import run

LONG = "Once upon a time " + "there was a very long winding story about nothing in particular " * 12

TALK: dict[str, Any] = {
    "id": "t1",
    "lang": "en",
    "speakers": ["Ada", "Bo"],
    "sessions": [
        {
            "session_id": "s1",
            "date": "1:56 pm on 8 May, 2023",
            "turns": [
                {"id": "a1", "speaker": "Ada", "text": "I painted the garden fence bright green"},
                {"id": "b1", "speaker": "Bo", "text": "Which colour did your neighbour choose?"},
                {"id": "a2", "speaker": "Ada", "text": "Purple"},
                {"id": "b2", "speaker": "Bo", "text": LONG + "and then the zeppelin landed"},
            ],
        },
        {
            "session_id": "s2",
            "date": "10:00 am on 1 June, 2023",
            "turns": [{"id": "a3", "speaker": "Ada", "text": "Tomorrow the roofers come with ladders"}],
        },
    ],
    "questions": [
        {"qid": "q1", "q": "What did Ada paint?", "evidence": ["a1"], "category": "single_hop"},
        {
            "qid": "q2",
            "q": "Which colour did the neighbour of Ada choose?",
            "evidence": ["a2", "b1"],
            "evidence_groups": [["a2", "b1"]],
            "category": "multi_hop",
        },
        {"qid": "q3", "q": "Where did the zeppelin land?", "evidence": ["b2"], "category": "single_hop"},
        {"qid": "q4", "q": "Who sings?", "evidence": ["a1"], "category": "adversarial"},
        {"qid": "q5", "q": "Who dances?", "evidence": [], "category": "single_hop"},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.test.jsonl"
    path.write_text(json.dumps(TALK) + "\n", encoding="utf-8")
    return path


def test_figures_and_lines(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.jsonl"
    figures = run(file, embedder=False, predictions=out)
    lines = {line["qid"]: line["items"] for line in map(json.loads, out.read_text().splitlines())}
    assert set(lines) == {"q1", "q2", "q3"}  # neither the adversarial one nor the one without evidence
    assert lines["q1"][0] == {"turns": ["a1"], "text": "I painted the garden fence bright green"}
    terse = next(item for item in lines["q2"] if item["turns"][0] == "a2")
    assert terse == {"turns": ["a2", "b1"], "text": "Which colour did your neighbour choose? – Purple"}
    # What the briefing clips is clipped here; the rest of the words still count as half of the turn's.
    assert len(lines["q3"][0]["text"]) == 400
    assert (figures["questions"], figures["embedder"], figures["encode_ms_p50"]) == (3, None, None)
    assert (figures["r@5"], figures["all@10"], figures["mrr"]) == (1.0, 1.0, 1.0)
    assert "order" not in figures


def test_the_seed_of_the_shuffle_decides_nothing(file: Path, tmp_path: Path) -> None:
    written: set[str] = set()
    for seed in range(4):
        run(file, embedder=False, predictions=tmp_path / "p.jsonl", seed=seed)
        written.add((tmp_path / "p.jsonl").read_text())
    assert len(written) == 1


def test_a_turn_whose_words_were_clipped_away_is_not_found(tmp_path: Path) -> None:
    words = " ".join(f"word{n:03}" for n in range(120))
    talk = TALK | {
        "sessions": [{"session_id": "s", "turns": [{"id": "x", "speaker": "Ada", "text": words}]}],
        "questions": [{"qid": "q", "q": "word001 word002?", "evidence": ["x"], "category": "single_hop"}],
    }
    path = tmp_path / "locomo.long.jsonl"
    path.write_text(json.dumps(talk), encoding="utf-8")
    figures = run(path, embedder=False)
    assert (figures["r@10"], figures["mrr"]) == (0.0, 0.0)


def test_the_update_order_is_told_beside_the_other_questions(tmp_path: Path) -> None:
    said = [
        "There are 8 boxes in the garage",
        "The boxes in the garage have now reached 12",
        "I like ladders",
    ]
    talk = {
        "speakers": ["user", "assistant"],
        "sessions": [
            {
                "session_id": "s",
                "turns": [{"id": str(n), "speaker": "user", "text": t} for n, t in enumerate(said)],
            }
        ],
        "questions": [
            {
                "qid": "q1",
                "q": "How many boxes are in the garage?",
                "evidence": ["0", "1"],
                "evidence_parts": {"original_info": ["0"], "updated_info": ["1"]},
                "category": "knowledge_update",
            },
            {"qid": "q2", "q": "Do I like ladders?", "evidence": ["2"], "category": "abstention"},
        ],
    }
    path = tmp_path / "beam100k.test.jsonl"
    path.write_text(json.dumps(talk), encoding="utf-8")
    order = run(path, embedder=False)["order"]
    assert order == {"new_first": 1.0, "new_at_1": 1.0, "mrr_other": 1.0, "mrr_other_without_rule": 1.0}
