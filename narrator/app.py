"""The loop: signals and time in, moves made, journal written, then words, lamps and the grammar of the moment out.

Owns the only mutable variable of the game, `game`. `step` never blocks, so tests feed signals and move a clock by hand.
Order within a step is fixed: move, journal on disk, and only then anything that can be heard or seen.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Iterable

from narrator.clock import Clock
from narrator.game import moves as m
from narrator.game.events import Event
from narrator.game.guards import Refusal, deadline
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import play
from narrator.game.state import Game, Phase, State
from narrator.game.timing import TINY
from narrator.journal import Beat, Entry, Journal, JournalError
from narrator.messages import Earcon, Heard, PortBack, PortFailed, Quit, Signal, SpeechDone, Wrote
from narrator.speech.director import Director
from narrator.speech.grammar import Grammar
from narrator.speech.intents import Meaning, Request, Unclear, is_talk, listen_for, pressed, understand
from narrator.stage import Ports, Stage

log = logging.getLogger(__name__)

BEAT = 1.0
"""Seconds between two notes of the game's time while a timer runs."""

_CUTS = (m.Next, m.EndSpeech, m.Undo, m.CastVotes, m.Adjust, m.NewGame, m.OpenVote, m.Resume)
"""Moves after which older words are no longer worth hearing; by night nothing is ever cut."""


