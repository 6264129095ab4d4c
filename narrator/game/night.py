"""The night: who is called in which order, what is chosen, who is dead in the morning.

Invariant: what is called, in which order and with which pauses depends only on what the table knows.
"""

from __future__ import annotations

from dataclasses import replace

from narrator.game.events import (
    CardsKnown,
    MissTold,
    NightFell,
    NumberCalled,
    RoleSlept,
    RoleWoke,
)
from narrator.game.roles import Host, Role, Seat
from narrator.game.rulesets import DonCheck, Ruleset, Shooting, Waker
from narrator.game.state import Check, Death, Night, Phase, State
from narrator.game.turn import Turn

_OWNERS = {
    Phase.NIGHT_SHOOTING: (Role.MAFIA, Role.DON),
    Phase.NIGHT_DON: (Role.DON,),
    Phase.NIGHT_SHERIFF: (Role.SHERIFF,),
    Phase.NIGHT_MANIAC: (Role.MANIAC,),
}
_WAKER = {
    Phase.NIGHT_CONFERENCE: Waker.MAFIA,
    Phase.NIGHT_SHOOTING: Waker.MAFIA,
    Phase.NIGHT_DON: Waker.DON,
    Phase.NIGHT_SHERIFF: Waker.SHERIFF,
    Phase.NIGHT_MANIAC: Waker.MANIAC,
}


def mafia_count(rules: Ruleset, seats: int) -> int:
    """Black cards for a table: the rulebook's number, or about 0.28 of the seats (seats // 4 … seats // 3) [A, R]."""
    return rules.mafia or round(seats * 0.28)


def maniac_count(state: State) -> int:
    """Maniacs in this game: as dealt; before the cards are known, one if the rules have one and ten sit down [A, R]."""
    if state.roles and None not in state.roles:
        return sum(role is Role.MANIAC for role in state.roles)
    return min(state.rules.maniac, 1) if state.seats >= 10 else 0


def begin(turn: Turn, *, meeting: bool) -> None:
    """Masks on. `meeting`: the first night, in which roles meet and nobody dies."""
    state = turn.state
    if meeting:
        calls = _meeting(state)
        night = Night((Phase.NIGHT_MEETING,) * len(calls), wakers=calls) if calls else Night((Phase.NIGHT_CONFERENCE,))
    else:
        steps = [Phase.NIGHT_SHOOTING, Phase.NIGHT_DON, Phase.NIGHT_SHERIFF]
        night = Night((*steps, Phase.NIGHT_MANIAC) if maniac_count(state) else tuple(steps))
    turn.set(night=night, died=(), speaker=None, timer=None, paused=False, queue=(), vote=None, entry=None, call=None)
    turn.emit(NightFell(state.day))
    next_step(turn)


def _meeting(state: State) -> tuple[str, ...]:
    """Who is called in the first night; nobody where the mafia only confer. Where the box must learn the cards and
    not every role would be called by itself, it calls them all."""
    rules = state.rules
    maniac = (Waker.MANIAC,) if maniac_count(state) else ()
    to_learn = cards_unknown(state) and state.host is not Host.LIGHT
    if to_learn and (state.host is Host.NONE or rules.conference):
        return (Waker.MAFIA, Waker.DON, Waker.SHERIFF, *maniac)
    if rules.conference:
        return ()
    return tuple(w for w in rules.meeting if w is not Waker.MANIAC or maniac)


def waker(state: State) -> str:
    """Who is awake now."""
    night = state.night
    assert night is not None
    return night.wakers[night.step] if night.wakers else _WAKER[state.phase]


def is_meeting(state: State) -> bool:
    """Whether this is the acquaintance night."""
    return state.phase in (Phase.NIGHT_MEETING, Phase.NIGHT_CONFERENCE)


def owner_alive(state: State) -> bool:
    """Whether somebody at the table answers this call (always, when the box does not know the cards)."""
    roles = _OWNERS.get(state.phase)
    return roles is None or not state.roles or bool(state.holders(*roles))


def next_step(turn: Turn) -> None:
    """Call the next role."""
    state = turn.state
    assert state.night is not None
    night = replace(state.night, step=state.night.step + 1, told=(), tries=0)
    turn.set(night=night, phase=night.steps[night.step], timer=None, entry=None)
    enter_step(turn)


