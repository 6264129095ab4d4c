"""Rows of the table: sounds are put together, every system hears them, and what it did is judged.

A command is heard once it has done something; what it does first is its outcome. Latency is from its last sound to the
place in the sound where the result was known, computing apart. In talk, each thing done is a false action; a question
that it raised («Удалить игрока?») stays open, so that talk may answer it.
Invariant: all systems hear the very same samples.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from narrator.game import moves as m
from narrator.game.reducer import Played, play
from narrator.game.state import Game
from narrator.speech.intents import Meaning, Request
from tests.bench.hearing.commands import Command, Moment
from tests.bench.hearing.noise import quiet_room, with_noise
from tests.bench.hearing.systems import Result, Samples, System, samples, timed
from tests.bench.hearing.talk import Said
from tests.bench.hearing.voices import RATE, Sound

BEFORE, AFTER = (0.5, 0.9), 2.2
"""Seconds of sound before a command (from, to) and after it."""
IRREVERSIBLE = (m.Remove, m.Leave, m.NewGame, m.TellWinner)
RIGHT, SEAT, OTHER, AGAIN, NOTHING = "right", "wrong seat", "wrong command", "asked again", "nothing"
OUTCOMES = (RIGHT, SEAT, OTHER, AGAIN, NOTHING)

Speak = Callable[[str, str], Sound]
"""A voice and a text to its sound."""
Spoil = Callable[[Sound, slice, np.random.Generator], Sound]
"""Puts noise or a room around a sound whose speech is in the slice."""


def untouched(sound: Sound, speech: slice, dice: np.random.Generator) -> Sound:
    """Nothing but the voice."""
    return sound


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what is said by whom, and what is done to the sound."""

    group: str
    name: str
    said: Sequence[tuple[Command, str]]  # with its voice
    spoil: Spoil = untouched


@dataclass(frozen=True, slots=True)
class Clip:
    """A command's sound, and the second of its last sound."""

    sound: Samples
    end: float


@dataclass
class Score:
    """How one system did in one row.

    `waits`: seconds, of what was right. `errors`: (voice, said, heard with its confidence, outcome).
    """

    group: str
    row: str
    system: str
    counts: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    errors: list[tuple[str, str, str, str]] = field(default_factory=list)
    audio: float = 0.0
    work: float = 0.0

    @property
    def total(self) -> int:
        """Commands said."""
        return self.counts.total()

    def share(self, outcome: str) -> float:
        """Of the commands said, 0…1."""
        return self.counts[outcome] / max(1, self.total)

    def as_json(self) -> dict[str, Any]:
        """For the file."""
        counts = {outcome: self.counts[outcome] for outcome in OUTCOMES}
        waits = [round(wait, 3) for wait in self.waits]
        return vars(self) | {"counts": counts, "waits": waits, "total": self.total, "right": self.share(RIGHT)}


def clip(command: Command, voice: str, speak: Speak, spoil: Spoil) -> Clip:
    """A command with the quiet of a room around it, spoilt."""
    dice = np.random.default_rng(zlib.crc32(f"{command.moment} {command.text} {voice}".encode()))
    speech = speak(voice, command.text)
    before = round(dice.uniform(*BEFORE) * RATE)
    whole = np.concatenate([np.zeros(before, np.float32), speech, np.zeros(round(AFTER * RATE), np.float32)])
    place = slice(before, before + len(speech))
    return Clip(samples(quiet_room(spoil(whole, place, dice), dice)), place.stop / RATE)


def measure(row: Row, systems: Sequence[System], moments: dict[str, Moment], speak: Speak) -> Iterator[Score]:
    """A score for each system."""
    scores = {system.name: Score(row.group, row.name, system.name) for system in systems}
    for command, voice in row.said:
        sound = clip(command, voice, speak, row.spoil)
        for system in systems:
            _judge(system, command, voice, sound, moments[command.moment], scores[system.name])
    yield from scores.values()


def _judge(system: System, command: Command, voice: str, sound: Clip, moment: Moment, score: Score) -> None:
    heard: list[Result] = []

    def react(result: Result) -> Moment | None:
        heard.append(result)
        return None if result.does is not None else moment

    score.work += timed(system, sound.sound, moment, react)
    score.audio += len(sound.sound) / RATE
    done = next((result for result in heard if result.does is not None), None)
    outcome = outcome_of(command.does, done, heard)
    score.counts[outcome] += 1
    if outcome != RIGHT:
        score.errors.append(
            (voice, command.text, " / ".join(f"{one.text} ({one.confidence:.2f})" for one in heard), outcome)
        )
    elif done is not None and not system.needs_end:
        score.waits.append(done.at - sound.end)


