"""What screens show of a state: the table's view, the moderator's view, and each player's own card. Levels only.

Pure. Invariant: until the game is over the table's view depends on nothing that the table may not know, and at night it
says no more than that it is night and who sits at the table.
"""

from __future__ import annotations

from narrator.game import events as e
from narrator.game.night import last_victim
from narrator.game.roles import Host
from narrator.game.rulesets import Voting
from narrator.game.state import BestMove, Phase, State
from narrator.game.timing import Kind
from narrator.messages import Countdown, HostView, Lamp, SeatView, View
from narrator.speech.choices import choices, moment
from narrator.speech.director import Director
from narrator.speech.lang import load

_COUNTS_STAY = (Phase.TIE_SPEECH, Phase.LIFT, Phase.VICTIM_VOTE, Phase.LAST_WORD)
"""Phases in which the last round's counts are still to be seen."""
_NAMED = (Phase.SPEECHES, Phase.NOMINATIONS, Phase.VOTE, Phase.TIE_SPEECH, Phase.LIFT, Phase.VICTIM_VOTE)


# --- for everybody -----------------------------------------------------------------------------------------------


def public_view(state: State, at: float, language: str) -> View:
    """What everybody at the table may see at game time `at`."""
    words = load(language)
    everybody = range(1, state.seats + 1)
    limit = state.rules.warning_limit
    if state.phase.is_night:
        seats = tuple(_sitting(state, seat) for seat in everybody)
        return View("night", words.ON_SCREEN.NIGHT, state.day, seats, limit)
    over = state.phase is Phase.GAME_OVER
    outcome = state.outcome if over else None
    return View(
        "over" if over else state.phase.value,
        words.ON_SCREEN.OVER if over else words.IN_PRINT.PHASES[state.phase],
        state.day,
        tuple(_seat(state, seat) for seat in everybody),
        limit,
        _note(state, language),
        Director.scene(state, at, listening=False).lamp if state.call is None else Lamp.OFF,
        _countdown(state),
        state.paused,
        "" if outcome is None else outcome.winner,
    )


def _sitting(state: State, seat: int) -> SeatView:
    return SeatView(seat, state.name(seat), seat in state.alive, state.warned(seat))


def _seat(state: State, seat: int) -> SeatView:
    named = state.candidates if state.phase in _NAMED else ()
    vote = state.vote
    role = state.role(seat) if state.phase is Phase.GAME_OVER else None
    return SeatView(
        seat,
        state.name(seat),
        seat in state.alive,
        state.warned(seat),
        state.phase.has_speaker and seat == state.speaker,
        named.index(seat) + 1 if seat in named else 0,
        _votes(state).get(seat),
        state.phase is Phase.VOTE and vote is not None and not _by_name(state) and seat == vote.up,
        not _by_name(state) and state.phase in (Phase.VOTE, Phase.LIFT) and seat in state.hands,
        "" if role is None else role.value,
    )


def _by_name(state: State) -> bool:
    return state.rules.voting is Voting.NAMED and state.phase is not Phase.LIFT


def _votes(state: State) -> dict[int, int]:
    """The tally so far, or the last one while it is talked about."""
    if state.rules.voting is Voting.NAMED and state.phase in (Phase.SPEECHES, Phase.NOMINATIONS, Phase.VOTE):
        candidates = [ballot.candidate for ballot in state.ballots if ballot.candidate is not None]
        return {seat: candidates.count(seat) for seat in candidates}
    if state.phase is Phase.VOTE and state.vote is not None:
        return {count.seat: count.votes for count in state.vote.counts}
    return {count.seat: count.votes for count in state.last_counts} if state.phase in _COUNTS_STAY else {}


def _countdown(state: State) -> Countdown | None:
    timer = state.timer
    if timer is None or timer.kind is not Kind.SPEECH or not state.phase.has_speaker:
        return None
    left = round(timer.left, 3)
    return Countdown(timer.total, left, state.rules.warn_at, None if timer.since is None else round(timer.since, 3))


