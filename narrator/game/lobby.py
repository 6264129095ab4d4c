"""The table before a game, and a game begun in the middle. Builds states; decides no rule."""

from __future__ import annotations

from dataclasses import replace

from narrator.game import flow, night
from narrator.game import moves as m
from narrator.game.events import CardsKnown, GameStarted, LiftAsked, TableSet
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS, FirstNight, Ruleset
from narrator.game.state import Death, Night, Nomination, Phase, State, Vote
from narrator.game.turn import Turn


def fresh_table(rules: Ruleset, seats: int = 0, host: Host = Host.FULL) -> State:
    """The lobby for `rules`, with its suggested number of seats unless told."""
    seats = seats or rules.seats
    return State(rules, host, seats, alive=frozenset(range(1, seats + 1)), warnings=(0,) * seats)


def first_state() -> State:
    """Where every journal begins: an empty lobby of the classic rules."""
    return fresh_table(RULESETS["classic"])


def set_up(turn: Turn, move: m.SetUp) -> None:
    """Rules, seats, host, names. Cards that no longer fit, or that a light host keeps to himself, are forgotten."""
    state = turn.state
    rules = move.rules or state.rules
    seats = move.seats or (state.seats if rules.seats_min <= state.seats <= rules.seats_max else rules.seats)
    names = (*state.names, *[""] * seats)[:seats] if any(state.names[:seats]) else ()
    if move.names is not None:
        names = tuple(move.names.get(seat, "") for seat in range(1, seats + 1))
    host = move.host or state.host
    fits = seats == state.seats and rules == state.rules and host is not Host.LIGHT
    turn.state = replace(fresh_table(rules, seats, host), names=names, roles=state.roles if fits else ())
    turn.emit(TableSet(seats, rules.key))


def deal(turn: Turn, move: m.Deal) -> None:
    """The box knows all cards."""
    turn.set(roles=move.roles)
    turn.emit(CardsKnown())


def start(turn: Turn, move: m.Start) -> None:
    """The game begins."""
    turn.emit(GameStarted())
    flow.begin_game(turn)


def to_lobby(turn: Turn) -> None:
    """The same table for another game."""
    state = turn.state
    turn.state = replace(fresh_table(state.rules, state.seats, state.host), names=state.names)
    turn.emit(TableSet(state.seats, state.rules.key))


def place(turn: Turn, move: m.Place) -> None:
    """Begin in the middle, with exactly what the transcript gives."""
    phase = Phase(move.phase)
    died = tuple(Death(seat, by) for seat, by in move.died)
    turn.set(
        day=move.day,
        alive=frozenset(move.alive) or turn.state.alive - {death.seat for death in died},
        died=died,
        nominations=tuple(Nomination(seat, None) for seat in move.candidates),
        warnings=tuple(move.warnings.get(seat, 0) for seat in range(1, turn.state.seats + 1)),
        misses=move.misses,
        roles=move.roles or turn.state.roles,
        shootings=_shootings(turn.state.rules, move),
    )
    state = turn.state
    if phase is Phase.INTRODUCTIONS:
        turn.set(phase=phase, queue=state.living)
    elif phase is Phase.SPEECHES:
        flow.begin_day(turn)
        turn.set(nominations=state.nominations)
    elif phase is Phase.NOMINATIONS:
        turn.set(phase=Phase.SPEECHES)
    elif phase is Phase.VOTE:
        flow.begin_round(turn, Vote(state.candidates))
    elif phase is Phase.TIE_SPEECH:
        turn.set(phase=phase, vote=Vote(state.candidates, 2, spoken=True), queue=state.candidates)
    elif phase is Phase.LIFT:
        turn.set(phase=phase, vote=Vote(state.candidates, 2, spoken=True))
        turn.emit(LiftAsked(state.candidates))
    elif phase is Phase.VICTIM_VOTE:
        flow.result(turn, Vote(state.candidates, 3, spoken=True), state.candidates)
    elif phase is Phase.LAST_WORD:
        turn.set(phase=phase, words_lead_to=Phase.NIGHT_SHOOTING, queue=state.candidates)
    elif phase in (Phase.MORNING, Phase.BEST_MOVE):
        _place_morning(turn, move, died)
    elif phase.is_night:
        _place_night(turn, phase)


def _shootings(rules: Ruleset, move: m.Place) -> int:
    """Nights in which there was shooting before the position: none in the acquaintance night."""
    first = 2 if rules.first_night is FirstNight.AFTER_DAY_ONE else 1
    return max(move.day - first, 0)


def _place_night(turn: Turn, phase: Phase) -> None:
    night.begin(turn, meeting=phase in (Phase.NIGHT_MEETING, Phase.NIGHT_CONFERENCE))
    turn.events.clear()
    for _ in range(10):
        if turn.state.phase is phase:
            break
        if not night.end_step(turn):
            break
        turn.events.clear()
    night.enter_step(turn)


def _place_morning(turn: Turn, move: m.Place, died: tuple[Death, ...]) -> None:
    by_mafia = next((death.seat for death in died if death.by == "mafia"), 0)
    by_maniac = next((death.seat for death in died if death.by == "maniac"), 0)
    turn.set(
        day=move.day - 1,
        alive=turn.state.alive | {death.seat for death in died},
        night=Night((Phase.NIGHT_SHOOTING,), step=0, shot=by_mafia, maniac=by_maniac),
        shootings=_shootings(turn.state.rules, move),
    )
    flow.morning(turn)
