"""What really happened: a pure reducer from events to committed turns, heard replies and tool outcomes.

`reducer.Ledger` is the way in. `speech` and `spans` hold the caller's side, `replies` and `playback`
the agent's, `tools` its tool calls, `parties` who is on the line, `outcome` how the call ended.
Decisions follow when things happened (`t`, `started`), never when they arrived, so that late,
doubled and reordered events end in the same history. No I/O, no clock, no framework.
"""