def _note(state: State, language: str) -> str:
    """One line about what is going on."""
    words = load(language)
    key, seats = _note_key(state)
    if not key:
        return ""
    called = [_called(state, seat) for seat in seats]
    rules = words.RULES_NAMES[state.rules.script]
    slots = {"seat": called[0] if called else "", "n": len(state.ballots), "rules": rules}
    note: str = words.ON_SCREEN.NOTES[key]
    if key == "victim-vote":
        called = called[1:]
    return note.format(seats=", ".join(called), **slots)


def _called(state: State, seat: int) -> str:
    """«5» or «5 Анна»."""
    return f"{seat} {state.name(seat)}".strip()


def _note_key(state: State) -> tuple[str, tuple[int, ...]]:
    """Which note, and the seats in it."""
    if state.phase.has_speaker and state.speaker is not None:
        return "speech" if state.phase is Phase.SPEECHES else state.phase.value, (state.speaker,)
    match state.phase:
        case Phase.LOBBY:
            return "lobby", ()
        case Phase.NOMINATIONS:
            return "nominations", ()
        case Phase.VOTE if state.vote is not None:
            if state.rules.voting is Voting.NAMED:
                return "vote-named", ()
            return ("vote", (state.vote.up,)) if state.vote.up is not None else ("", ())
        case Phase.LIFT:
            return "lift", state.candidates
        case Phase.VICTIM_VOTE if state.died:
            return "victim-vote", (last_victim(state) or 0, *state.candidates)
        case Phase.BEST_MOVE if state.best_move is not None:
            best: BestMove = state.best_move
            return ("best-move-named", best.seats) if best.seats else ("best-move", (best.by,))
        case Phase.MORNING if state.deaths_told:
            return "deaths", state.deaths_told
        case Phase.GAME_OVER if state.outcome is not None:
            return f"won-{state.outcome.winner}", ()
    return "", ()


# --- for the moderator, and for each player alone --------------------------------------------------------------------


def host_view(state: State, at: float, language: str, *, can_undo: bool) -> HostView:
    """What the moderator may see and do. With no host nobody may see a card or an answer."""
    words = load(language)
    director = Director(language)
    situation = " ".join(line.text for line in director.now(state, at)) if _asks(state) else ""
    knows = state.host is Host.FULL
    return HostView(
        moment(state),
        words.IN_PRINT.PHASES[state.phase],
        _note(state, language) if state.question is not None or not state.phase.is_night else situation,
        situation if state.question is not None else "",
        _caption(state, language),
        choices(state, language, can_undo=can_undo),
        cards(state) if knows else (),
        tuple(_private(state, director)) if knows else (),
    )


def _asks(state: State) -> bool:
    return state.question is not None or state.phase.is_night


def cards(state: State) -> tuple[str, ...]:
    """Each seat's card for its own player, "" if the box does not know it; empty if it knows none."""
    return tuple("" if role is None else role.value for role in state.roles)


def _caption(state: State, language: str) -> str:
    captions: dict[str, str] = load(language).ON_SCREEN.CAPTIONS
    match state.phase:
        case Phase.VOTE if state.rules.voting is Voting.NAMED:
            return captions["vote-for"]
        case Phase.VOTE if state.vote is not None and state.vote.up is not None:
            return captions["cast-votes"].format(seat=_called(state, state.vote.up))
        case Phase.LIFT:
            return captions["cast-votes-lift"]
        case Phase.SPEECHES | Phase.NOMINATIONS:
            return captions["vote-for" if state.rules.voting is Voting.NAMED else "nominate"]
        case Phase.MORNING:
            return captions["tell-death"]
    return captions.get(state.phase, "")


def _private(state: State, director: Director) -> list[str]:
    """What was entered this night, the answers of this night, and by day the last answer."""
    told: list[e.Event] = []
    if state.night is not None and state.phase.is_night:
        told += [e.Shot("met", seat) for seat in state.night.told]
        told += [e.Shot("mafia", state.night.shot)] if state.night.shot is not None else []
        told += [e.Shot("maniac", state.night.maniac)] if state.night.maniac is not None else []
        told += [e.PrivateAnswer(check) for check in state.night.checks]
    elif state.check is not None:
        told.append(e.PrivateAnswer(state.check))
    return [director.confide(event, state) for event in told]
