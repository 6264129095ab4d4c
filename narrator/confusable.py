"""What could be misheard: commands that sound alike and mean different things at the same moment, words that the model
cannot hear, and phrases of the narrator that are commands themselves.

Looks at the grammar of every moment that random games of every ruleset come to; touches no device and hears no sound.
Sounding alike is a weighted edit distance over the compact model's phones: 1 for a phone that is another, less where
people and models confuse the two. Invariant: commands of both kinds of a reported pair were live in one moment.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from narrator.compact.acoustic import Acoustic
from narrator.compact.pronounce import Phones, pronounce
from narrator.config import Settings
from narrator.explore import moments
from narrator.game import moves as m
from narrator.game.reducer import Played, play
from narrator.game.rulesets import RULESETS
from narrator.game.state import Game, State
from narrator.naming import commands, vocabulary
from narrator.ports.models import check_model, find_model
from narrator.rendering import everything
from narrator.speech.grammar import Grammar, Reading
from narrator.speech.intents import live_readings

NEAR = 1.7
"""Distance up to which two commands are close; about two phones lost or one changed for another kind."""
ALIKE = 0.2
"""Distance for each phone of the longer one up to which long commands are close."""

_LOST = 0.8  # a phone that is not heard, or heard where there is none
_NUMBER = "number"  # what a number means by itself
_VOWELS = ("aoʌ", "eiy", "u")
_PAIRS = tuple(
    set(pair) for pair in ("pb", "td", "kɡ", "fv", "sz", "ʃʒ", "ʃɕ", "mn", "ɭr", "xk")
)  # alike but for one thing
_SOFTNESS, _PAIR, _SAME_VOWEL, _OTHER_VOWEL = 0.4, 0.5, 0.3, 0.7
_CHEAPEST = min(_SOFTNESS, _SAME_VOWEL)

Costs = NDArray[np.float64]


@dataclass(frozen=True, slots=True, order=True)
class Close:
    """Two commands of one moment that sound alike: the words in which they differ, and one phrase of each."""

    one: str
    other: str
    distance: float
    example: str
    against: str


def close_pairs(grammar: Grammar) -> tuple[Close, ...]:
    """Each pair once, by the words in which they differ. Raises BuildError where a word cannot be pronounced."""
    meanings = _meanings(grammar)
    phrases = sorted(meanings)
    same = [phrase for phrase, readings in meanings.items() if _at_odds(readings, readings)]
    found = {(phrase, phrase): Close(phrase, phrase, 0.0, phrase, phrase) for phrase in same}
    for one, other, distance in _near(phrases, _sounds(phrases)):
        if _at_odds(meanings[one], meanings[other]):
            apart = _apart(one, other)
            if apart not in found or distance < found[apart].distance:
                found[apart] = Close(*apart, round(distance, 2), one, other)
    return tuple(sorted(found.values()))


def report(settings: Settings) -> Iterator[str]:
    """Everything found, a line each; nothing if there is nothing. Raises BuildError and RecogniserError."""
    grammar = commands(settings)
    words = vocabulary(settings, grammar)
    for pair in close_pairs(grammar):
        yield f"«{pair.one}» and «{pair.other}» sound alike ({pair.distance:g})."
    model = find_model(settings.ears, settings.paths.cache_dir, words)
    for word in check_model(model).missing_words(words):
        yield f"«{word}» cannot be heard with the model {model.name}."
    for intent, texts in commands_spoken(grammar, everything(settings)).items():
        more = f" (and {len(texts) - 1} more like it)" if len(texts) > 1 else ""
        yield f"«{texts[0]}» is said by the narrator and is the command {intent}{more}; he does not hear himself."


def commands_spoken(grammar: Grammar, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those of `texts` that a microphone could take for a command, by what they would do."""
    found: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        for reading in grammar.read(grammar.address(grammar.normal(text))[0]):
            found[reading.intent].append(text)
    return {intent: tuple(said) for intent, said in sorted(found.items())}


# --- which phrases, and what they mean when -------------------------------------------------------------------------


def _meanings(grammar: Grammar) -> dict[str, dict[Reading, int]]:
    """Phrases with their readings, each with the moments in which commands of its kind are live (as bits).

    Every form of every number alone, and every other phrase with none or the lowest: numbers differ alike in each.
    """
    live, when = _live()
    numbers = {
        word: Reading(_NUMBER, ((_NUMBER, value),))
        for values in grammar.numbers.values()
        for value, forms in values.items()
        for form in forms
        for word in form.split()
    }
    meanings: dict[str, dict[Reading, int]] = {word: {said: 0} for word, said in numbers.items()}
    for phrase in grammar.phrases(live, bare=True, addressed=False):
        read = {said: when[said.intent] for said in grammar.read(phrase) if said.intent in when}
        said_here = [word for word in phrase.split() if word in numbers]
        for word in said_here:
            meanings[word][numbers[word]] |= functools.reduce(operator.or_, read.values(), 0)
        if all(numbers[word].slots[0][1] <= 1 for word in said_here):
            meanings.setdefault(phrase, read)
    return meanings


@functools.cache
def _live() -> tuple[frozenset[Reading], dict[str, int]]:
    """All that is ever live, and for each intent the moments in which it is, as bits."""
    live: set[Reading] = set()
    when: dict[str, int] = defaultdict(int)
    for n, state in enumerate(_states()):
        for reading in live_readings(state, can_undo=True):
            live.add(reading)
            when[reading.intent] |= 1 << n
    return frozenset(live), dict(when)


