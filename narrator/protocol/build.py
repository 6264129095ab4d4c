"""From a journal's moves to a protocol: the game is played again, and what undo took back is gone.

Reads entries, no files. Invariant: the protocol of a game that goes on holds nothing that the table may not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from narrator.game import events as e
from narrator.game import moves as m
from narrator.game.guards import Refusal
from narrator.game.lobby import first_state
from narrator.game.reducer import play
from narrator.game.roles import Host
from narrator.game.rulesets import Voting
from narrator.game.state import Game, Phase, State
from narrator.journal import Entry
from narrator.protocol import values as v
from narrator.speech.rules_text import changed

Part = tuple[int, bool]
"""A day's number and whether it is the night after it."""

T = TypeVar("T", bound=v.Item)


@dataclass(frozen=True, slots=True)
class Record:
    """One move that was not taken back: the states around it and what happened."""

    at: float
    before: State
    after: State
    events: tuple[e.Event, ...]


def records(entries: Iterable[Entry]) -> tuple[Record, ...]:
    """The moves that stand, played again. Raises ProtocolError if one does not fit the game."""
    game = Game(first_state())
    kept: list[Record] = []
    marks: list[int] = []  # how many records stood before each move that undo can take back
    for number, entry in enumerate(entries, 1):
        result = play(game, entry.move, entry.at)
        if isinstance(result, Refusal):
            raise v.ProtocolError(
                f"Move {number} ({entry.move.kind}) does not fit the game ({result.reason}); "
                "the journal comes from another version or was changed."
            )
        if isinstance(entry.move, m.Undo):
            del kept[marks.pop() :]
        else:
            if result.game.past is not game.past:
                marks.append(len(kept))
            kept.append(Record(entry.at, game.state, result.game.state, result.events))
        game = result.game
    return tuple(kept)


def protocols(entries: Sequence[Entry], last_move: datetime | None = None) -> tuple[v.Protocol, ...]:
    """Every game of a journal in order; none if no game was begun. `last_move`: when its last move was made."""
    games: list[list[Record]] = []
    for record in records(entries):
        began = record.before.phase is Phase.LOBBY and record.after.phase is not Phase.LOBBY
        if began:
            games.append([])
        if began or record.before.phase not in (Phase.LOBBY, Phase.GAME_OVER):
            games[-1].append(record)
    end = entries[-1].at if entries else 0.0
    return tuple(_Scribe(game).protocol(last_move, end) for game in games)


