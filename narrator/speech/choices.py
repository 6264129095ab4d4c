"""What a moderator's page may offer now, and what a choice from it means: the legal moves, each with an id and words.

Knows states and moves, no device. Invariant: an id that was not on offer in this moment means nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from narrator.game import moves as m
from narrator.game.guards import allowed, death_told
from narrator.game.legal import legal
from narrator.game.moves import Move
from narrator.game.roles import Host, Seat
from narrator.game.rulesets import RULESETS, Nominating
from narrator.game.state import Death, Night, Phase, State
from narrator.messages import Choice
from narrator.speech.intents import Meaning, Request
from narrator.speech.lang import load

_REQUESTS = (Request.REPEAT, Request.HUSH, Request.STATUS, Request.RULES)
_SEAT_MOVES = {m.Warn: "warn", m.Unwarn: "unwarn", m.Leave: "leave", m.Remove: "remove"}


def moment(state: State) -> str:
    """A mark of everything that a choice may depend on; time, hands and pauses go on within a moment.

    With no host anybody may read the page, so the mark depends on nothing that cards or the night's presses decide.
    """
    settled = replace(
        state, timer=None, hands=frozenset(), paused=False, call=None, retract=None, held_since=None, check=None
    )
    if state.host is Host.NONE:
        night = Night(state.night.steps, state.night.step) if state.night is not None else None
        best = replace(state.best_move, points=None) if state.best_move is not None else None
        died = tuple(Death(death.seat, "") for death in state.died)
        settled = replace(settled, roles=(), night=night, best_move=best, died=died, misses=0)
    return hashlib.sha256(repr(settled).encode()).hexdigest()[:12]


def choices(state: State, language: str, *, can_undo: bool) -> tuple[Choice, ...]:
    """Everything on offer, the usual things first."""
    return tuple(choice for choice, _ in _all(state, load(language), can_undo))


def chosen(action: str, when: str, state: State, language: str) -> Meaning | None:
    """What the choice `action`, offered at the moment `when`, means; None if it is not on offer now."""
    if when != moment(state):
        return None
    return next((meaning for choice, meaning in _all(state, load(language), True) if choice.id == action), None)


def _all(state: State, words: ModuleType, can_undo: bool) -> Iterator[tuple[Choice, Meaning]]:
    labels: dict[str, str] = words.ON_SCREEN.CHOICES
    moves = legal(state)
    for move in moves:
        if isinstance(move, m.EndSpeech | m.Start) and m.Next() in moves:
            continue  # «дальше» is the same
        choice = _choice(move, state, labels)
        if choice is not None:
            yield choice, death_told(state, move.seat) if isinstance(move, m.TellDeath) else move
    if can_undo:
        yield Choice("undo", labels["undo"], "main"), m.Undo()
    if state.timer is not None and state.phase.has_speaker:
        yield Choice("time-left", labels["time-left"], "more"), Request.TIME_LEFT
    for request in _REQUESTS:
        yield Choice(f"say.{request}", labels["rules-read" if request is Request.RULES else request], "more"), request
    if state.phase is Phase.LOBBY:
        yield from _set_up(state, words)


def _set_up(state: State, words: ModuleType) -> Iterator[tuple[Choice, Meaning]]:
    for seats in range(state.rules.seats_min, state.rules.seats_max + 1):
        if seats != state.seats and allowed(state, m.SetUp(seats)) is None:
            yield Choice(f"seats.{seats}", str(seats), "setup"), m.SetUp(seats)
    for key, rules in RULESETS.items():
        if key != state.rules.key:
            yield Choice(f"rules.{key}", words.RULES_NAMES[rules.script], "setup"), m.SetUp(rules=rules)


def _choice(move: Move, state: State, labels: dict[str, str]) -> Choice | None:
    """How a legal move is offered; None for what other people or other controls do."""
    match move:
        case m.Next():
            entry = state.entry is not None
            key = "next-entry" if entry else f"next-{state.phase}"
            return Choice("next", labels.get(key, labels["next"]).format(n=state.entry), "main")
        case m.Answer(yes):
            return Choice(f"answer.{int(yes)}", labels["answer-yes" if yes else "answer-no"], "answer")
        case m.Lift(leave):
            return Choice(f"lift.{int(leave)}", labels["lift-yes" if leave else "lift-no"], "answer")
        case m.AddTime(seconds):
            label = labels["add-time" if seconds > 0 else "less-time"].format(n=round(abs(seconds)))
            return Choice(f"add-time.{round(seconds)}", label, "time")
        case m.CastVotes(count):
            return Choice(f"cast-votes.{count}", str(count), "number")
        case m.Choose(seat):
            return Choice(f"choose.{seat}", str(seat) if seat else labels["miss"], "number", seat)
        case m.TellDeath(seat):
            return Choice(f"tell-death.{seat}", str(seat) if seat else labels["deaths-none"], "number", seat)
        case m.Nominate(seat, None):
            return Choice(f"nominate.{seat}", str(seat), "number", seat)
        case m.Nominate(seat, by) if by and state.rules.nominating is Nominating.AFTER_SPEECHES:
            return Choice(f"nominate.{seat}.{by}", str(seat), "pair", seat, by)
        case m.VoteFor(voter, candidate):
            label = labels["pass"] if candidate is None else str(candidate)
            return Choice(f"vote-for.{candidate or 0}.{voter}", label, "pair", candidate or 0, voter)
        case m.Warn(seat) | m.Unwarn(seat) | m.Leave(seat) | m.Remove(seat):
            return _about(move, seat, labels)
        case m.TellWinner(winner):
            return Choice(f"tell-winner.{winner}", labels[f"tell-winner-{winner}"], "more")
        case m.Pause() | m.Resume() | m.Order() | m.OpenVote() | m.Done() | m.Start() | m.EndSpeech():
            return Choice(move.kind, labels[move.kind], "main")
        case m.ListDeaths() | m.NewGame():
            return Choice(move.kind, labels[move.kind], "more")
    return None


def _about(move: m.Warn | m.Unwarn | m.Leave | m.Remove, seat: Seat, labels: dict[str, str]) -> Choice:
    name = _SEAT_MOVES[type(move)]
    return Choice(f"{name}.{seat}", labels[name], "seat", seat)