class App:
    """One evening. `start` first, then `step` for every signal and whenever `deadline` has come."""

    def __init__(
        self,
        ports: Ports,
        clock: Clock,
        grammar: Grammar,
        director: Director,
        journal: Journal,
        beat: Beat,
        inbox: queue.SimpleQueue[Signal],
        *,
        confidence: float = 0.6,
        on_lobby: Callable[[State], Journal] | None = None,
        deal: Callable[[State], Move] | None = None,
    ) -> None:
        self.stage = Stage(ports)
        self.screen = ports.screen
        self.clock, self.grammar, self.director = clock, grammar, director
        self.journal, self.beat = journal, beat
        self.inbox = inbox
        self.game = Game(first_state())
        self.refused = ""  # why the last input changed nothing
        self.quitting = False
        self._confidence = confidence
        self._on_lobby, self._deal = on_lobby, deal
        self._listened: tuple[State, bool] | None = None
        self._talk = False
        self._zero = clock.now()
        self._last_beat = 0.0

    # --- time ----------------------------------------------------------------------------------------------------

    def at(self) -> float:
        """The game's own time: seconds that go on after a restart where they stood."""
        return self.clock.now() - self._zero

    def deadline(self) -> float | None:
        """Game time of the next thing to do by the clock, None if there is none."""
        mark = deadline(self.game.state)
        return None if mark is None else min(mark, self._last_beat + BEAT)

    def wait(self) -> Signal | None:
        """The next signal, or None when the deadline has come. Blocks; only the real loop calls it."""
        deadline = self.deadline()
        try:
            return self.inbox.get(timeout=None if deadline is None else max(deadline - self.at(), 0.0))
        except queue.Empty:
            return None

    def run(self) -> None:
        """The loop, until Quit."""
        while not self.quitting:
            self.step(self.wait())

    # --- life ----------------------------------------------------------------------------------------------------

    def start(self, entries: Iterable[Entry] = (), table: Move | None = None) -> None:
        """Play back what the journal holds, or set the table. An interrupted game stands and asks whether to go on."""
        last = None
        for entry in entries:
            result = play(self.game, entry.move, entry.at)
            if isinstance(result, Refusal):
                raise JournalError(f"{self.journal.path}: move {entry.move} does not fit the game; {result.reason}.")
            self.game, last = result.game, entry.at
        self._zero = self.clock.now() - (0.0 if last is None else max(last, self.beat.read()))
        self._last_beat = self.at()
        self.beat.mark(self._last_beat)
        if table is not None:
            self._play(table, quiet=True)
        if self.game.state.phase in (Phase.LOBBY, Phase.GAME_OVER):
            self.stage.say(self.director.lobby(self.game.state))
        else:
            self._play(m.Propose(m.Offer.GO_ON))
        self._settle()

    def close(self) -> None:
        """Everything off, in order."""
        self.stage.close()
        self.beat.close()
        self.journal.close()

    def step(self, signal: Signal | None) -> None:
        """Do what time and `signal` ask for. Never blocks."""
        self._by_the_clock()
        if signal is not None:
            self._take(signal)
        self._settle()

    # --- signals -------------------------------------------------------------------------------------------------

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
                self.screen.notice(f"{port}: {why}")
                if port == "ears":
                    self.stage.say(self.director.say("microphone-lost", self.game.state))
            case PortBack(port):
                self.screen.notice(f"{port}: works.")
            case Quit():
                self.quitting = True
            case _:
                talk = is_talk(signal)
                if talk is not None:
                    self._talk = talk
                    if not talk:
                        self.stage.talk_ended()
                    return
                meaning = pressed(signal, self.game.state)
                if meaning is None:
                    self.refused = "not-now"
                else:
                    self._do(meaning)

    def _hear(self, text: str, confidence: float, *, talk: bool = False) -> None:
        talk = talk or self._talk
        meaning = understand(self.grammar, text, self.game.state, talk=talk)
        if isinstance(meaning, Unclear):
            self.refused = meaning.reason
            # table talk is no failed command: only what was surely meant for the box is asked for again
            if meaning.reason == "two-readings" or (talk and meaning.reason == "not-understood"):
                self._again()
        elif confidence < self._confidence:
            self.refused = "low-confidence"
            self._again()
        else:
            self.stage.earcon(Earcon.HEARD)
            self._do(meaning)

    def _again(self) -> None:
        self.stage.earcon(Earcon.AGAIN)
        if not self.game.state.phase.is_night:
            self.stage.say(self.director.say("say-again", self.game.state))

    def _do(self, meaning: Meaning) -> None:
        state, at = self.game.state, self.at()
        self.refused = ""
        match meaning:
            case Request.REPEAT:
                self.stage.say(self.director.now(state, at))
            case Request.TIME_LEFT:
                self.stage.say(self.director.time_left(state, at))
            case Request.STATUS:
                self.stage.say(self.director.status(state))
            case Request.RULES:
                self.stage.say(self.director.rules(state))
            case Request.HUSH:
                self.stage.hush()
            case m.Next() if not self.stage.silent and state.timer is not None and state.timer.waiting:
                self.stage.hush()  # «дальше» ends the announcement first, then the speech
            case m.Start() | m.Next() if state.phase is Phase.LOBBY and self._deal and not state.roles:
                self._play(self._deal(state))
                self._play(meaning)
            case _:
                self._play(meaning)

    # --- moves ---------------------------------------------------------------------------------------------------

    def _by_the_clock(self) -> None:
        for _ in range(100):  # a process that slept may find several deadlines past
            due = deadline(self.game.state)
            if due is None or due > self.at() + TINY:
                break
            self._play(m.TimeUp())
        if self.game.state.timer is not None and self.at() >= self._last_beat + BEAT:
            self._last_beat = self.at()
            self.beat.mark(self._last_beat)

    def _play(self, move: Move, *, quiet: bool = False) -> None:
        before, at = self.game.state, self.at()
        result = play(self.game, move, at)
        if isinstance(result, Refusal):
            self.refused = result.reason
            self.stage.say(self.director.refuse(result, before))
            if result.offer is not None:
                self._play(result.offer)
                self.refused = result.reason
            return
        self._write(move, at)
        self.game = result.game
        after = result.game.state
        if isinstance(move, _CUTS) and not before.phase.is_night:
            self.stage.hush()
        if not quiet:
            self.stage.perform(self.director.tell(result.events, after, at))
            self._confide(result.events)
        if after.phase is Phase.LOBBY and before.phase is not Phase.LOBBY and self._on_lobby is not None:
            self._turn_the_page(after)

    def _write(self, move: Move, at: float) -> None:
        try:
            self.journal.append(move, at)
        except JournalError as error:
            # the table plays on; somebody must know that a power cut would now lose the game
            log.error("%s", error)
            self.screen.notice(str(error))

    def _turn_the_page(self, state: State) -> None:
        """Another game: its own journal; what is over cannot be taken back."""
        assert self._on_lobby is not None
        self.journal.close()
        self.journal = self._on_lobby(state)
        self.game = Game(state)
        self._write(m.SetUp(state.seats, state.rules, state.host, _named(state)), self.at())

    # --- what follows --------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Start what waits for silence, then show and listen as the state asks."""
        timer = self.game.state.timer
        if timer is not None and timer.waiting and self.stage.silent and not self.game.state.paused:
            self._play(m.Ready())
        state = self.game.state
        if (state, self._talk) != self._listened:
            self._listened = (state, self._talk)
            undoable = self.game.past is not None
            self.stage.listen(listen_for(self.grammar, state, talk=self._talk, can_undo=undoable))
        self.stage.show(self.director.scene(state, self.at(), listening=self.stage.silent))

    def _confide(self, events: Iterable[Event]) -> None:
        for event in events:
            text = self.director.confide(event, self.game.state)
            if text:
                self.screen.private(text)


def _named(state: State) -> dict[int, str] | None:
    return {seat: state.name(seat) for seat in range(1, state.seats + 1)} if state.names else None