def outcome_of(wanted: Meaning, done: Result | None, heard: Iterable[Result]) -> str:
    """One of OUTCOMES."""
    if done is None or done.does is None:
        return AGAIN if any(result.again for result in heard) else NOTHING
    if done.does == wanted:
        return RIGHT
    same = type(done.does) is type(wanted) and not isinstance(wanted, Request) and _with_number(wanted)
    return SEAT if same else OTHER


def _with_number(move: Meaning) -> bool:
    kinds = (m.Nominate, m.VoteFor, m.CastVotes, m.Choose, m.TellDeath, m.Warn, m.Unwarn, m.Leave, m.Remove)
    return isinstance(move, kinds) or (isinstance(move, m.SetUp) and move.seats is not None)


# --- talk --------------------------------------------------------------------------------------------------------


@dataclass
class Overheard:
    """What a system did in talk that held no command.

    `done`: (kind, second of the talk, text, what it did, what was being said). Kinds: «asks», the narrator was asked
    for something; «changes», the game went on; «irreversible», a step that is asked back; «confirmed», it was made;
    «again», it was too uncertain and asked for again.
    """

    moment: str
    system: str
    audio: float
    work: float = 0.0
    done: list[tuple[str, float, str, str, str]] = field(default_factory=list)

    def an_hour(self, *kinds: str) -> float:
        """How many of these kinds."""
        return sum(kind in kinds for kind, *_ in self.done) / (self.audio / 3600)


@dataclass(frozen=True, slots=True)
class Tape:
    """A long talk: its samples, and what is said from which second on."""

    sound: Samples
    said: Sequence[tuple[float, str]]

    @classmethod
    def of(cls, talk: Iterable[Said]) -> Tape:
        """All of it in a row."""
        pieces, said, length = [], [], 0
        for piece in talk:
            said.append((length / RATE, f"{piece.voice}: {piece.text}"))
            pieces.append(samples(piece.sound))
            length += len(piece.sound)
        return cls(np.concatenate(pieces), said)

    def with_noise(self, noise: Sound, ratio: float) -> Tape:
        """The same with `noise` of mean power 1 under it, `ratio` dB below the mean of all that is said."""
        sound = (self.sound / 32767).astype(np.float32)
        return dataclasses.replace(self, sound=samples(with_noise(sound, slice(None), noise, ratio)))


def overhear(tape: Tape, system: System, moment: Moment) -> Overheard:
    """Let `system` hear the talk in `moment`, to which the game comes back after whatever was done."""
    found = Overheard(moment.name, system.name, len(tape.sound) / RATE)
    now = moment

    def react(result: Result) -> Moment:
        nonlocal now
        if result.meant is not None:
            kind = "again"
            if result.does is not None:
                now, kind = _after(result.does, now, moment)
            then = next((text for at, text in reversed(tape.said) if at < result.at), "")
            heard = f"{result.text} ({result.confidence:.2f})"
            found.done.append((kind, round(result.at, 2), heard, _told(result.meant), then))
        return now

    found.work = timed(system, tape.sound, moment, react)
    return found


def _after(done: Meaning, now: Moment, home: Moment) -> tuple[Moment, str]:
    """Where the game goes on after `done`, and of which kind it was."""
    if isinstance(done, Request):
        return now, "asks"
    if isinstance(done, m.Answer) and now is not home:
        return home, "confirmed" if done.yes else "changes"
    if isinstance(done, IRREVERSIBLE):
        result = play(Game(now.state), done, 0.0)
        if isinstance(result, Played) and result.game.state.question is not None:
            return dataclasses.replace(now, name=f"{home.name}, asked", state=result.game.state), "irreversible"
    return home, "changes"


def _told(done: Meaning) -> str:
    return str(done) if isinstance(done, Request) else f"{done.kind} {_numbers(done)}".strip()


def _numbers(move: Any) -> str:
    values = (getattr(move, name) for name in move.__match_args__ if name != "kind")
    return " ".join(str(value) for value in values if isinstance(value, int | str))
