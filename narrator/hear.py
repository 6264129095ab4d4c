"""`narrator hear FILE…`: what the recogniser makes of sound files, and which command that would be.

Loads the recogniser in this process: a file cannot take a game down with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from narrator.config import Settings
from narrator.naming import commands, vocabulary
from narrator.ports.models import find_model
from narrator.ports.recogniser import Recogniser, Utterance
from narrator.ports.recordings import read_sound
from narrator.speech.grammar import Grammar

ROOM = 0.4
"""Seconds of silence put before and after a file's sound."""


def hear_files(settings: Settings, files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """One record a file: text, confidences, the reading or None, seconds of audio and of work.

    Every command of every seat is live, so the text is what the recogniser hears at its worst.
    Raises RecogniserError for a missing model or a broken file.
    """
    names = tuple(settings.game.names)
    words = commands(settings)
    spoken = words.named(names)
    everything = spoken.everything()
    phrases = spoken.phrases(everything, bare=True, addressed=True, joined=True)
    forms = spoken.forms(everything, frozenset(), bare=True, addressed=True)
    model: Path | None = None
    recognisers: dict[int, Recogniser] = {}
    for file in files:
        frames, rate = read_sound(file)  # before the model: a wrong name need not wait for it
        model = model or find_model(settings.ears, settings.paths.cache_dir, vocabulary(settings, words, names))
        if rate not in recognisers:
            recognisers[rate] = Recogniser(model, rate)
            recognisers[rate].listen(phrases, forms)
        recogniser = recognisers[rate]
        began = time.perf_counter()
        heard = recogniser.feed(_with_room(frames, rate))
        last = recogniser.finish()
        took = time.perf_counter() - began
        utterances = heard if last is None else [*heard, last]
        recogniser.reset()
        yield _record(spoken, file, utterances, len(frames) / 2 / rate, took)


def _with_room(frames: bytes, rate: int) -> bytes:
    """The frames with silence around them, as a microphone would have: a word that begins with the file is lost."""
    room = bytes(2 * int(rate * ROOM))
    return room + frames + room


def _record(spoken: Grammar, file: Path, heard: list[Utterance], audio: float, work: float) -> dict[str, Any]:
    text = " ".join(utterance.text for utterance in heard)
    bare, addressed = spoken.address(spoken.normal(text))
    readings = spoken.read(bare)
    return {
        "file": str(file),
        "text": text,
        "confidence": round(min((utterance.confidence for utterance in heard), default=0.0), 3),
        "words": [
            {"word": word.text, "confidence": round(word.confidence, 3)} for said in heard for word in said.words
        ],
        "intent": [{"name": r.intent, **dict(r.slots)} for r in readings] or None,
        "addressed": addressed,
        "audio_seconds": round(audio, 3),
        "work_seconds": round(work, 3),
    }
