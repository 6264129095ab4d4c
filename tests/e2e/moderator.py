"""The moderator: waits for his cue and for silence, then speaks, and says again what was not understood.

A command that makes another move than the one that was meant fails at once; one that makes none is repeated.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.box import Box, Event, now
from tests.e2e.game import Step
from tests.e2e.room import Room, voices

TRIES = 3
_ANSWER = 3.0  # seconds in which a command that was understood is in the journal
_BREATH = 0.25  # seconds of silence after which a person begins to speak
_REACTION = 0.3  # seconds in which the narrator begins to answer


class Moderator:
    """Plays steps by voice. `repeated`: what had to be said more than once."""

    def __init__(self, box: Box, room: Room) -> None:
        self.box, self.room = box, room
        self.repeated: list[str] = []
        self._done = 0  # moves made
        self._told = 0  # characters of all that was said that earlier steps have used as their cues
        self._turn = 0  # commands spoken

    def rehearse(self, steps: Sequence[Step]) -> None:
        """Have the voices ready, several at a time: a synthesiser may take seconds for a sentence."""
        said = [step.said for step in steps if step.said]
        with ThreadPoolExecutor(4) as pool:
            ready = [pool.submit(self.room.sound, t, speakers(t, turn)[0]) for turn, t in enumerate(said, 1)]
        for sound in ready:
            sound.result()

    def play(self, step: Step) -> None:
        """One step: the cue, the silence, the command, its move."""
        cued = self.cue(step.after)
        if step.typed is not None:
            self.box.type(step.typed)
            assert self._made(step, 5), f"«{step.typed}» was typed in vain\n{self.box.story()}"
            return
        self._turn += 1
        for voice in speakers(step.said, self._turn):
            self.silence(cued)
            self.room.say(step.said, voice)
            if self._made(step, _ANSWER):
                return
            self.repeated.append(f"{voice}: {step.said}")
        raise AssertionError(f"said {TRIES} times in vain: {step.said}\n{self.box.story()}")

    def cue(self, text: str, seconds: float = 40) -> float:
        """Wait until the narrator has begun to say something with `text` in it; when it was."""

        def found() -> Event | None:
            said = self.box.told("say")
            place = " ".join(e["text"] for e in said).casefold().find(text.casefold(), self._told)
            if place < 0:
                return None
            self._told = place  # the same phrase may be the cue of the next step too
            ends = itertools.accumulate(len(e["text"]) + 1 for e in said)
            return next(e for e, end in zip(said, ends, strict=True) if end >= place + len(text))

        event: Event = self.box.wait(found, seconds, f"the narrator's «{text}»")
        return float(event["at"])

    def silence(self, since: float = 0.0) -> None:
        """Wait until the box listens (some lamp is lit, at least its dim pulse) and nothing is heard of it.

        A person hears that a sentence goes on; here the witness tells that all of it has been said.
        """

        def quiet() -> bool:
            listens = any(level for name, level in self.box.lit().items() if name != "buzzer")
            said = len(self.box.told("signal", kind="SpeechDone")) >= len(self.box.told("say"))
            return listens and said and self.room.quiet_for > _BREATH and now() - since > _REACTION + _BREATH

        self.box.wait(quiet, 60, "silence")

    def _made(self, step: Step, seconds: float) -> bool:
        """Whether the step's move was made in time; fails on any other move."""
        until = now() + seconds
        self.box.wait(lambda: len(self.box.moves()) > self._done or now() > until, seconds + 5, "an answer")
        new = self.box.moves()[self._done :]
        if not new:
            return False
        assert new == [step.move], f"meant {step.move}, but {new} was made\n{self.box.story()}"
        self._done += 1
        return True


def speakers(text: str, turn: int) -> tuple[str, ...]:
    """Who says the command of this turn, and who says it again: people first, the others by turns."""
    able = voices(text)
    people, others = able[: able.count("human")], able[able.count("human") :]
    first = turn % len(others)
    return (*people, *others[first:], *others[:first])[:TRIES]
