"""The lines of the table: which commands by which voices, in which noise, at which distance; and the hours of talk.

Invariant: a row says the same commands in the same voices whatever else is measured in the run.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from narrator.speech.lang import ru
from tests.bench.hearing.commands import RECORDINGS, Command, Moment, balanced, every_form, of_words
from tests.bench.hearing.measure import Row, Spoil
from tests.bench.hearing.noise import HALL, LIVING, SMALL, Noises, Place, heard_at, with_noise
from tests.bench.hearing.talk import human, recorded, sentence
from tests.bench.hearing.voices import COMMANDS, RATE, SEEN, TALK, Sound, Studio, present

LEVELS = {"babble": (24, 20, 15, 10, 6, 5), "talker": (15, 10), "white": (20, 15, 10, 5), "music": (20, 15, 10, 5)}
"""Decibels between the speech and the noise."""
MEAN = (24, 20, 15, 10, 6)
"""Those of babble that the mean is taken over, each for its share of the range from 24 to 6."""
PLACES = {
    "kitchen, 0.5 m": Place(*SMALL, 0.5, 0.4),
    "kitchen, 1 m": Place(*SMALL, 1.0, 2.2),
    "living room, 1 m": Place(*LIVING, 1.0, 1.1),
    "living room, 2 m": Place(*LIVING, 2.0, 3.6),
    "hall, 1 m": Place(*HALL, 1.0, 0.3),
    "hall, 3 m": Place(*HALL, 2.6, 2.8),
}
CROWD = 15
"""Decibels between talk without a command and the crowd behind it."""
HUMAN = "person"
"""The woman who recorded the numbers; heard in training."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many commands a row of each group has, and which rows of it there are."""

    voice: int
    babble: int
    noise: int  # of any other kind
    room: int
    human: int
    every_form: bool
    levels: dict[str, tuple[int, ...]]
    places: tuple[str, ...]
    hours: float
    talk: dict[str, float]  # which part of the hours each moment listens to
    talk_in_babble: dict[str, float]  # the same with a crowd `CROWD` dB fainter than the talk

    def part(self, share: float) -> Size:
        """So much of it, 0…1; every form is either said or not."""
        fewer = {name: math.ceil(share * getattr(self, name)) for name in ("voice", "babble", "noise", "room", "human")}
        return replace(self, hours=share * self.hours, **fewer)


FULL = Size(
    voice=24,
    babble=464,  # each of 232 kinds of command in its moment twice; of 96, one that a voice says badly is a percent
    noise=96,
    room=72,
    human=72,
    every_form=True,
    levels=LEVELS,
    places=tuple(PLACES),
    hours=2.0,
    talk={
        **dict.fromkeys(("speech", "vote", "night"), 1.0),
        "question": 0.5,
        **dict.fromkeys(("speech ended by thanks", "speech, no host", "lobby", "morning", "best move"), 0.1),
    },
    talk_in_babble={"speech": 0.5, "vote": 0.5},
)
QUICK = Size(
    voice=6,
    babble=36,
    noise=36,
    room=36,
    human=24,
    every_form=False,
    levels={"babble": (20, 10), "white": (10,), "music": (10,)},
    places=("living room, 1 m",),
    hours=0.2,
    talk={"speech": 1.0, "vote": 1.0},
    talk_in_babble={"vote": 1.0},
)


