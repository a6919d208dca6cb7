"""One-line faults of the deep path; see `table`."""

from __future__ import annotations

from .table import Mutant

GROUND = ("tests/writing/test_ground.py",)
ALLERGIES = ("tests/writing/test_allergies.py",)
ANSWER = ("tests/writing/test_answer.py",)
FOLD = tuple(
    f"tests/writing/test_{name}.py"
    for name in ("reconcile", "reconcile_properties", "taken_back", "disputed")
)

WRITING = (
    Mutant(
        "skip the quote test",
        "writing/ground.py",
        '    raise Refused("no_quote")',
        "    return turns[-1], Place(turns[-1].text, 0, len(turns[-1].text), None)",
        GROUND,
    ),
    Mutant(
        "let the order of a model's list decide",
        "writing/ground.py",
        "in_order = sorted(claims, key=itemgetter(0))",
        "in_order = list(claims)",
        GROUND,
    ),
    Mutant(
        "accept truncated JSON",
        "writing/salvage.py",
        '            if cut == "item":',
        '            if cut == "never":',
        ANSWER,
    ),
    Mutant(
        "accept an answer that ran out of room",
        "writing/answer.py",
        '    if reply.finish != "stop":',
        '    if reply.finish not in ("stop", "length"):',
        ANSWER,
    ),
    Mutant(
        "swap valid_from and valid_to",
        "writing/standing.py",
        "            valid_from=self.begins.isoformat(),\n"
        "            valid_to=self.ends.isoformat() if self.ends else None,",
        "            valid_to=self.begins.isoformat(),\n"
        "            valid_from=(self.ends or self.begins).isoformat(),",
        FOLD,
    ),
    Mutant(
        "let the agent's words in",
        "writing/ground.py",
        '            back = " ".join(item.text for item in earlier(turn, scene) if item.role == "user")',
        '            back = " ".join(item.text for item in earlier(turn, scene))',
        GROUND,
    ),
    Mutant(
        "take a yes for an answer to any statement",
        "writing/answered.py",
        'if asked is None or asked.interrupted or not asked.text.rstrip().endswith(("?", "？", "؟")):',
        "if asked is None or asked.interrupted:",
        GROUND,
    ),
    Mutant(
        "let any value follow from any quote",
        "writing/follows.py",
        "    return value if _translated(value, text, words, setting) else None",
        "    return value",
        GROUND,
    ),
    Mutant(
        "take promoted words for proof",
        "writing/ground.py",
        '        if turn.trust == "low":',
        '        if turn.trust == "none":',
        GROUND,
    ),
    Mutant(
        "take questions for statements",
        "writing/statement.py",
        '        raise Refused("question")',
        "        pass",
        GROUND,
    ),
    Mutant(
        "a friend's dislike is the caller's",
        "writing/statement.py",
        '        raise Refused("other_person")',
        "        pass",
        GROUND,
    ),
    Mutant(
        "any food is an allergy",
        "writing/ground.py",
        '    if keys.allergy(fact.key) and fact.op != "retract" and not of_allergy(',
        "    if not fact.key and not of_allergy(",
        ALLERGIES,
    ),
    Mutant(
        "keep the mark of what is not kept",
        "writing/ground.py",
        '    if MARK.search(f"{value} {fact.text}"):',
        "    if not value:",
        ALLERGIES,
    ),
    Mutant(
        "a quote may leave out its not",
        "writing/quote.py",
        "        if hits > most and not denied:",
        "        if hits > most:",
        ("tests/writing/test_whose_words.py",),
    ),
    Mutant(
        "another hearing replaces the name",
        "writing/reconcile.py",
        "        if not misheard(claim.key) or not elsewhere",
        "        if claim.key or not elsewhere",
        ("tests/writing/test_heard_again.py",),
    ),
    Mutant(
        "keep what was denied",
        "writing/statement.py",
        '        raise Refused("denied")',
        "        pass",
        GROUND,
    ),
    Mutant(
        "another voice's words hold at once",
        "writing/ground.py",
        "        pending=other_voice or not scene.labels_sure,",
        "        pending=not scene.labels_sure,",
        GROUND,
    ),
    Mutant(
        "leave tomorrow as it was said",
        "writing/ground.py",
        "        written = resolved(fact.key, spelled_out(fact.key, str(value), setting), said, setting)",
        "        written = spelled_out(fact.key, str(value), setting)",
        GROUND,
    ),
    Mutant(
        "one bad item costs the answer",
        "writing/answer.py",
        "        rejected += not read",
        "        _ = read or facts.clear()\n        rejected += not read",
        ANSWER,
    ),
    Mutant(
        "a contradiction deletes",
        "writing/reconcile.py",
        '            rival.status, rival.ends = "superseded", max(rival.begins, entry.begins)',
        "            self.entries.remove(rival)",
        FOLD,
    ),
    Mutant(
        "a second period is the first",
        "writing/reconcile.py",
        '        standing = next((e for e in same if e.status == "current" and not _ended(e, claim)), None)',
        "        standing = next(iter(same), None)",
        FOLD,
    ),
    Mutant(
        "any voice overwrites a verified one",
        "writing/reconcile.py",
        "        if claim.strength < entry.strength:\n            return True",
        "        if claim.strength < 0:\n            return True",
        FOLD,
    ),
    Mutant(
        "order of arrival decides",
        "writing/reconcile.py",
        "breathing(sorted({claim for claim in claims if admits(claim, rules)}, key=_order))",
        "breathing([claim for claim in claims if admits(claim, rules)])",
        FOLD,
    ),
)
