"""One move being carried out: the state as it becomes, and what happened on the way.

A Turn lives inside one call of `play`; nobody outside the game sees it half done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from narrator.game import timing
from narrator.game.events import Event, LeftTable, SpeechEnded
from narrator.game.roles import Seat
from narrator.game.state import State, Vote


class Turn:
    """Changes of one move at game time `at`."""

    def __init__(self, state: State, at: float) -> None:
        self.state = state
        self.at = at
        self.events: list[Event] = []

    def set(self, **changes: Any) -> None:
        """Replace fields of the state."""
        self.state = replace(self.state, **changes)

    def emit(self, event: Event) -> None:
        """Something happened."""
        self.events.append(event)

    def end_speech(self) -> None:
        """The speaker is done; what he used is told."""
        state = self.state
        if state.speaker is None:
            return
        if state.timer is not None:
            left = state.timer.left_at(self.at)
            used = max(state.timer.total - left, 0.0)
            self.emit(SpeechEnded(state.phase, state.speaker, used, max(-left, 0.0)))
        self.set(speaker=None, timer=None, paused=False, retract=None, held_since=None)

    def depart(self, seats: tuple[Seat, ...], how: str = "") -> None:
        """`seats` leave in one batch. `how` (removed, left, warnings) is told; a vote or a night tells itself."""
        gone = frozenset(seats)
        state = self.state
        if state.speaker in gone and state.phase.has_speaker:
            self.end_speech()
            state = self.state
        self.set(
            alive=state.alive - gone,
            queue=tuple(seat for seat in state.queue if seat not in gone),
            nominations=tuple(n for n in state.nominations if n.seat not in gone),
            ballots=tuple(b for b in state.ballots if b.voter not in gone and b.candidate not in gone),
            muted=state.muted - gone,
            left_since=True,
        )
        if state.vote is not None:
            self.set(vote=_without(state.vote, gone, len(self.state.alive)))
        if how:
            self.emit(LeftTable(seats, how))

    def start_pause(self, seconds: float, kind: timing.Kind = timing.Kind.PAUSE) -> None:
        """A silence that begins when the narrator has finished."""
        self.set(timer=timing.pause(seconds, kind))


def _without(vote: Vote, gone: frozenset[Seat], voters: int) -> Vote:
    """The vote goes on among the rest [A]. The round starts again if the hands that were counted can no longer be
    right: some were for somebody who left, or there are more than living voters; nobody knows whose they were."""
    candidates = tuple(seat for seat in vote.candidates if seat not in gone)
    lost = vote.told > voters or any(count.votes for count in vote.counts if count.seat in gone)
    if candidates == vote.candidates and not lost:
        return vote
    counts = () if lost else tuple(count for count in vote.counts if count.seat not in gone)
    return replace(
        vote,
        candidates=candidates,
        counts=counts,
        counted=frozenset() if lost else vote.counted - gone,
        word=0 if lost or vote.up in gone or len(counts) == len(candidates) - 1 else vote.word,
    )
