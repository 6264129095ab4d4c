"""The loop: signals and time in, moves made, then words, lamps and the grammar of the moment out.

`step` never blocks, so tests feed signals and move a clock by hand. Order within a step is fixed: the clock first, then
the signal; of a move first the disk (see table), and only then anything that can be heard or seen.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable

from narrator.game import moves as m
from narrator.game.guards import Refusal
from narrator.game.roles import Host
from narrator.game.state import Phase, State
from narrator.journal import Entry
from narrator.messages import Asked, Earcon, Heard, PageOpened, PortBack, PortFailed, Quit, Signal, SpeechDone, Wrote
from narrator.speech.choices import chosen
from narrator.speech.director import Director
from narrator.speech.grammar import Grammar
from narrator.speech.intents import Meaning, Request, Unclear, is_talk, listening, surety, understand
from narrator.speech.menu import Item, Menu
from narrator.stage import Ports, Stage
from narrator.table import Table

_CUTS = (m.Next, m.EndSpeech, m.Undo, m.CastVotes, m.Adjust, m.NewGame, m.OpenVote, m.Resume)
"""Moves after which older words are no longer worth hearing; by night nothing is ever cut."""
_LATE = 100
"""Marks that a process which slept may catch up with in one step."""


class App:
    """One evening. `start` first, then `step` for every signal and whenever `deadline` has come."""

    def __init__(
        self,
        ports: Ports,
        table: Table,
        grammar: Grammar,
        director: Director,
        inbox: queue.SimpleQueue[Signal],
        *,
        confidence: float = 0.65,
        deal: Callable[[State], m.Move] | None = None,
        pin: str = "",
        look: Callable[[Table], None] = lambda table: None,
    ) -> None:
        self.stage = Stage(ports)
        self.table, self.grammar, self.director, self.inbox = table, grammar, director, inbox
        self.refused = ""  # why the last input changed nothing
        self.quitting = False
        self._screen = ports.screen
        self._confidence, self._deal, self._pin, self._look = confidence, deal, pin, look
        self._menu = Menu()
        self._talk = self._deaf = False  # deaf: the microphone is gone and the table has not been told
        self._listened: tuple[State, bool] | None = None

    @property
    def state(self) -> State:
        """The state of the game."""
        return self.table.state

    # --- life ----------------------------------------------------------------------------------------------------

    def start(self, entries: Iterable[Entry] = (), set_up: m.Move | None = None) -> None:
        """Take up an interrupted game, which stands and asks whether to go on, or set the table."""
        self.table.recover(entries)
        if set_up is not None:
            self.table.play(set_up)
        if self.state.phase in (Phase.LOBBY, Phase.GAME_OVER):
            self.stage.say(self.director.lobby(self.state))
        else:
            self.play(m.Propose(m.Offer.GO_ON))
        self._settle()

    def run(self, pulse: Callable[[], float] = lambda: 3600.0) -> None:
        """The loop, until Quit. `pulse` is called in every round and returns the seconds until it must be again."""
        while not self.quitting:
            wait, deadline = pulse(), self.table.deadline()
            if deadline is not None:
                wait = min(wait, max(deadline - self.table.at(), 0.0))
            try:
                self.step(self.inbox.get(timeout=wait))
            except queue.Empty:
                self.step(None)

    def step(self, signal: Signal | None) -> None:
        """Do what time and `signal` ask for. Never blocks."""
        for _ in range(_LATE):
            if not self.table.overdue():
                break
            self.play(m.TimeUp())
        self.table.beat()
        if signal is not None:
            self._take(signal)
        self._settle()

    def close(self) -> None:
        """Everything off, in order."""
        self.stage.close()
        self.table.close()

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
                self._screen.device(port, why)
                self._deaf = self._deaf or port == "ears"
            case PortBack(port):
                self._deaf = self._deaf and port != "ears"
                self._screen.device(port, "")
            case PageOpened():
                self.stage.say(self.director.say("page-opened", self.state))
            case Asked(action, moment):
                self._do(chosen(action, moment, self.state, self.grammar.language))
            case Quit():
                self.quitting = True
            case _:
                talk = is_talk(signal)
                if talk is not None:
                    self._talk = talk
                    if not talk:
                        self.stage.talk_ended()
                    return
                self._do(self._menu.press(signal, self.state, self.table.at()))

    def _hear(self, text: str, confidence: float, *, talk: bool = False) -> None:
        talk = talk or self._talk
        meaning = understand(self.grammar, text, self.state, talk=talk)
        if isinstance(meaning, Unclear):
            self.refused = meaning.reason
            # table talk is no failed command: only what was surely meant for the box is asked for again
            if meaning.reason == "two-readings" or (talk and meaning.reason == "not-understood"):
                self._again(meaning.commands)
        elif confidence < surety(meaning, self._confidence):
            self.refused = "low-confidence"
            self._again()
        else:
            self.stage.earcon(Earcon.HEARD)
            self._do(meaning)
        self._screen.heard(text, confidence, self.refused)

    def _again(self, commands: tuple[str, ...] = ()) -> None:
        self.stage.earcon(Earcon.AGAIN)
        if not self.state.phase.is_night:
            self.stage.say(self.director.which(commands, self.state))

    def _do(self, meaning: Meaning | Item | None) -> None:
        state, at = self.state, self.table.at()
        self.refused = "" if meaning else "not-now"
        match meaning:
            case None:
                return
            case Request.HUSH:
                self.stage.hush()
            case Request.PIN:
                self.stage.say(self.director.pin(self._pin, state))
            case Request():
                self.stage.say(self.director.answer(meaning, state, at))
            case Item():
                self.stage.hush()
                self.stage.say(self.director.offer(meaning, state))
            case m.Next() if not self.stage.silent and state.timer is not None and state.timer.waiting:
                self.stage.hush()  # «дальше» ends the announcement first, then the speech
            case m.Start() | m.Next() if state.phase is Phase.LOBBY and self._deal and not state.roles:
                self.play(self._deal(state))
                if state.host is not Host.NONE:  # with no host everybody looks at his phone before the night
                    self.play(meaning)
            case _:
                self.play(meaning)

    # --- moves ---------------------------------------------------------------------------------------------------

    def play(self, move: m.Move) -> None:
        """Make a move and tell what happened, or say why not."""
        before = self.state
        result = self.table.play(move)
        if isinstance(result, Refusal):
            self.stage.say(self.director.refuse(result, before))
            if why := self.director.whisper(result, before):
                self._screen.private(why)
            if result.offer is not None:
                self.play(result.offer)
            self.refused = result.reason
            return
        if isinstance(move, _CUTS) and not before.phase.is_night:
            self.stage.hush()
        after = result.game.state
        self.stage.perform(self.director.tell(result.events, after, self.table.at()))
        for event in result.events:
            if private := self.director.confide(event, after):
                self._screen.private(private)

    # --- what follows --------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Start what waits for silence, then show and listen as the state asks."""
        timer = self.state.timer
        if timer is not None and timer.waiting and self.stage.silent and not self.state.paused:
            self.play(m.Ready())
        state = self.state
        if self._deaf and not state.phase.is_night:
            self._deaf = False
            self.stage.say(self.director.say("microphone-lost", state))
        if (state, self._talk) != self._listened:
            self._listened = (state, self._talk)
            undoable = self.table.game.past is not None
            self.stage.listen(*listening(self.grammar, state, talk=self._talk, can_undo=undoable))
        self.stage.music(state.phase.is_night)
        self._look(self.table)
        self.stage.show(self.director.scene(state, self.table.at(), listening=self.stage.silent))
