"""Events in order of time, and what is kept of them."""

from __future__ import annotations

from pipecat_memory import events as ev
from pipecat_memory.ledger.timeline import Timeline


def test_events_stand_in_order_of_time_and_ties_in_order_of_arrival() -> None:
    timeline = Timeline()
    ends = [timeline.add((t, n), ev.TurnEnded(t=t)) for n, t in enumerate([1.0, 3.0, 2.0, 3.0])]
    assert ends == [True, True, False, True]
    assert [place for place, _ in timeline] == [(1.0, 0), (2.0, 2), (3.0, 1), (3.0, 3)]


def test_old_interim_texts_go_and_nothing_else() -> None:
    timeline = Timeline()
    for n in range(3000):
        event = ev.UserPartial(t=n, text="x") if n % 10 else ev.UserFinal(t=n, text="y")
        timeline.add((float(n), n), event)
    kept = [event for _, event in timeline]
    assert sum(isinstance(event, ev.UserFinal) for event in kept) == 300
    assert all(event.t > 2000 for event in kept if isinstance(event, ev.UserPartial))
    assert any(isinstance(event, ev.UserPartial) for event in kept)
