"""A second, slow and simple reader of the command templates, to check the product's by.

Every template is written out into all its sentences, word by word, with slots as places for words. A text is a command
when it is one of these sentences. Knows the templates' four signs ([] may be left out, (a|b) one of them, <rule>,
{slot}) and nothing of the library that the product uses.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise, product

from narrator.speech.grammar import COUNTS, SEATS, TABLES, Reading
from narrator.speech.lang import ru

Sentence = tuple[str, ...]

FORMS: dict[str, dict[int, tuple[str, ...]]] = {
    **{
        f"{slot}_{case}".rstrip("_"): {seat: ru.seat_forms(seat, case) for seat in SEATS}
        for slot in ("seat", "by")
        for case in ("", *ru.SEAT_CASES)
    },
    **{
        f"count_{kind}".rstrip("_"): {count: ru.count_forms(count, kind) for count in COUNTS}
        for kind in ("", *ru.COUNT_KINDS)
    },
    "table": {table: (ru.cardinal(table).replace("ё", "е"),) for table in TABLES},
}


def written_out(template: str) -> frozenset[Sentence]:
    """All sentences of a template, slots as «{name}»."""
    tokens = re.findall(r"[\[\]()|]|<\w+>|\{\w+\}|[^\s\[\]()|<>{}]+", template)
    sentences, rest = _alternatives(tokens)
    assert not rest, f"{template}: {rest} is left over"
    return sentences


def _alternatives(tokens: list[str]) -> tuple[frozenset[Sentence], list[str]]:
    found: set[Sentence] = set()
    while True:
        sentences, tokens = _sequence(tokens)
        found |= sentences
        if not tokens or tokens[0] != "|":
            return frozenset(found), tokens
        tokens = tokens[1:]


def _sequence(tokens: list[str]) -> tuple[set[Sentence], list[str]]:
    found: set[Sentence] = {()}
    while tokens and tokens[0] not in "|])":
        token, tokens = tokens[0], tokens[1:]
        if token in "[(":
            part, tokens = _alternatives(tokens)
            tokens = tokens[1:]
            if token == "[":
                part |= {()}
        elif token.startswith("<"):
            part = written_out(ru.RULES[token[1:-1]])
        else:
            part = frozenset({(token,)})
        found = {(*head, *tail) for head in found for tail in part}
    return found, tokens


@cache
def sentences() -> dict[str, frozenset[Sentence]]:
    """All sentences of every intent."""
    return {intent: frozenset().union(*map(written_out, templates)) for intent, templates in ru.COMMANDS.items()}


@cache
def _by_length() -> dict[int, list[tuple[str, Sentence]]]:
    found: dict[int, list[tuple[str, Sentence]]] = defaultdict(list)
    for intent, said in sentences().items():
        for sentence in said:
            found[len(sentence)].append((intent, sentence))
    return dict(found)


@cache
def _values(slot: str, word: str) -> tuple[int, ...]:
    return tuple(value for value, forms in FORMS[slot].items() if word in forms)


def slot(token: str) -> str:
    """«{seat_plain}» fills the slot seat."""
    return token[1:-1].partition("_")[0]


def takes(sentence: Sentence, slots: Mapping[str, int]) -> bool:
    """Whether a sentence has places for just these slots, and words for their values."""
    places = [token for token in sentence if token[0] == "{"]
    return sorted(map(slot, places)) == sorted(slots) and all(forms(token, slots) for token in places)


def forms(token: str, slots: Mapping[str, int]) -> tuple[str, ...]:
    """What may stand at «{seat_plain}» for the slots' values, the usual form first; a word stands for itself."""
    return FORMS[token[1:-1]][slots[slot(token)]] if token[0] == "{" else (token,)


def read(text: str) -> frozenset[Reading]:
    """All readings of a normalised text."""
    words = text.split()
    found: set[Reading] = set()
    for intent, sentence in _by_length().get(len(words), ()):
        places = [
            [(slot(token), value) for value in _values(token[1:-1], word)] if token[0] == "{" else token == word
            for token, word in zip(sentence, words, strict=True)
        ]
        if all(places):
            slots = [place for place in places if isinstance(place, list)]
            found |= {Reading(intent, tuple(sorted(chosen))) for chosen in product(*slots)}
    return frozenset(found)


def a_sentence(reading: Reading, chance: random.Random) -> str | None:
    """One of the ways to say a reading, None if it has no sentence."""
    slots = dict(reading.slots)
    fitting = sorted(sentence for sentence in sentences()[reading.intent] if takes(sentence, slots))
    if not fitting:
        return None
    return " ".join(chance.choice(forms(token, slots)) for token in chance.choice(fitting))


def pairs(text: str) -> set[tuple[str, str]]:
    """Neighbouring words of a phrase, its beginning and end among them."""
    return set(pairwise(["<", *text.split(), ">"]))