class _Scribe:
    """Writes down one game, record by record."""

    def __init__(self, game: list[Record]) -> None:
        self.game = game
        self.zero = game[0].at
        self.first = game[0].after
        self.last = game[-1].before if game[-1].after.phase is Phase.LOBBY else game[-1].after
        self.no = 0
        self.items: list[tuple[Part, v.Item]] = []
        self.begun: dict[Part, float] = {}
        self.meetings: set[Part] = set()
        self.told: set[Part] = set()
        self.part: Part = (self.first.day, self.first.phase.is_night)
        self._turn_to(self.part, 0.0)
        for record in game:
            for event in record.events:
                self.no += 1
                self._day(record, event, record.at - self.zero)
                self._night(record, event, record.at - self.zero)

    # --- the list of items ---------------------------------------------------------------------------------------

    def _turn_to(self, part: Part, at: float) -> None:
        self.part = part
        self.begun.setdefault(part, at)

    def _now(self, at: float) -> tuple[int, float]:
        """The first two fields of an item."""
        return self.no, at

    def _put(self, item: v.Item, part: Part | None = None) -> None:
        self.items.append((part or self.part, item))

    def _all(self, kind: type[T], part: Part | None = None) -> tuple[T, ...]:
        return tuple(item for where, item in self.items if isinstance(item, kind) and part in (None, where))

    def _latest(self, kind: type[T]) -> T | None:
        """The last one of this part."""
        found = self._all(kind, self.part)
        return found[-1] if found else None

    def _amend(self, item: v.Item | None, **changes: Any) -> None:
        """Replace an item's fields where it stands."""
        for place, (part, old) in enumerate(self.items):
            if old is item:
                self.items[place] = (part, replace(old, **changes))

    # --- the day -------------------------------------------------------------------------------------------------

    def _day(self, record: Record, event: e.Event, at: float) -> None:
        after = record.after
        match event:
            case e.DayBroke(number):
                self._turn_to((number, False), at)
            case e.SpeechBegan(phase, seat, seconds):
                self._put(v.Speech(*self._now(at), phase.value, seat, seconds, None if seconds else 0.0))
            case e.TimeChanged():
                speech = self._latest(v.Speech)
                if speech is not None:
                    self._amend(speech, given=speech.given + _left(after, record.at) - _left(record.before, record.at))
            case e.SpeechEnded(_, _, _, over):
                speech = self._latest(v.Speech)
                if speech is not None:
                    self._amend(speech, used=max(speech.given - _left(record.before, record.at), 0.0), over=over)
            case e.Nominated(seat, by):
                self._put(v.Nomination(*self._now(at), seat, by))
            case e.NominationTakenBack(by):
                mine = [item for item in self._all(v.Nomination, self.part) if item.by == by]
                self.items = [(part, item) for part, item in self.items if item is not mine[-1]]
            case e.NoVote(candidates, cancelled):
                self._put(v.NoVote(*self._now(at), candidates, cancelled))
            case e.VoteBegan(candidates, number):
                self._round(at, candidates, number)
            case e.VotesCounted(count, rest):
                self._votes(v.Votes(*self._now(at), count.seat, count.votes, rest))
            case e.BallotTaken(voter, candidate, _):
                self._ballot(at, voter, candidate)
            case e.Tied(seats, _):
                self._named_votes(after, at)
                self._amend(self._latest(v.Round), tied=seats)
            case e.LiftDecided(seats, leave, votes):
                self._put(v.Lift(*self._now(at), seats, leave, votes))
            case e.VictimAsked(victim, seats):
                self._put(v.VictimVote(*self._now(at), victim, seats))
            case e.NobodyOut():
                self._named_votes(after, at)
                self._put(v.NobodyOut(*self._now(at)))
            case e.VotedOut(seats):
                self._named_votes(after, at)
                self._voted_out(at, seats)
            case e.LeftTable(seats, how):
                self._leave(at, after, seats, how)
            case e.Warned(seat, count, limit, _):
                self._put(v.Warned(*self._now(at), seat, count, limit))
            case e.Unwarned(seat, count):
                self._put(v.Warned(*self._now(at), seat, count, after.rules.warning_limit, taken_back=True))
            case _:
                return  # said, shown or asked; nothing for the protocol

    def _round(self, at: float, candidates: tuple[int, ...], number: int) -> None:
        """A new round; named votes that were given before the vote was opened belong to the first one."""
        early = self._latest(v.Round)
        if number == 1 and early is not None and not early.candidates:
            self._amend(early, candidates=candidates)
        else:
            self._put(v.Round(*self._now(at), number, candidates))

    def _votes(self, votes: v.Votes) -> None:
        """A candidate is closed; counted again after a departure, the later count stands."""
        now = self._latest(v.Round)
        if now is not None:
            self._amend(now, votes=(*(old for old in now.votes if old.seat != votes.seat), votes))

    def _ballot(self, at: float, voter: int, candidate: int | None) -> None:
        now = self._latest(v.Round)
        if now is None:
            now = v.Round(*self._now(at), 1, ())
            self._put(now)
        change = any(old.voter == voter for old in now.ballots)
        self._amend(now, ballots=(*now.ballots, v.Ballot(*self._now(at), voter, candidate, change)))

    def _named_votes(self, after: State, at: float) -> None:
        """What the named votes of the round came to."""
        now = self._latest(v.Round)
        if now is not None and not now.votes and after.rules.voting is Voting.NAMED:
            counts = ((count.seat, count.votes) for count in after.last_counts)
            self._amend(now, votes=tuple(v.Votes(*self._now(at), seat, votes) for seat, votes in counts))

    def _voted_out(self, at: float, seats: tuple[int, ...]) -> None:
        """By the vote, or taken along by the other of two candidates who has just left."""
        asked = self._latest(v.VictimVote)
        if asked is not None and asked.chosen is None and len(seats) == 1:
            self._amend(asked, chosen=seats[0])
        gone = {departure.seat for departure in self._all(v.Departure)}
        for seat in seats:
            if seat not in gone:
                self._put(v.Departure(*self._now(at), seat, "with-other" if gone.intersection(seats) else "voted"))

    def _leave(self, at: float, after: State, seats: tuple[int, ...], how: Any) -> None:
        for seat in seats:
            self._put(v.Departure(*self._now(at), seat, how))
        now = self._latest(v.Round)
        if now is not None and after.vote is not None and after.phase is Phase.VOTE:
            standing = {count.seat for count in after.vote.counts}
            votes = tuple(old for old in now.votes if old.seat in standing)
            self._amend(now, candidates=after.vote.candidates, votes=votes)

    # --- the night -----------------------------------------------------------------------------------------------

    def _night(self, record: Record, event: e.Event, at: float) -> None:
        before, after = record.before, record.after
        last_night = (self.part[0] - 1, True)
        match event:
            case e.NightFell(number):
                self._turn_to((number, True), at)
            case e.RoleWoke(_, _, meeting) if meeting:
                self.meetings.add(self.part)
            case e.Shot(by, seat) if by in ("mafia", "maniac"):
                self._shot(at, by, seat)
            case e.RoleSlept(Phase.NIGHT_SHOOTING, _, False) if after.host is not Host.LIGHT:
                night = after.night or before.night
                self._shot(at, "mafia", (night.shot if night is not None else 0) or 0)
            case e.RoleSlept(Phase.NIGHT_MANIAC, _, False) if before.night is not None:
                if before.night.maniac is not None:
                    self._shot(at, "maniac", before.night.maniac)
            case e.PrivateAnswer(check):
                self._put(v.Check(*self._now(at), check.by, check.seat, check.answer))
            case e.DeathsTold(deaths):
                self.begun.setdefault(last_night, at)
                self.told.add(last_night)
                for death in deaths:
                    by = "" if after.host is Host.LIGHT else death.by
                    self._put(v.Departure(*self._now(at), death.seat, "killed", by), last_night)
                    if by == "maniac":
                        self._shot(at, by, death.seat, last_night)
            case e.BestMoveTold(by_seat, seats):
                points = None if after.best_move is None else after.best_move.points
                self._put(v.BestMove(*self._now(at), by_seat, seats, points), last_night)

    def _shot(self, at: float, by: str, seat: int, part: Part | None = None) -> None:
        """The last choice of a night is the one that counts."""
        old = next((shot for shot in self._all(v.Shot, part or self.part) if shot.by == by), None)
        if old is None:
            self._put(v.Shot(*self._now(at), by, seat), part)
        else:
            self._amend(old, seat=seat)

    # --- the whole -----------------------------------------------------------------------------------------------

    def protocol(self, last_move: datetime | None, end: float) -> v.Protocol:
        """The game as written down; `last_move` is the wall-clock time of game time `end`."""
        state: Literal["running", "over", "abandoned"] = "running"
        if self.last.outcome is not None:
            state = "over"
        elif self.game[-1].after.phase is Phase.LOBBY:
            state = "abandoned"
        public = state == "running"
        if public:
            self.items = [(part, shown) for part, item in self.items if (shown := _public(item)) is not None]
        seconds = self.game[-1].at - self.zero
        started = None if last_move is None else last_move - timedelta(seconds=end - self.zero)
        parts = sorted(self.begun)
        lengths = {
            part: (self.begun[parts[place + 1]] if place + 1 < len(parts) else seconds) - self.begun[part]
            for place, part in enumerate(parts)
        }
        outcome = self.last.outcome
        return v.Protocol(
            state,
            started,
            None if started is None or public else started + timedelta(seconds=seconds),
            seconds,
            self.last.rules,
            changed(self.last.rules),
            self.last.host,
            tuple(self._player(seat, public) for seat in range(1, self.last.seats + 1)),
            tuple(self._day_of(part, lengths[part]) for part in parts if not part[1]),
            tuple(self._night_of(part, None if public else lengths[part]) for part in parts if part[1]),
            "" if outcome is None else outcome.winner,
            "" if outcome is None else outcome.why.value,
        )

    def _player(self, seat: int, public: bool) -> v.Player:
        role = None if public else self.last.role(seat)
        out, part = "", (0, False)
        if seat not in self.first.alive:
            out = "earlier"
        for where, item in self.items:
            if isinstance(item, v.Departure) and item.seat == seat:
                out, part = item.how, where
        return v.Player(seat, self.last.name(seat), role, out, *part, self.last.warned(seat))

    def _day_of(self, part: Part, seconds: float) -> v.Day:
        return v.Day(
            part[0],
            self.begun[part],
            seconds,
            self._all(v.Speech, part),
            self._all(v.Nomination, part),
            self._all(v.NoVote, part),
            self._all(v.Round, part),
            self._all(v.Lift, part),
            self._all(v.VictimVote, part),
            self._all(v.NobodyOut, part),
            self._all(v.Departure, part),
            self._all(v.Warned, part),
        )

    def _night_of(self, part: Part, seconds: float | None) -> v.Night:
        return v.Night(
            part[0],
            self.begun[part],
            seconds,
            part in self.meetings,
            self._all(v.Shot, part),
            self._all(v.Check, part),
            part in self.told,
            self._all(v.Departure, part),
            self._all(v.Warned, part),
            self._all(v.BestMove, part),
        )


def _left(state: State, at: float) -> float:
    """Seconds left of the speech that runs, 0 if none does."""
    return 0.0 if state.timer is None else state.timer.left_at(at)


def _public(item: v.Item) -> v.Item | None:
    """What the table may read of an item while the game goes on."""
    match item:
        case v.Shot() | v.Check():
            return None
        case v.Departure():
            return replace(item, by="")
        case v.BestMove():
            return replace(item, points=None)
        case _:
            return item
