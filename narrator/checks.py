"""State lines of transcripts («= alive 1 2 3», «= lamp green», …): each compares what is with what is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrator.config import did_you_mean
from narrator.game.rulesets import Voting
from narrator.game.state import Phase, State
from narrator.game.tally import ballot_counts, voted_for

if TYPE_CHECKING:
    from narrator.transcript import Player


def check(player: Player, rest: str) -> str:
    """One state line. Returns what is wrong, or an empty string. Raises ValueError for an unknown line."""
    word, *wanted = rest.replace(",", " ").split()
    if word not in _CHECKS:
        raise ValueError(f"unknown state «{word}»{did_you_mean(word, _CHECKS)}")
    found = _CHECKS[word](player, wanted)
    return "" if found is None else f"it is {found}"


def _same(found: object, wanted: list[str]) -> str | None:
    """None if they agree, else what was found."""
    text = " ".join(str(item) for item in found) if isinstance(found, tuple | list) else str(found)
    return None if text.split() == wanted else text or "empty"


def _numbers(found: list[int] | tuple[int, ...], wanted: list[str], *, ordered: bool = False) -> str | None:
    if wanted in (["none"], ["-"]):
        wanted = []
    numbers = [int(word) for word in wanted]
    same = list(found) == numbers if ordered else sorted(found) == sorted(numbers)
    return None if same else " ".join(map(str, found)) or "none"


def _day(player: Player, wanted: list[str]) -> str | None:
    state = player.state
    now = f"{'night' if state.phase.is_night else 'day'} {state.day}"
    return None if not state.phase.is_night and wanted == [str(state.day)] else now


def _night(player: Player, wanted: list[str]) -> str | None:
    state = player.state
    now = f"{'night' if state.phase.is_night else 'day'} {state.day}"
    return None if state.phase.is_night and wanted == [str(state.day)] else now


def _left(player: Player, wanted: list[str]) -> str | None:
    timer = player.state.timer
    if timer is None:
        return "no timer"
    left = timer.left_at(player.app.table.at())
    return None if abs(left - float(wanted[0])) <= 1.0 else f"{left:g}"


def _tally(player: Player, wanted: list[str]) -> str | None:
    found = tally(player.state)
    pairs = dict(word.split(":") for word in wanted if word != "none")
    same = {int(seat): int(count) for seat, count in pairs.items()} == found
    return None if same else " ".join(f"{seat}:{count}" for seat, count in found.items()) or "none"


def tally(state: State) -> dict[int, int]:
    """Votes counted so far in the round, by candidate; between votes, those of the last one."""
    if state.phase is not Phase.VOTE:
        counts = state.last_counts
    elif state.rules.voting is Voting.NAMED:
        counts = ballot_counts(state.ballots, voted_for(state))
    else:
        counts = state.vote.counts if state.vote else ()
    return {count.seat: count.votes for count in counts}


def _warnings(player: Player, wanted: list[str]) -> str | None:
    state = player.state
    pairs = {int(seat): int(count) for seat, count in (word.split("=") for word in wanted if word != "none")}
    found = {seat: state.warned(seat) for seat in range(1, state.seats + 1) if state.warned(seat)}
    same = all(found.get(seat, 0) == count for seat, count in pairs.items()) and (pairs or not found)
    return None if same else " ".join(f"{seat}={count}" for seat, count in found.items()) or "none"


def _points(player: Player, wanted: list[str]) -> str | None:
    best = player.state.best_move
    found = "none" if best is None or best.points is None else f"{best.by}={best.points:g}"
    if found != "none" and wanted != ["none"]:
        seat, points = wanted[0].split("=")
        return None if best is not None and int(seat) == best.by and float(points) == best.points else found
    return _same(found, wanted)


def _refused(player: Player, wanted: list[str]) -> str | None:
    reason = player.app.refused
    if not reason:
        return "accepted"
    return None if not wanted or wanted == [reason] else reason


def _check(player: Player, wanted: list[str]) -> str | None:
    check = player.state.check
    return _same("none" if check is None else f"{check.by} {check.seat} {check.answer}", wanted)


def _lamp(player: Player, wanted: list[str]) -> str | None:
    return _same(player.panel.scene.lamp, wanted)


def _winner(player: Player, wanted: list[str]) -> str | None:
    outcome = player.state.outcome
    return _same("none" if outcome is None else outcome.winner, wanted)


def _out(player: Player, wanted: list[str]) -> str | None:
    state = player.state
    return _numbers([seat for seat in range(1, state.seats + 1) if seat not in state.alive], wanted)


_CHECKS: dict[str, Callable[[Player, list[str]], str | None]] = {
    "day": _day,
    "night": _night,
    "phase": lambda player, wanted: _same(player.state.phase, wanted),
    "speaker": lambda player, wanted: _same(player.state.speaker or "none", wanted),
    "left": _left,
    "paused": lambda player, wanted: _same("yes" if player.state.paused else "no", wanted),
    "alive": lambda player, wanted: _numbers(player.state.living, wanted),
    "out": _out,
    "candidates": lambda player, wanted: _numbers(player.state.candidates, wanted, ordered=True),
    "tally": _tally,
    "warnings": _warnings,
    "lamp": _lamp,
    "buzzer": lambda player, wanted: _same(player.buzzes + len(player.panel.buzzes), wanted),
    "winner": _winner,
    "check": _check,
    "points": _points,
    "called": lambda player, wanted: _same(player.state.call.number if player.state.call else "none", wanted),
    "refused": _refused,
}
