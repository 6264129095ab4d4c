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

NEAR = 3.0
"""Logarithm of how many times likelier a text that is no command may be than the command that is taken instead."""
LIKELY = 0.5
"""Probability from which a command is taken that was not the likeliest text."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What may have been said: its words and the logarithm of its likelihood, up to a constant."""

    words: tuple[str, ...]
    score: float


def choose(guesses: Sequence[Guess], forms: Forms) -> tuple[Guess, float]:
    """The guess to go by, and the probability 0…1 that what it means was said.

    `guesses`: at least one, no text twice.
    """
    best = max(guesses, key=lambda guess: guess.score)
    shares = {guess: math.exp(guess.score - best.score) for guess in guesses}
    meanings: dict[Meaning, list[Guess]] = defaultdict(list)
    others = 0.0
    for guess in guesses:
        if meant := forms.meaning(guess.words):
            meanings[meant].append(guess)
        elif not guess.words or UNKNOWN in guess.words:
            others += shares[guess]
    if meanings:
        sums = {meant: sum(shares[guess] for guess in found) for meant, found in meanings.items()}
        meant = max(sums, key=lambda one: sums[one])
        taken = max(meanings[meant], key=lambda guess: guess.score)
        sure = sums[meant] / (sum(sums.values()) + others)
        if taken is best or forms.meaning(best.words) or (best.score - taken.score < NEAR and sure >= LIKELY):
            return taken, sure
    return best, shares[best] / sum(shares.values())


def certainty(word: str, guesses: Sequence[Guess]) -> float:
    """The probability 0…1 that a word was said."""
    best = max(guess.score for guess in guesses)
    shares = [(word in guess.words, math.exp(guess.score - best)) for guess in guesses]
    return sum(share for has, share in shares if has) / sum(share for _, share in shares)
