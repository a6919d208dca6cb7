"""One-line faults of the engine. Each must turn some test red; one that does not is a hole in the tests."""

from __future__ import annotations

from dataclasses import dataclass

TABLES = (
    "tests/ledger/test_caller_side.py",
    "tests/ledger/test_agent_side.py",
    "tests/ledger/test_off_record.py",
)
PLAYBACK = ("tests/ledger/test_playback.py", "tests/ledger/test_agent_side.py")
OUTCOME = ("tests/ledger/test_outcome.py",)
SOUND = ("tests/ledger/test_soundness.py",)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: in `file`, the one place that reads `right` reads `wrong`."""

    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...] = TABLES


MUTANTS = (
    Mutant(
        "commit a partial",
        "ledger/caller_side.py",
        "                    self.voices.of(at[1]).partial(at, text, self._ended)",
        "                    self._say(at, UserFinal(t=at[0], text=text))",
    ),
    Mutant(
        "take a partial for voice activity",
        "ledger/caller_side.py",
        "                    self.voices.of(at[1]).partial(at, text, self._ended)",
        "                    self._begin(at) or self.voices.of(at[1]).partial(at, text, self._ended)",
    ),
    Mutant(
        "promote beside a final of the same utterance",
        "ledger/spans.py",
        "        if not window.emptied and any(s.at[0] >= window.partial_at for s in finals):",
        "        if False:",
    ),
    Mutant(
        "trust a promoted partial",
        "ledger/spans.py",
        '            "low",\n            incomplete=self.cut,\n            promoted=True,',
        '            "high",\n            incomplete=self.cut,\n            promoted=True,',
    ),
    Mutant(
        "keep the promoted partial beside its late final",
        "ledger/spans.py",
        "            if window.promoted and not _worded(window, [*self.said, *beside]):",
        "            if window.promoted:",
    ),
    Mutant(
        "forget the key of a promoted turn",
        "ledger/spans.py",
        '        idents += [("window", w.place) for w in self.windows if w.promoted and _worded(w, said)]',
        "        idents += []",
    ),
    Mutant("no slack beside voice activity", "ledger/speech.py", "SLACK = 0.5", "SLACK = 0.0"),
    Mutant(
        "drop the id check of finals",
        "ledger/segments.py",
        '            ident = ("final", event.id) if event.id else ("final", start, event.text)',
        '            ident = ("final", at, event.text)',
    ),
    Mutant(
        "order segments by arrival",
        "ledger/spans.py",
        "        said = in_order(self.said, lambda s: (s.place, s.at))",
        "        said = in_order(self.said, lambda s: s.at)",
    ),
    Mutant(
        "order history by arrival",
        "ledger/caller_side.py",
        "            return (event.started, at[1])",
        "            return at",
    ),
    Mutant(
        "believe words out of silence",
        "ledger/speech.py",
        "        return not heard or start - sounds[heard - 1] > SILENCE",
        "        return False",
    ),
    Mutant(
        "doubt words where no voice activity is reported",
        "ledger/speech.py",
        "        if not self.windows or self.windows[0].start > said.at[0]:\n            return False",
        "        if not self.windows or self.windows[0].start > said.at[0]:\n            return True",
    ),
    Mutant(
        "join Chinese with spaces",
        "ledger/script.py",
        "        if text and not (unspaced(text[-1]) and unspaced(piece[0])):",
        "        if text:",
    ),
    Mutant(
        "end a turn on an answer to a guess",
        "ledger/caller_side.py",
        "                if not self.voices.of(at[1]).active and not self.guesses.stands:",
        "                if not self.voices.of(at[1]).active:",
    ),
    Mutant(
        "keep the answer to a withdrawn guess",
        "ledger/history.py",
        "        if reply.place is None or not reply.record or self.void(reply):",
        "        if reply.place is None or not reply.record:",
    ),
    Mutant(
        "record a filler",
        "ledger/agent_side.py",
        "        reply.record = reply.record and event.record",
        "        reply.record = True",
    ),
    Mutant(
        "take the draft for heard",
        "ledger/replies.py",
        '            return ("", "none") if self.was_cut or not self.ended else (plan, "none")',
        '            return (plan, "none")',
    ),
    Mutant(
        "take a zero for nothing",
        "ledger/replies.py",
        '        if self.played:\n            base = plan or ("" if self.timed else text)',
        '        if self.played is not None:\n            base = plan or ("" if self.timed else text)',
    ),
    Mutant(
        "let words outrun the audio",
        "ledger/replies.py",
        "            text = min(text, limit, key=len)",
        "            text = max(text, limit, key=len)",
    ),
    Mutant(
        "take the later of two ends",
        "ledger/replies.py",
        "        self.interrupted = self.interrupted or event.interrupted",
        "        self.interrupted = event.interrupted",
    ),
    Mutant(
        "count a piece delivered twice as two",
        "ledger/replies.py",
        "            if not piece.again or (plan and follows(plan, grown, chars=piece.chars)):",
        "            if True:",
    ),
    Mutant(
        "store the synthesiser's spelling",
        "ledger/replies.py",
        "        text = written(plan, self._joined(plan), whole=whole)",
        "        text = self._joined(plan)",
    ),
    Mutant(
        "cut inside a word",
        "ledger/playback.py",
        '        cut = cut[: cut.rfind(" ") + 1]',
        "        cut = cut[:]",
        PLAYBACK,
    ),
    Mutant(
        "take a repeated word for the next one",
        "ledger/playback.py",
        "                agreed = h > i",
        "                agreed = True",
        PLAYBACK,
    ),
    Mutant(
        "leave a tool dangling",
        "ledger/agent_side.py",
        "        return self._over",
        "        return None",
    ),
    Mutant(
        "let a cancellation hide a result",
        "ledger/tools.py",
        '    return event.status == "cancelled", event.t',
        '    return event.status != "cancelled", event.t',
    ),
    Mutant(
        "call a result told by words from before it",
        "ledger/tools.py",
        "        told = told_at is not None and over is not None and told_at > over",
        "        told = told_at is not None and over is not None",
    ),
    Mutant(
        "remember what was said in a pause",
        "ledger/off_record.py",
        "        return any(start <= place < end for start, end in self._pauses)",
        "        return False",
    ),
    Mutant(
        "bring a forgotten turn back by a late final",
        "ledger/spans.py",
        "        if self.forgotten or not (self.said or self.windows):",
        "        if (self.forgotten and len(self.said) < 2) or not (self.said or self.windows):",
    ),
    Mutant(
        "complete an open turn at the end",
        "ledger/spans.py",
        "            incomplete=self.cut and not complete,",
        "            incomplete=False,",
    ),
    Mutant(
        "take a cut reply for completed at the end",
        "ledger/agent_side.py",
        '        return self.cut((float("inf"), 0))',
        "        return []",
    ),
    Mutant(
        "swallow pieces of unknown replies",
        "ledger/reducer.py",
        '            effects.append(self.reject("unknown_id", orphan))',
        "            pass",
    ),
    Mutant(
        "call an unheard call completed",
        "ledger/outcome.py",
        '    if reason == "hangup" and (not reply_heard or (asks(history) and not answering)):',
        '    if reason == "hangup" and asks(history) and not answering:',
        OUTCOME,
    ),
    Mutant(
        "take absurd events",
        "ledger/soundness.py",
        "    except EventError as error:\n        return error.kind",
        "    except EventError:\n        return None",
        SOUND,
    ),
)
