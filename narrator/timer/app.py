"""The timer's loop: signals and time in, then words, sounds and lamps out. The same ports as the game's.

`step` never blocks; it owns the only mutable variable, `state`. Invariant: time starts when the announcement has truly
been heard, and every mark that has come is dealt with before the signal of a step.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable

from narrator.clock import Clock
from narrator.messages import (
    Buzz,
    Control,
    Countdown,
    Earcon,
    Heard,
    Held,
    PortBack,
    PortFailed,
    Quit,
    Released,
    Signal,
    SpeechDone,
    Wrote,
)
from narrator.ports.urgency import urgent
from narrator.speech.grammar import Grammar
from narrator.speech.script import Line
from narrator.stage import Ports, Stage
from narrator.timer import core
from narrator.timer.words import Cue, Meaning, Request, Teller, listening, pressed, understand

log = logging.getLogger(__name__)

LATE = 0.5
"""Seconds after which a mark counts as late and the log says so."""


class TimerApp:
    """One meeting. `start`, then `step` for every signal and whenever `deadline` has come."""

    def __init__(
        self,
        ports: Ports,
        clock: Clock,
        state: core.State,
        grammar: Grammar,
        teller: Teller,
        inbox: queue.SimpleQueue[Signal],
        *,
        confidence: float = 0.6,
        count: Callable[[Countdown | None, float], None] = lambda countdown, at: None,
    ) -> None:
        self._count = count
        self._counted: Countdown | None = None
        self.stage = Stage(ports)
        self.state = state
        self.quitting = False
        self._ports, self._clock, self._grammar, self._teller, self._inbox = ports, clock, grammar, teller, inbox
        self._confidence = confidence
        self._zero = clock.now()
        self._past: list[core.State] = []
        self._talk = False

    def at(self) -> float:
        """The meeting's own time, in seconds."""
        return self._clock.now() - self._zero

    def deadline(self) -> float | None:
        """When `step` has something to do by itself, in the meeting's time."""
        return core.deadline(self.state)

    def start(self) -> None:
        """Greet and wait for the first speaker."""
        self.stage.say(self._teller.opening(self.state.plan))
        self._settle()

    def run(self) -> None:
        """The loop, until somebody leaves or the last word about the last speaker has been heard."""
        urgent()
        while not self.quitting:
            deadline = self.deadline()
            wait = None if deadline is None else max(deadline - self.at(), 0.0)
            try:
                self.step(self._inbox.get(timeout=wait))
            except queue.Empty:
                self.step(None)

    def step(self, signal: Signal | None) -> None:
        """Do what time and `signal` ask for. Never blocks."""
        deadline = self.deadline()
        if deadline is not None:
            late = self.at() - deadline
            if self._play(core.TimeUp()) and late > LATE:
                log.warning("A mark came %.1f s late: the machine slept or was too busy.", late)
        if signal is not None:
            self._take(signal)
        self._settle()

    def close(self) -> None:
        """Write down the speech that runs, then everything off, in order."""
        ended = core.apply(self.state, core.Finish(), self.at())
        self.state = ended[0] if ended else self.state
        self.stage.close()

    # --- signals ---

    def _take(self, signal: Signal) -> None:
        match signal:
            case SpeechDone(utterance):
                self.stage.ended(utterance)
            case Heard(text, confidence, epoch):
                if epoch == self.stage.epoch:
                    self._hear(text, confidence)
            case Wrote(text):
                self._hear(text, 1.0, talk=True)
            case PortFailed(port, why):
                self._ports.screen.device(port, why)
            case PortBack(port):
                self._ports.screen.device(port, "")
            case Held(Control.NEXT):
                self._talk = True
            case Released(Control.NEXT):
                self._talk = False
                self.stage.talk_ended()
            case Quit():
                self.quitting = True
            case _:
                self._do(pressed(signal, self.state))

    def _hear(self, text: str, confidence: float, *, talk: bool = False) -> None:
        talk = talk or self._talk
        meaning = understand(self._grammar, text, self.state, talk=talk)
        trouble = ""
        if meaning is None or confidence < self._confidence:
            trouble = "low-confidence" if meaning else "not-understood"
            if talk or meaning:
                self.stage.earcon(Earcon.AGAIN)
        else:
            self.stage.earcon(Earcon.HEARD)
            self._do(meaning)
        self._ports.screen.heard(text, confidence, trouble)

    def _do(self, meaning: Meaning | None) -> None:
        match meaning:
            case None:
                return
            case Request.REPEAT:
                self.stage.say(self._teller.now(self.state, self.at()))
            case Request.TIME_LEFT:
                self.stage.say(self._teller.time_left(self.state, self.at()))
            case Request.HUSH:
                self.stage.hush()
            case Request.UNDO:
                self._undo()
            case core.Next() if self._announcing:
                self.stage.hush()  # the first press ends the announcement, the next one the speech
            case _:
                before = self.state
                if self._play(meaning) and not isinstance(meaning, core.Pause):
                    self._past.append(before)

    @property
    def _announcing(self) -> bool:
        timer = self.state.timer
        return timer is not None and timer.waiting and not self.stage.silent

    def _undo(self) -> None:
        """The state before the last step, as if it had never been made: its time has run on meanwhile."""
        if self._past and not self.state.over:
            self.stage.hush()
            self.state = self._past.pop()
            self.stage.say(self._teller.undone(self.state, self.at()))

    # --- moves ---

    def _play(self, move: core.Move) -> bool:
        """Make a move and tell what happened; whether it made sense."""
        result = core.apply(self.state, move, self.at())
        if result is None:
            return False
        self.state, events = result
        if isinstance(move, core.Next | core.Restart | core.Finish):
            self.stage.hush()
        self._perform(self._teller.tell(events, self.state))
        return True

    def _perform(self, cues: tuple[Cue, ...]) -> None:
        for cue in cues:
            if isinstance(cue, Buzz):
                self.stage.buzz(cue)
            elif isinstance(cue, Earcon):
                self.stage.earcon(cue)
        self.stage.say(cue for cue in cues if isinstance(cue, Line))

    def _settle(self) -> None:
        """Start what waits for silence, then show and listen as the state asks."""
        if self.stage.silent:
            self._play(core.Ready())
            self.quitting = self.quitting or self.state.over
        self.stage.listen(*listening(self._grammar, self.state, talk=self._talk))
        self.stage.show(core.scene(self.state, self.at(), listening=self.stage.silent))
        countdown = core.countdown(self.state)
        if countdown != self._counted:
            self._counted = countdown
            self._count(countdown, self.at())
