"""Questions that share no word stem with the fact they ask for: twenty facts among two hundred."""

from __future__ import annotations

import itertools
import random

import pytest

from pipecat_memory.clients.use import sentence_encoder
from pipecat_memory.reading.entry import Entry, Query
from pipecat_memory.reading.index import Index
from pipecat_memory.reading.words import terms

PAIRS = (
    ("I can't eat peanuts, they make my throat swell", "Which foods are dangerous for me?"),
    ("My daughter starts kindergarten in autumn", "When does our little girl go to school?"),
    ("We moved to Lisbon two years ago", "In what city do I live now?"),
    ("I work nights as a nurse at the hospital", "What is my job?"),
    ("Please only ring me after six in the evening", "What's the best time to call?"),
    ("My husband drives a blue electric car", "What vehicle does my spouse own?"),
    ("I'm vegetarian and love spicy meals", "What kind of food do I like?"),
    ("Our dog is called Biscuit", "What's the name of my pet?"),
    ("I broke my ankle skiing last winter", "Which injury did I have?"),
    ("My rent goes up to nine hundred a month", "How much do I pay for the apartment?"),
    ("The heating in our flat stopped working", "Is there something wrong with the radiator at home?"),
    ("I always fly from the airport in Porto", "Where do I usually take planes?"),
    ("My son plays the violin in an orchestra", "Which instrument does my boy know?"),
    ("I'd rather pay by card than in cash", "What payment method do I prefer?"),
    ("The parcel arrived with a cracked screen", "Why did I complain about the delivery?"),
    ("My birthday is at the end of April", "When was I born?"),
    ("I wear glasses for reading", "Do I have trouble with my eyesight?"),
    ("My mother is in a wheelchair", "Does someone in the family have a disability?"),
    ("I studied chemistry at university", "What degree do I hold?"),
    ("We get married next June", "When is the wedding?"),
)

WHO = ("The plumber", "My neighbour", "The courier", "Someone from the office", "The landlord", "A colleague")
DID = (
    "left a message about the meter",
    "wants a copy of the invoice",
    "asked for the tracking number",
    "forgot the key to the garage",
    "sent the contract to the wrong address",
    "needs two more chairs",
    "will bring the ladder back",
    "cancelled the second visit",
    "ordered ten boxes of paper",
    "found an umbrella in the lobby",
    "could not open the attachment",
    "reported a noise from the lift",
    "paid the deposit twice",
    "lost the receipt for the printer",
    "changed the password again",
    "reserved a table near the window",
    "signed the form in blue ink",
    "parked in front of the gate",
    "put the newspaper in the wrong box",
    "read the water gauge",
    "booked the meeting room",
    "repaired the doorbell",
    "returned the borrowed drill",
    "took the minutes",
    "watered the plants on the stairs",
    "updated the price list",
    "swapped the two shifts",
    "closed the account on Tuesday",
    "mislaid the parking permit",
    "printed the labels upside down",
)


def test_the_questions_share_no_stem_with_their_facts() -> None:
    for fact, question in PAIRS:
        assert not set(terms(fact)) & set(terms(question)), question


def test_meaning_finds_what_words_cannot() -> None:
    encoder = sentence_encoder()
    if encoder is None:
        pytest.skip("the in-process embedder is not installed")
    others = [f"{who} {did}" for who, did in itertools.product(WHO, DID)]
    texts = [fact for fact, _ in PAIRS] + others
    assert len(texts) == 200
    order = list(range(len(texts)))
    random.Random(11).shuffle(order)
    entries = [Entry(id=f"m{n:03}", kind="fact", text=texts[place]) for n, place in enumerate(order)]
    index = Index()
    index.add(entries, encoder.encode([entry.text for entry in entries]))
    ranks: list[int] = []
    for fact, question in PAIRS:
        rows = encoder.encode(index.encodings(question))
        found = [hit.entry.text for hit in index.search(Query(text=question, vector=rows, k=10, floor=False))]
        ranks.append(found.index(fact) if fact in found else 99)
    assert sum(rank < 5 for rank in ranks) >= 13, ranks
    assert sum(rank < 10 for rank in ranks) >= 16, ranks
