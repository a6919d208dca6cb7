"""What a fact's key says about it: which keys mean the same, hold several values, or end by themselves.

Used where the app gave no `FactRule` for a key. Reports always show the key as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..records.schema import FactRule
from .canon import singular
from .words import word_list

_SAME = {
    "name": "full_name real_name caller_name first_name",
    "preferred_name": "nickname call_me goes_by",
    "home_city": "city lives_in town residence home hometown home_town current_city city_of_residence",
    "address": "home_address street_address postal_address",
    "phone": "phone_number telephone mobile mobile_number callback_number",
    "email": "email_address e_mail mail",
    "job": "occupation profession job_title work",
    "employer": "company works_at works_for workplace",
    "birthday": "date_of_birth dob birth_date birthdate",
    "marital_status": "married relationship_status civil_status",
    "contact_preference": "preferred_contact contact_method preferred_contact_method contact_channel",
    "allergy": "allergic allergic_to food_allergy food_allergies allergen",
    "likes": "preference preferences like loves love enjoys food_like liked_food fond_of",
    "dislikes": "dislike hates hate food_dislike disliked_food cannot_stand avoids",
    "diet": "dietary_preference eating_habit",
    "handedness": "handed dominant_hand",
    "spouse": "wife husband partner",
    "child": "kid children kids",
}
_NAMES = {other: name for name, others in _SAME.items() for other in (name, *others.split())}

_SINGLE = word_list("single_keys")
_MULTI = word_list("multi_keys")
_NOT_PLURAL = word_list("not_plural")
_DATED = word_list("dated_keys")
_NEGATIVE = word_list("negative_keys")
_ALLERGY = word_list("allergy_keys")
_HEARD = word_list("heard_keys")
_PERSONS = word_list("persons")
_PRIVATE = word_list("private_keys")
_SECRET = word_list("secret_keys")
_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}


@lru_cache(maxsize=1024)
def canonical_key(key: str) -> str:
    """The name under which keys that mean the same meet."""
    if key in _NAMES:
        return _NAMES[key]
    head, _, last = key.rpartition("_")
    one = f"{head}_{singular(last)}" if head else singular(last)
    return _NAMES.get(one, one if _plural(key) else key)


def several(key: str, rules: Sequence[FactRule] = ()) -> bool | None:
    """Whether a key holds several values side by side; None where only the model's `op` can tell."""
    for rule in rules:
        if rule.key == key:
            return rule.multi
    if _plural(key) and key not in _NAMES:
        return True
    name = canonical_key(key)
    if name in _SINGLE or name.startswith(("preferred_", "favorite_", "favourite_")):
        return False
    if name in _MULTI or name.rpartition("_")[2] in _MULTI - {"preference", "need", "request"}:
        return True
    return None


def opposite(key: str) -> str | None:
    """The canonical key that says the contrary of the same value."""
    return _OPPOSITES.get(canonical_key(key))


def dated(key: str) -> bool:
    """Whether facts of this key are over when the moment they name is over."""
    return bool(_words(key) & _DATED)


def negative(key: str) -> bool:
    """Whether the key itself denies: `allergy: nuts` is what "I can't eat nuts" says."""
    return bool(_words(key) & _NEGATIVE)


def private(key: str) -> bool:
    """Whether facts of this key reach the model only when the caller is verified."""
    return bool(_words(key) & _PRIVATE)


def allergy(key: str) -> bool:
    """Whether facts of this key say what somebody can't bear: a dish may depend on it."""
    return bool(_words(key) & _ALLERGY)


def misheard(key: str) -> bool:
    """Whether the key tells who and where somebody is, in letters and digits that a telephone loses."""
    return canonical_key(key) in _HEARD or key in _HEARD


def written(key: str) -> bool:
    """Whether what the key holds is written down: a name, a number, an address is never a yes or no."""
    return misheard(key) or canonical_key(key) in ("address", "preferred_name")


def of_the_call(key: str) -> bool:
    """Whether the key is one of the answer's own, for what this call is about, and no fact of the caller."""
    return key in ("task", "goal", "topic", "mood", "outcome", "pending_steps", "completed_steps")


def secret(key: str) -> bool:
    """Whether what the key names is used and never kept."""
    return bool(_words(key) & _SECRET)


def kind_of(key: str) -> str:
    """What a fact of this key is filed as where no rule says so."""
    name = canonical_key(key)
    if name in ("likes", "dislikes") or "preference" in key or key.startswith(("preferred_", "favo")):
        return "preference"
    if negative(key) or "constraint" in key:
        return "constraint"
    if about_person(key):
        return "relation"
    return "event" if dated(key) else "fact"


def person_of(key: str) -> str | None:
    """Who around the caller a key is about (`wife` of `wife_name`), or None."""
    return next((word for word in key.split("_") if word in _PERSONS or singular(word) in _PERSONS), None)


def about_person(key: str) -> bool:
    """Whether the key names somebody around the caller (`wife_name`, `pet`)."""
    return bool(_words(key) & _PERSONS)


def rule_for(key: str, rules: Sequence[FactRule]) -> FactRule | None:
    """The app's rule for a key, by its exact name."""
    return next((rule for rule in rules if rule.key == key), None)


def _plural(key: str) -> bool:
    last = key.rpartition("_")[2]
    return last not in _NOT_PLURAL and singular(last) != last


def _words(key: str) -> set[str]:
    words = set(key.split("_")) | set(canonical_key(key).split("_"))
    return words | {singular(word) for word in words}
