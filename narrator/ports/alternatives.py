"""Which of the recogniser's guesses is taken, and how sure it is: by meanings, not by letters.

In Russian «двойки» and «двойке», «номер» and «номеру» sound alike. A guess that differs from another only in such a
word takes half of its probability away, though to the game both are the same command; so the probabilities of all
guesses of one meaning are added up. The recogniser holds words to pairs, so that it also guesses what is no sentence
at all («фол игрок»): that is no rival of a command, but other talk and silence are.
Knows texts, scores and forms, neither the recogniser nor the game. Invariant: a text is taken as a command only if the
recogniser itself thought of it, and of hardly anything better.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from narrator.ports.early import Forms, Meaning
from narrator.ports.models import UNKNOWN

NEAR = math.exp(-3)
"""How likely beside the likeliest text, if that is no command, a command must be to be taken instead."""
LIKELY = 0.5
"""Probability from which a command is taken that was not the likeliest text."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What may have been said: its words and the probability 0…1 of them."""

    words: tuple[str, ...]
    share: float


def shares(scores: Sequence[float]) -> list[float]:
    """Probabilities 0…1 of texts from the logarithms of their likelihoods, each up to the same constant."""
    best = max(scores, default=0.0)
    weights = [math.exp(score - best) for score in scores]
    return [weight / sum(weights) for weight in weights]


def weighed(spoken: Sequence[tuple[str, ...]], scores: Sequence[float], *, first: int, late: float) -> list[Guess]:
    """The texts with their probabilities, where `late` (a logarithm) is taken from those with talk after `first` words.

    Nobody begins a command and goes on with talk, but many speak of the host: that his title is the first word must not
    make it a command.
    """
    less = [late if UNKNOWN in words[first:] else 0.0 for words in spoken]
    return list(map(Guess, spoken, shares([score - minus for score, minus in zip(scores, less, strict=True)])))


def once(words: tuple[str, ...], forms: Forms) -> tuple[str, ...]:
    """«Стоп, стоп, стоп!» is one command; anything else comes back as it is."""
    for size in range(1, len(words) // 2 + 1):
        if words == words[:size] * (len(words) // size) and forms.meaning(words[:size]):
            return words[:size]
    return words


def choose(guesses: Sequence[Guess], forms: Forms) -> tuple[Guess, float]:
    """The guess to go by, and the probability 0…1 that what it means was said.

    `guesses`: at least one, no text twice.
    """
    best = max(guesses, key=lambda guess: guess.share)
    meanings = {guess: forms.meaning(guess.words) for guess in guesses}
    sums: dict[Meaning, float] = defaultdict(float)
    others = 0.0
    for guess, meant in meanings.items():
        if meant:
            sums[meant] += guess.share
        elif not guess.words or UNKNOWN in guess.words:
            others += guess.share
    if sums:
        likeliest = max(sums, key=lambda meant: sums[meant])
        taken = max((g for g in guesses if meanings[g] == likeliest), key=lambda guess: guess.share)
        sure = sums[likeliest] / (sum(sums.values()) + others)
        if meanings[best] or (taken.share > NEAR * best.share and sure >= LIKELY):
            return taken, sure
    return best, best.share


def possible(meant: Meaning, guesses: Sequence[Guess], forms: Forms) -> float:
    """The probability 0…1 that this was said rather than what is no command, or nothing."""
    share = others = 0.0
    for guess in guesses:
        if forms.meaning(once(guess.words, forms)) == meant:
            share += guess.share
        elif not guess.words or UNKNOWN in guess.words:
            others += guess.share
    return share / (share + others) if share else 0.0


def certainty(word: str, guesses: Sequence[Guess]) -> float:
    """The probability 0…1 that a word was said."""
    return sum(guess.share for guess in guesses if word in guess.words)
