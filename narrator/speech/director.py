"""Events to words and sounds, states to lamps: what the host would say and show.

Edges (lines, buzzes) come from events, once; levels (the scene, «what is going on») are functions of the state.
Invariant: at night nothing that is said depends on what only some players may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from narrator.game import events as e
from narrator.game.guards import Refusal
from narrator.game.moves import TellWinner
from narrator.game.night import cards_wanted, is_meeting, waker
from narrator.game.roles import Host, Role
from narrator.game.rulesets import Nominating, Voting
from narrator.game.state import Ask, Phase, Question, State
from narrator.game.tally import voters_missing
from narrator.game.timing import TINY, Kind
from narrator.messages import Buzz, Lamp, Scene
from narrator.speech.intents import Request
from narrator.speech.menu import Item
from narrator.speech.names import said_name
from narrator.speech.rules_text import spoken_rules
from narrator.speech.script import Line, Script, script_for, upper_first

LONG_PAUSE = 1.5
"""Seconds where a good host waits: masks go on, a role has gone to sleep."""

Cue = Line | Buzz

_WORDS = {1: "one", 2: "two", 3: "three"}


class Director:
    """The host's words in one language. `names`: what is said of the names of a table, "" for who is not called."""

    def __init__(self, language: str, names: Callable[[Iterable[str]], tuple[str, ...]] | None = None) -> None:
        self._language = language
        self._names = names or (lambda written: tuple(said_name(language, name, {}) for name in written))

    def _script(self, state: State) -> Script:
        return script_for(self._language, state.rules.script, state.day, self._names(state.names))

    # --- edges ---------------------------------------------------------------------------------------------------

    def tell(self, events: Sequence[e.Event], after: State, at: float) -> tuple[Cue, ...]:
        """What is said and buzzed about `events`, in order."""
        say = self._script(after)
        return tuple(cue for event in events for cue in self._tell(event, after, say, at))

    def _tell(self, event: e.Event, after: State, say: Script, at: float) -> Iterator[Cue]:
        match event:
            case e.TableSet():
                yield from say("table-set", rules=self._rules_name(after), table=after.seats)
            case e.CardsKnown():
                if after.phase is Phase.LOBBY:
                    yield from say("cards-on-phones" if after.host is Host.NONE else "cards-known")
            case e.GameStarted():
                yield from say("game-started", pause=1.0)
                if after.host is Host.NONE:
                    yield from say("hostless", pause=1.0)
                    yield from say(f"hostless-{after.rules.don_check}", pause=1.0)
                    if after.rules.everybody_presses:
                        yield from say("hostless-everybody", pause=1.0)
            case e.RoleAgain(_, from_start):
                yield from say("meeting-again" if from_start else "role-again", pause=1.0)
            case e.MissingVotes(seats):
                yield from say("now-named-vote", seats=seats)
            case e.NominationTakenBack(seat):
                yield from say("taken-back", seat=seat)
            case e.Greeted():
                yield from say("greeting", pause=1.0)
            case e.NightFell():
                yield from say("night-fell", pause=LONG_PAUSE)
            case e.RoleWoke(_, who, meeting):
                yield from say(self._night_key("woke", who, meeting), pause=1.0)
            case e.RoleSlept(_, who, meeting):
                yield from say(self._night_key("slept", who, meeting), pause=LONG_PAUSE)
            case e.NumberCalled(number):
                yield from say("number-called", seat=number, pause=after.rules.call_step)
            case e.MissTold():
                yield from say("miss-told", pause=1.0)
            case e.DayBroke():
                yield from say("day-broke", pause=1.0)
            case e.DeathsTold(deaths):
                dead = sorted(death.seat for death in deaths)
                key = "deaths-none" if not dead else "deaths-one" if len(dead) == 1 else "deaths-many"
                yield from say(key, dead=dead, pause=1.0)
            case e.DeathsAsked():
                yield from say("deaths-asked")
            case e.DeathNoted(seat):
                yield from say("best-move-named", seat=seat)
            case e.SpeechBegan(phase, seat, seconds):
                key = f"speech-{phase}" if seconds else "speech-lost"
                yield from say(key, seat=seat, seconds=seconds, pause=0.2)
            case e.MarkPassed(left):
                yield Buzz.LONG if left == 0 else Buzz.SHORT if left > 0 else Buzz.OVERTIME
                if left == 0:
                    yield from say("time-over")
            case e.TimeChanged(seconds):
                yield from say("more-time" if seconds > 0 else "less-time", seconds=abs(seconds))
            case e.Nominated(seat):
                yield from say("nominated", seat=seat)
            case e.SpeechesOver(candidates, ask):
                if after.host is Host.NONE and after.rules.voting is Voting.HANDS:
                    yield from say("hostless-names", pause=1.0)
                elif ask:
                    yield from say("names-asked")
                else:
                    key = "speeches-over" if len(candidates) > 1 else "speeches-over-one"
                    yield from say(key if candidates else "speeches-over-none", seats=candidates)
            case e.NoVote(_, cancelled):
                yield from say("vote-cancelled" if cancelled else "no-vote", pause=1.0)
            case e.VoteBegan(candidates, number):
                yield from say("vote-began" if number == 1 else "vote-again", seats=candidates)
                if after.host is Host.NONE and after.rules.voting is Voting.NAMED:
                    yield from say("hostless-vote", pause=1.0)
            case e.CandidateUp(seat, last):
                if not last:
                    yield from say("candidate-up", seat=seat)
            case e.CountWord(word):
                yield from say(f"count-word-{_WORDS[word]}", pause=0.0)
            case e.VotesCounted(count, rest):
                key = "votes-rest" if rest else "votes-counted"
                yield from say(key if count.votes else f"{key}-none", seat=count.seat, count=count.votes)
            case e.BallotTaken(voter, candidate, _):
                yield from say("ballot" if candidate else "ballot-pass", voter=voter, seat=candidate or 1)
            case e.Tied(seats, speak):
                yield from say("tied-speak" if speak else "tied", seats=seats)
            case e.LiftAsked(seats):
                yield from say("lift-asked", seats=seats)
            case e.LiftDecided(_, leave, votes):
                if votes is not None:
                    yield from say("lifted" if votes else "lifted-none", count=votes)
                if not leave:
                    yield from say("spared")
            case e.VictimAsked(victim, seats):
                yield from say("victim-asked", seat=victim, seats=seats)
                if after.host is Host.NONE:
                    yield from say("hostless-press", pause=1.0)
            case e.NobodyOut():
                yield from say("nobody-out", pause=1.0)
            case e.VotedOut(seats):
                yield from say("voted-out-one" if len(seats) == 1 else "voted-out-many", seats=seats, pause=1.0)
            case e.Warned(seat, count, _, muted):
                yield from say("warned-muted" if muted else "warned", seat=seat, count=count)
            case e.Unwarned(seat, _):
                yield from say("unwarned", seat=seat)
            case e.LeftTable(seats, how):
                yield from say(f"left-{how}", seats=seats)
            case e.Asked():
                assert after.question is not None
                yield from self._question(after.question, after, say, at)
            case e.Declined():
                yield from say("declined")
            case e.Paused():
                yield from say("paused")
            case e.Resumed():
                yield from say("resumed")
            case e.OrderCalled():
                yield from say("order")
            case e.NumberShown(number):
                if not after.phase.is_night:
                    yield from say("number-shown", count=number, pause=0.0)
            case e.BestMoveAsked(seat):
                yield from say("best-move-asked", seat=seat)
                if after.host is Host.NONE:
                    yield from say("hostless-press", pause=1.0)
            case e.BestMoveNamed(seat):
                yield from say("best-move-named", seat=seat)
            case e.BestMoveTold(_, seats):
                yield from say("best-move-told" if seats else "best-move-none", seats=seats)
            case e.Undone():
                yield from say("undone")
                yield from self.now(after, at)
            case e.GameEnded(outcome):
                yield from say(f"won-{outcome.winner}", pause=1.0)
                yield from self._cards(after, say)

    def _rules_name(self, state: State) -> str:
        return str(self._script(state).words.RULES_NAMES[state.rules.script])

    @staticmethod
    def _night_key(what: str, who: str, meeting: bool) -> str:
        return f"{what}-meeting-{who}" if meeting else f"{what}-{who}"

    def _cards(self, state: State, say: Script) -> Iterator[Line]:
        """After the end, who was who; civilians are the rest."""
        for role in (Role.DON, Role.MAFIA, Role.SHERIFF, Role.MANIAC):
            seats = [seat for seat in range(1, state.seats + 1) if state.role(seat) is role]
            if seats:
                yield from say("cards", Role=upper_first(say.words.ROLE_NAMES[role]), seats=seats)

    def _question(self, question: Question, state: State, say: Script, at: float) -> Iterator[Line]:
        if question.ask is Ask.GO_ON:
            yield from say("interrupted")
            yield from self._situation(state, say, at)
            yield from say("ask-go-on")
        elif isinstance(question.then, TellWinner):
            yield from say(f"ask-winner-{question.then.winner}")
        else:
            yield from say(f"ask-{question.ask}", seat=question.seat)

    def confide(self, event: e.Event, after: State) -> str:
        """What only the moderator's own screen shows about `event`, or an empty string: with no host there is none."""
        if after.host is Host.NONE:
            return ""
        say = self._script(after)
        words = say.words
        match event:
            case e.PrivateAnswer(check):
                return say.text(f"private-check-{check.by}", seat=check.seat, answer=words.ANSWERS[check.answer])
            case e.Shot(by, seat):
                key = "private-met" if by == "met" else f"private-shot-{by}" if seat else "private-miss"
                return say.text(key, seat=seat)
            case e.NumberShown(number) if after.phase.is_night:
                return say.text("private-number", seat=number)
            case e.CardsKnown():
                named = (f"{seat} {words.ROLE_NAMES[after.role(seat)]}" for seat in range(1, after.seats + 1))
                return say.text("private-cards", cards=", ".join(named))
        return ""

    # --- refusals and answers ------------------------------------------------------------------------------------

    def refuse(self, refusal: Refusal, state: State) -> tuple[Line, ...]:
        """Why not, in one short sentence; by night nothing, since the reason itself could tell something."""
        say = self._script(state)
        key = f"no-{refusal.reason}"
        if state.phase.is_night or not say.has(key):
            return ()
        return say(key, seat=refusal.seat or 1, seats=refusal.seats or (1,))

    def whisper(self, refusal: Refusal, state: State) -> str:
        """Why not, by night and for the moderator's own screen only; with no host nobody may read it."""
        if not state.phase.is_night or state.host is Host.NONE:
            return ""
        say, wanted = self._script(state), cards_wanted(state)
        if refusal.reason == "needs-answer" and state.question is None and wanted > 0:
            return say.text("private-cards-wanted", n=wanted)
        key = f"private-no-{refusal.reason}"
        return say.text(key if say.has(key) else "private-no", seat=refusal.seat or 0)

    def say(self, key: str, state: State) -> tuple[Line, ...]:
        """A phrase without slots, by its key."""
        return self._script(state)(key)

    def which(self, commands: tuple[str, ...], state: State) -> tuple[Line, ...]:
        """What was said means all of these: which of them is meant?"""
        say = self._script(state)
        choice = f" {say.words.OR} ".join(commands)
        return say("say-which", commands=upper_first(choice)) if choice else say("say-again")

    def pin(self, digits: str, state: State) -> tuple[Line, ...]:
        """The code that opens the moderator's page, digit by digit."""
        say = self._script(state)
        if not digits:
            return say("pin-none")
        return (*say("pin"), *(line for digit in digits for line in say("pin-digit", count=int(digit))))

    def answer(self, request: Request, state: State, at: float) -> tuple[Line, ...]:
        """What is said to a request; nothing to those that are not for words."""
        match request:
            case Request.REPEAT:
                return self.now(state, at)
            case Request.TIME_LEFT:
                return self.time_left(state, at)
            case Request.STATUS:
                return self.status(state)
            case Request.RULES:
                return self.rules(state)
        return ()

    def lobby(self, state: State) -> tuple[Line, ...]:
        """The greeting when the box is switched on."""
        return self._script(state)("lobby", rules=self._rules_name(state), table=state.seats)

    def offer(self, item: Item, state: State) -> tuple[Line, ...]:
        """What the menu offers, as a question."""
        say = self._script(state)
        rules = say.words.RULES_NAMES.get(item.rules, "")
        return say(item.key, seat=item.seat or 1, voter=item.voter or 1, rules=rules)

    def time_left(self, state: State, at: float) -> tuple[Line, ...]:
        """«Осталось тридцать секунд»."""
        say = self._script(state)
        timer = state.timer
        if timer is None or timer.kind is not Kind.SPEECH:
            return say("no-timer")
        left = timer.left_at(at)
        return say("time-left", seconds=left) if left > 0 else say("time-over")

    def status(self, state: State) -> tuple[Line, ...]:
        """Who is in play."""
        return self._script(state)("status", seats=state.living)

    def rules(self, state: State) -> tuple[Line, ...]:
        """The active rules in a few sentences, a club's changes among them."""
        name = self._script(state)("rules-name", rules=self._rules_name(state))
        return (*name, *(Line(text) for text in spoken_rules(state.rules, self._language)))

    # --- levels --------------------------------------------------------------------------------------------------

    def now(self, state: State, at: float) -> tuple[Line, ...]:
        """What is going on, for «повтори» and after «отмена»: the open question, or the situation."""
        say = self._script(state)
        if state.question is not None:
            return tuple(self._question(state.question, state, say, at))
        return tuple(self._situation(state, say, at))

    def _situation(self, state: State, say: Script, at: float) -> Iterator[Line]:
        if state.phase.has_speaker and state.speaker is not None and state.timer is not None:
            left = state.timer.left_at(at)
            yield from say("now-speech" if left > 0 else "now-overtime", seat=state.speaker, seconds=max(left, 0))
        elif state.phase is Phase.NOMINATIONS:
            seats = state.candidates
            if state.rules.nominating is Nominating.BY_VOTING:
                missing = voters_missing(state)
                yield from say("now-named-vote" if missing else "now-named-vote-done", seats=missing)
            else:
                yield from say("now-nominations" if seats else "now-nominations-none", seats=seats)
        elif state.phase is Phase.VOTE and state.vote is not None:
            if state.rules.voting is Voting.NAMED:
                missing = voters_missing(state)
                yield from say("now-named-vote" if missing else "now-named-vote-done", seats=missing)
            else:
                yield from say("now-vote", seat=state.vote.up)
        elif state.phase is Phase.LIFT and state.vote is not None:
            yield from say("lift-asked", seats=state.vote.candidates)
        elif state.phase is Phase.VICTIM_VOTE and state.vote is not None and state.died:
            yield from say("now-victim", seats=state.vote.candidates)
        elif state.phase is Phase.BEST_MOVE and state.best_move is not None:
            yield from say("best-move-asked", seat=state.best_move.by)
        elif state.phase.is_night and state.night is not None:
            yield from say("now-night")
            yield from say(self._night_key("woke", waker(state), is_meeting(state)))
        elif state.phase is Phase.MORNING:
            yield from say("deaths-asked" if state.host is Host.LIGHT else "now-morning")
        elif state.phase is Phase.GAME_OVER:
            yield from say("now-over")
        else:
            yield from say("now-lobby")

    @staticmethod
    def scene(state: State, at: float, *, listening: bool) -> Scene:
        """The lamps: green while time runs, yellow near its end, red after it (blinking), off when nobody's; the same
        slowly on and off while the time stands.

        With no host a lamp also answers whoever has his eyes open at night.
        """
        if state.call is not None and state.call.lamp:
            return Scene(Lamp(state.call.lamp), listening=listening)
        timer = state.timer
        if timer is None or timer.kind is not Kind.SPEECH or timer.waiting:
            return Scene(Lamp.OFF, listening=listening)
        stands = timer.since is None
        if timer.mark < 0:
            return Scene(Lamp.RED, blink=True, standing=stands, listening=listening)
        yellow = timer.mark == 0 and timer.left_at(at) <= state.rules.warn_at + TINY
        return Scene(Lamp.YELLOW if yellow else Lamp.GREEN, standing=stands, listening=listening)
