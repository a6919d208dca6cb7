"""What a list held at a moment stays so, whatever becomes of the list; and it costs nothing to keep."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from pipecat_memory.events import TurnEnded, UserFinal
from pipecat_memory.ledger.growing import Growing, SoFar
from pipecat_memory.ledger.reducer import Ledger

STEPS = st.lists(st.tuples(st.sampled_from(("append", "cut", "look")), st.integers(0, 9)), max_size=40)


@given(STEPS)
def test_a_moment_stays(steps: list[tuple[str, int]]) -> None:
    growing, plain = Growing[int](), list[int]()
    looks: list[tuple[SoFar[int], list[int]]] = []
    for step, n in steps:
        if step == "append":
            growing.append(n)
            plain.append(n)
        elif step == "cut":
            assert growing.cut(n) == plain[n:]
            del plain[n:]
        else:
            looks.append((growing.so_far(), list(plain)))
        for look, was in looks:
            assert look == was
            assert (len(look), list(look), list(reversed(look))) == (len(was), was, was[::-1])
            assert (look[-3:], look[:2], look[1:-1]) == (tuple(was[-3:]), tuple(was[:2]), tuple(was[1:-1]))
            assert [look[i] for i in range(-len(was), len(was))] == was + was
    assert (len(growing), list(growing), growing[2:]) == (len(plain), plain, plain[2:])


def test_other_moments_and_other_things_are_not_equal() -> None:
    growing = Growing[int]()
    growing.append(1)
    assert growing.so_far() != (2,)
    assert growing.so_far() != (1, 1)
    assert growing.so_far() != "1"


def test_the_turns_so_far_of_a_long_call_cost_no_memory() -> None:
    ledger = Ledger()
    for n in range(3000):
        ledger.apply(UserFinal(t=n + 0.1, text=f"words {n}", id=f"f{n}", started=float(n)))
        ledger.apply(TurnEnded(t=n + 0.5))
    ledger.history()
    tracemalloc.start()
    try:
        kept = [(ledger.turns, ledger.history()) for _ in range(10)]
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(kept[0][0]) == len(kept[0][1]) == 3000
    assert size < 10_000, "twenty copies would take half a megabyte"