class Cast:
    """Everybody who speaks."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self.voices = [voice for voice in COMMANDS if present(voice)]
        self.absent = [voice for voice in (*COMMANDS, *SEEN, *TALK) if not present(voice)]
        words = recorded(("word", "digit", "ordinal"), words=True)
        self._words = {ru.normal(text): file for file, text in words}
        if not self._words:
            self.absent.append(f"recordings of people in {RECORDINGS}")

    def speak(self, voice: str, text: str) -> Sound:
        """The sound of a text; a person's is put together from recorded words."""
        if voice != HUMAN:
            return self._studio.say(voice, text)
        gap = np.zeros(round(0.06 * RATE), np.float32)
        parts = [part for word in text.split() for part in (human(self._words[word]), gap)]
        return np.concatenate(parts[:-1])

    def can_say(self, text: str) -> bool:
        """Whether the person recorded all the words."""
        return all(word in self._words for word in text.split())

    @functools.cached_property
    def noises(self) -> Noises:
        """Two streams of a reader's sentences and one of each voice of TALK, a minute each."""
        dice = random.Random(5)
        files = [file for file, _ in recorded(("sentence",))]
        readers = [np.concatenate([human(file) for file in files[part::2]]) for part in range(2)] if files else []
        texts = {voice: [sentence(dice) for _ in range(16)] for voice in TALK if present(voice)}
        made = [np.concatenate([self._studio.say(voice, text) for text in said]) for voice, said in texts.items()]
        return Noises([*readers, *made])


def rows(size: Size, cast: Cast, moments: dict[str, Moment]) -> Iterator[Row]:
    """All of them, in the order of the table."""
    places = list(moments.values())
    said = balanced(places, size.voice * len(cast.voices))
    for n, voice in enumerate(cast.voices):
        yield Row("voice", voice, [(command, voice) for command in said[n :: len(cast.voices)]])
    for voice in SEEN:
        if present(voice):
            yield Row("seen", voice, [(command, voice) for command in said[:: len(cast.voices)]])
    if by_person := _human(size.human, cast, moments):
        yield Row("seen", HUMAN, [(command, HUMAN) for command in by_person])
    if size.every_form:
        yield Row("forms", "every form", _by_turns(every_form(places), cast))
    in_babble, in_noise = (_by_turns(balanced(places, n, seed=2), cast) for n in (size.babble, size.noise))
    for kind, levels in size.levels.items():
        for level in levels:
            spoken = in_babble if kind == "babble" else in_noise
            yield Row(kind, f"{kind} {level} dB", spoken, _noisy(cast, kind, level))
    in_room = _by_turns(balanced(places, size.room, seed=3), cast)
    for name in size.places:
        yield Row("room", name, in_room, _far(PLACES[name]))
    yield Row("room", "living room, 1 m, babble 15 dB", in_room, _party(cast, PLACES["living room, 1 m"], 15))


def _by_turns(commands: Sequence[Command], cast: Cast) -> list[tuple[Command, str]]:
    return [(command, cast.voices[n % len(cast.voices)]) for n, command in enumerate(commands)]


def _noisy(cast: Cast, kind: str, level: float) -> Spoil:
    def spoil(sound: Sound, speech: slice, dice: np.random.Generator) -> Sound:
        return with_noise(sound, speech, cast.noises.make(kind, len(sound), dice), level)

    return spoil


def _far(place: Place) -> Spoil:
    return lambda sound, speech, dice: heard_at(sound, place)


def _party(cast: Cast, place: Place, level: float) -> Spoil:
    """The others sit in the same room, a little farther away."""
    around = Place(place.size, place.echo, 1.6, place.direction + 2.1)

    def spoil(sound: Sound, speech: slice, dice: np.random.Generator) -> Sound:
        noise = heard_at(cast.noises.make("babble", len(sound), dice), around)
        noise /= float(np.sqrt(np.mean(noise**2)))
        return with_noise(heard_at(sound, place), speech, noise, level)

    return spoil


def _human(count: int, cast: Cast, moments: dict[str, Moment]) -> list[Command]:
    """Numbers alone, with «номер», as ordinals, and the few other commands that the person's words make."""
    said = [
        command
        for name in ("best move", "vote", "victim's vote", "question", "paused", "speech ended by thanks")
        for command in of_words(moments[name], [text for text in moments[name].sentences() if cast.can_say(text)])
    ]
    return random.Random(4).sample(said, min(count, len(said)))
