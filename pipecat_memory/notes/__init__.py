"""WHAT WE KNOW NOW: the working notes of a call, pure and on the reply path.

A turn walks: `heard` -> `listen` (`utterance`, `choices`, `values`, `people`, `names`, `lists`;
the cues of a language stand in `data/`) -> `evidence` (`fusion`) -> `rules` -> `book`, which keeps
state and change log. `next_step`, `guard` and `lasting` read what stands. No I/O, no framework.
"""