def _states() -> Iterator[State]:
    for rules in RULESETS.values():
        for state in moments(rules):
            yield state
            paused = play(Game(state), m.Pause(), 0.0)
            if isinstance(paused, Played):
                yield paused.game.state


def _at_odds(one: dict[Reading, int], other: dict[Reading, int]) -> bool:
    """Whether there is a moment in which both do something, and not the same."""
    return any(
        first != second and when & then
        for (first, when), (second, then) in itertools.product(one.items(), other.items())
    )


def _apart(one: str, other: str) -> tuple[str, str]:
    """The words in which two phrases differ; a word more is told with its neighbour."""
    first, second = one.split(), other.split()
    while len(first) > 1 and len(second) > 1 and first[-1] == second[-1]:
        del first[-1], second[-1]
    while len(first) > 1 and len(second) > 1 and first[0] == second[0]:
        del first[0], second[0]
    return min((" ".join(first), " ".join(second)), (" ".join(second), " ".join(first)))


# --- how near they sound --------------------------------------------------------------------------------------------


def _sounds(phrases: Sequence[str]) -> list[tuple[Phones, ...]]:
    """Every phrase as phones, in each way in which it may be pronounced (of one word at a time)."""
    lexicon = pronounce({word for phrase in phrases for word in phrase.split()}, Acoustic().phones)
    return [tuple(_ways([lexicon[word] for word in phrase.split()])) for phrase in phrases]


def _ways(words: Sequence[Sequence[Phones]]) -> Iterator[Phones]:
    for place, ways in enumerate(words):
        for way in ways if place == 0 else ways[1:]:
            yield tuple(itertools.chain.from_iterable([way if n == place else w[0] for n, w in enumerate(words)]))


def _near(phrases: Sequence[str], sounds: Sequence[tuple[Phones, ...]]) -> Iterator[tuple[str, str, float]]:
    """Pairs of phrases that are near, with their distance."""
    owners = [n for n, ways in enumerate(sounds) for _ in ways]
    phones = sorted({phone for ways in sounds for way in ways for phone in way})
    number = {phone: n for n, phone in enumerate(phones)}
    spoken = [np.array([number[phone] for phone in way]) for ways in sounds for way in ways]
    counts = np.array([np.bincount(way, minlength=len(phones)) for way in spoken], np.int16)
    lengths = np.array([len(way) for way in spoken])
    padded = np.full((len(spoken), lengths.max()), len(phones))
    for n, way in enumerate(spoken):
        padded[n, : len(way)] = way
    cost = _costs(phones)
    for n in range(len(spoken)):
        limit = np.maximum(NEAR, ALIKE * np.maximum(lengths[n + 1 :], lengths[n]))
        # each change mends at most two of the counts' differences, and the cheapest change costs _CHEAPEST
        apart = np.abs(counts[n + 1 :] - counts[n]).sum(axis=1) / 2 * _CHEAPEST
        candidates = np.flatnonzero((apart <= limit) & (np.abs(lengths[n + 1 :] - lengths[n]) * _LOST <= limit))
        if not len(candidates):
            continue
        others = candidates + n + 1
        distances = _distances(spoken[n], padded[others], lengths[others], cost)
        for k, distance in zip(
            others[distances <= limit[candidates]], distances[distances <= limit[candidates]], strict=True
        ):
            if owners[n] != owners[k]:
                yield phrases[owners[n]], phrases[owners[k]], float(distance)


def _distances(one: NDArray[np.int_], others: NDArray[np.int_], lengths: NDArray[np.int_], cost: Costs) -> Costs:
    """Weighted edit distances of one row of phones to each of `others` (padded to the same length)."""
    width = others.shape[1]
    row = np.broadcast_to(np.arange(width + 1) * _LOST, (len(others), width + 1)).copy()
    for phone in one:
        before, row[:, 0] = row.copy(), row[:, 0] + _LOST
        for j in range(1, width + 1):
            changed = before[:, j - 1] + cost[phone, others[:, j - 1]]
            row[:, j] = np.minimum(changed, np.minimum(before[:, j], row[:, j - 1]) + _LOST)
    return row[np.arange(len(others)), lengths]


def _costs(phones: Sequence[str]) -> Costs:
    """What it costs to hear one phone as another; the last is no phone at all."""
    table = np.ones((len(phones) + 1, len(phones) + 1))
    for (n, one), (k, other) in itertools.product(enumerate(phones), repeat=2):
        table[n, k] = _cost(one, other)
    return table


def _cost(one: str, other: str) -> float:
    if one == other:
        return 0.0
    hard, against = one.removesuffix("ʲ"), other.removesuffix("ʲ")
    softness = _SOFTNESS if (hard == one) != (against == other) else 0.0
    if hard == against:
        return softness
    vowels = [next((n for n, group in enumerate(_VOWELS) if phone in group), None) for phone in (hard, against)]
    if None not in vowels:
        return _SAME_VOWEL if vowels[0] == vowels[1] else _OTHER_VOWEL
    if {hard, against} in _PAIRS:
        return _PAIR + softness / 2
    return 1.0