def enter_step(turn: Turn) -> None:
    """The role of the current step is awake: tell, and set the pause if it ends by itself."""
    state = turn.state
    rules = state.rules
    turn.emit(RoleWoke(state.phase, waker(state), is_meeting(state)))
    by_clock = state.host is not Host.FULL
    if state.phase is Phase.NIGHT_CONFERENCE:
        turn.start_pause(rules.conference)
    elif state.phase is Phase.NIGHT_MEETING:
        if by_clock:
            turn.start_pause(rules.meeting_time if waker(state) == Waker.MAFIA else rules.look_time)
    elif state.host is Host.NONE:
        return  # numbers are called by the clock: see hostless
    elif state.phase is Phase.NIGHT_SHOOTING and rules.shooting is Shooting.CALLED:
        for number in range(1, state.seats + 1):
            turn.emit(NumberCalled(number))
        if by_clock or not owner_alive(state):
            turn.start_pause(rules.shooting_time)
    elif by_clock or not owner_alive(state):
        shooting = by_clock and state.phase is Phase.NIGHT_SHOOTING
        turn.start_pause(rules.shooting_time if shooting else rules.role_pause)


def end_step(turn: Turn) -> bool:
    """The current role sleeps. Returns whether the night goes on."""
    state = turn.state
    night = state.night
    assert night is not None
    if state.phase is Phase.NIGHT_SHOOTING:
        shot = 0 if night.shot is None else night.shot
        night = replace(night, shot=shot)
        turn.set(night=night, shootings=state.shootings + 1)
    turn.emit(RoleSlept(state.phase, waker(state), is_meeting(state)))
    missed = state.phase is Phase.NIGHT_SHOOTING and not night.shot
    if missed and state.rules.miss_at_night and state.host is not Host.LIGHT:
        turn.emit(MissTold())
    if state.phase is Phase.NIGHT_MEETING:
        _note_cards(turn)
    turn.set(timer=None)
    if night.step + 1 < len(night.steps):
        next_step(turn)
        return True
    return False


# --- cards told silently in the first night ----------------------------------------------------------------------


def cards_wanted(state: State) -> int:
    """How many seats must still be told for the role that is being met (0 when the cards are known)."""
    night = state.night
    if state.host is Host.LIGHT or state.phase is not Phase.NIGHT_MEETING or night is None:
        return 0
    if state.roles and None not in state.roles:
        return 0
    wanted = mafia_count(state.rules, state.seats) if waker(state) == Waker.MAFIA else 1
    return wanted - len(night.told)


def cards_unknown(state: State) -> bool:
    """Whether the box still has to learn who is who."""
    return not state.roles or None in state.roles


def shown_rightly(state: State) -> bool:
    """With no host: as many have pressed as there are such cards, and nobody whose card is another."""
    at_night = state.night
    assert at_night is not None
    told = at_night.told
    now = waker(state)
    roles = [state.role(seat) if state.roles else None for seat in told]
    if now == Waker.MAFIA:
        return len(told) == mafia_count(state.rules, state.seats) and not any(roles)
    if now == Waker.DON:
        return len(told) == 1 and roles == [Role.MAFIA]
    return len(told) == 1 and roles == [None]


def _note_cards(turn: Turn) -> None:
    """Write down who showed himself; after the last role the rest are civilians.

    A ruleset whose Don is not called alone (moscow) takes the first told of the mafia as the Don.
    """
    state = turn.state
    night = state.night
    assert night is not None
    if not night.told:
        return
    roles: list[Role | None] = list(state.roles or (None,) * state.seats)
    now = waker(state)
    don_alone = Waker.DON in night.wakers
    for place, seat in enumerate(night.told):
        if now == Waker.MAFIA:
            roles[seat - 1] = Role.DON if place == 0 and not don_alone else Role.MAFIA
        else:
            roles[seat - 1] = Role(now)
    if night.step + 1 == len(night.wakers):
        roles = [role or Role.CIVILIAN for role in roles]
        turn.emit(CardsKnown())
    turn.set(roles=tuple(roles))


# --- what is chosen ----------------------------------------------------------------------------------------------


def answer(state: State, seat: Seat) -> Check:
    """What the Don or the Sheriff learns about `seat`."""
    role = state.role(seat)
    assert role is not None
    if state.phase is Phase.NIGHT_DON:
        if state.rules.don_check is DonCheck.EXACT_ROLE:
            return Check("don", seat, role)
        return Check("don", seat, "yes" if role is Role.SHERIFF else "no")
    return Check("sheriff", seat, "black" if role in (Role.MAFIA, Role.DON) else "red")


def deaths(state: State) -> tuple[Death, ...]:
    """Who is dead in the morning, in seat order. Two killers on one seat: one death, the later killer's."""
    night = state.night
    if night is None:
        return ()
    killed: dict[Seat, str] = {}
    if night.shot:
        killed[night.shot] = "mafia"
    if night.maniac:
        killed[night.maniac] = "maniac"
    return tuple(Death(seat, killed[seat]) for seat in sorted(killed) if seat in state.alive)


def last_victim(state: State) -> Seat | None:
    """Who died last night and acts last: with two dead the Maniac's victim [A, R]."""
    if not state.died:
        return None
    return next((death.seat for death in state.died if death.by == "maniac"), state.died[-1].seat)
