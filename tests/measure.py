"""`python -m tests.measure`: what single steps cost, thread time, one JSON line each.

The reply path as a whole is `pipecat-memory bench`; these are its and the deep path's parts. Milliseconds of
this thread, so that other processes count for little; values are of our own making.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median, quantiles
from typing import Any

from pipecat_memory.notes.fusion import Attempt, fuse, prewarm
from pipecat_memory.notes.spoken import find
from pipecat_memory.writing.reconcile import reconcile

from .writing.claims import NOW, said
from .writing.scene import AT, fact, judged, turn_of

TIMES = 200
FIVE = "I live in Lyon, my dog is called Rex, I'm allergic to walnuts, I work as a baker and I love jazz"
ANSWER = [
    fact("home_city", "Lyon", "I live in Lyon"),
    fact("dog_name", "Rex", "my dog is called Rex"),
    fact("food_allergy", "walnuts", "I'm allergic to walnuts"),
    fact("job", "baker", "I work as a baker"),
    fact("likes", "jazz", "I love jazz"),
]
NAMES = (
    ("Wren Okafor", "Ren Okafor", "Wren O'Connor", "Rain Okafor", "Wren Oakford", "when Okafor"),
    ("Wren Okafor", "Renna Core", "rent a car for", "Wren a car four", "Brendan Connor"),
    ("W R E N O K A F O R", "w r e n o k a s o r", "w r a n o k a f o r", "double u r e n o k a f o r"),
)
CODES = (
    ("b d 4 7 q t", "p t 4 7 q d", "b t 4 7 q t", "v d 4 7 q d", "BD 47 cutie"),
    ("BD4 7QT", "PD4 7QT", "BT4 7 QT", "BD 4 7 Q D", "beady four seven cutie"),
    ("bravo delta 4 7 Quebec tango", "bravo delta 47 Quebec tango", "B as in bravo d 4 7 q t"),
)
SAID = {
    "date": "could you make it a week on Friday rather than the third of next month",
    "time": "some time after half past seven would be better for the two of us",
    "phone": "you can reach me on oh one six three two nine six oh double one four",
    "email": "it's wren dot okafor at example dot com",
    "quantity": "we will be seven or rather eight people with the children",
    "money": "it cost me two hundred and forty nine pounds and fifty pence",
    "postcode": "it's B D four seven Q T if that helps you",
}


def measured() -> Iterator[tuple[str, Callable[[int], Any], int]]:
    """Name, step (told which time it runs, so that it can be new each time), and how often it runs."""
    yield "an answer of five facts grounded", lambda n: judged(turn_of(f"{FIVE} {n}"), ANSWER), TIMES
    for size in (100, 1000):
        claims = [said(n / 10, f"key_{n % 50}", f"value {n}", "add", turn=n) for n in range(size)]
        yield f"{size} claims folded", lambda _, claims=claims: reconcile(claims, now=NOW), 20
    for kind, heard in (("name", NAMES), ("postcode", CODES)):
        for upto in (1, 2, 3):
            attempts = [Attempt(texts) for texts in heard[:upto]]
            yield (
                f"a {kind} weighed, attempts: {upto}",
                lambda _, kind=kind, attempts=attempts: fuse(
                    kind, attempts, at=AT, language="en", timezone="Europe/London"
                ),
                TIMES,
            )
    for kind, text in SAID.items():
        yield (
            f"a value looked for: {kind}",
            lambda n, kind=kind, text=text: find(
                f"{text} {'well ' * (n % 9)}line {n}",
                kind,  # pyright: ignore[reportArgumentType] - of the table above
                language="en",
                at=AT,
            ),
            TIMES,
        )


def cost(step: Callable[[int], Any], times: int) -> dict[str, float]:
    """Median and 95th percentile of one run of it, and the worst."""
    step(0)
    taken: list[float] = []
    for n in range(1, times + 1):
        begun = time.thread_time()
        step(n)
        taken.append((time.thread_time() - begun) * 1000)
    return {
        "p50_ms": round(median(taken), 3),
        "p95_ms": round(quantiles(taken, n=20)[-1], 3),
        "max_ms": round(max(taken), 3),
    }


if __name__ == "__main__":
    prewarm()
    gc.freeze()
    for name, step, times in measured():
        sys.stdout.write(json.dumps({"step": name, **cost(step, times)}) + "\n")
