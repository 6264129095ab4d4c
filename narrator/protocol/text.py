"""A protocol as text in the players' language, as JSON, and as a table with one row per event.

Reads protocols only. Invariant: the keys of the JSON form are the fields of `values`, the columns of the table are
COLUMNS; both stay the same when labels change.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from narrator.game.state import SPEAKING, Phase
from narrator.protocol import values as v
from narrator.speech.lang import load
from narrator.speech.rules_text import Figure, printed_time, sentence

COLUMNS = ("no", "at", "time", "number", "event", "seat", "by", "value", "seconds", "over")
"""Columns of the table: place and seconds from the start, day or night and its number, what, who, by whom, how much."""

_JSON: TypeAdapter[v.Protocol] = TypeAdapter(v.Protocol)
_SPEAKING = [phase for phase in Phase if phase in SPEAKING]


def to_json(protocol: v.Protocol) -> str:
    """The protocol as one JSON object; read back by `from_json`."""
    return _JSON.dump_json(protocol, indent=2).decode() + "\n"


def from_json(text: str) -> v.Protocol:
    """A protocol from its JSON form. Raises ValueError."""
    return _JSON.validate_json(text)


# --- the table ---------------------------------------------------------------------------------------------------


def to_csv(protocol: v.Protocol) -> str:
    """The table with a header: the players, then one row per event in the order in which they happened."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for player in protocol.players:
        writer.writerow({"event": "player", "seat": player.seat, "value": player.name})
        if player.role is not None:
            writer.writerow({"event": "role", "seat": player.seat, "value": player.role.value})
    rows: list[dict[str, Any]] = []
    for part in _parts(protocol):
        time = "night" if isinstance(part, v.Night) else "day"
        rows += ({**row, "time": time, "number": part.number} for row in _rows(part))
    for row in sorted(rows, key=lambda row: int(row["no"])):
        writer.writerow({**row, "at": f"{row['at']:.1f}"})
    if protocol.winner:
        writer.writerow(
            {"at": f"{protocol.seconds:.1f}", "event": "result", "by": protocol.why, "value": protocol.winner}
        )
    return out.getvalue()


def _parts(protocol: v.Protocol) -> list[v.Day | v.Night]:
    """Days and nights as they followed each other."""
    parts: list[v.Day | v.Night] = [*protocol.days, *protocol.nights]
    return sorted(parts, key=lambda part: (part.number, isinstance(part, v.Night)))


def _rows(part: v.Day | v.Night) -> Iterator[dict[str, Any]]:
    items: tuple[tuple[v.Item, ...], ...]
    if isinstance(part, v.Night):
        items = (part.shots, part.checks, part.departures, part.best_moves, part.warnings)
    else:
        words = (part.speeches, part.nominations, part.no_vote, part.rounds, part.lifts)
        items = (*words, part.victim_votes, part.nobody_out, part.departures, part.warnings)
    for item in (item for group in items for item in group):
        for name, cells in _cells(item):
            yield {"no": item.no, "at": item.at, "event": name, **cells}


def _cells(item: v.Item) -> Iterator[tuple[str, dict[str, Any]]]:
    match item:
        case v.Speech(_, _, kind, seat, _, used, over):
            length = {} if used is None else {"seconds": f"{used:.1f}", "over": f"{over:.1f}"}
            yield kind, {"seat": seat, **length}
        case v.Nomination(_, _, seat, by):
            yield "nomination", {"seat": seat, "by": by}
        case v.NoVote(_, _, candidates, cancelled):
            yield "no-vote", {"seat": _seats(candidates), "value": "cancelled" if cancelled else "too-few"}
        case v.Round():
            yield "round", {"seat": _seats(item.candidates), "value": item.number}
            for ballot in item.ballots:
                name = "ballot-change" if ballot.change else "ballot"
                yield name, {"seat": ballot.candidate or "pass", "by": ballot.voter, **_when(ballot)}
            for votes in item.votes:
                name = "votes-rest" if votes.rest else "votes"
                yield name, {"seat": votes.seat, "value": votes.votes, **_when(votes)}
        case v.Lift(_, _, seats, leave, votes):
            yield "lift" if leave else "spare", {"seat": _seats(seats), "value": votes}
        case v.VictimVote(_, _, victim, _, chosen):
            yield "victim-vote", {"seat": chosen, "by": victim}
        case v.NobodyOut():
            yield "nobody-out", {}
        case v.Departure(_, _, seat, how, by):
            yield how, {"seat": seat, "by": by}
        case v.Warned(_, _, seat, count, _, taken_back):
            yield "warning-back" if taken_back else "warning", {"seat": seat, "value": count}
        case v.Shot(_, _, by, seat):
            yield "shot", {"seat": seat or "miss", "by": by}
        case v.Check(_, _, by, seat, answer):
            yield "check", {"seat": seat, "by": by, "value": answer}
        case v.BestMove(_, _, by, seats, points):
            yield "best-move", {"seat": _seats(seats), "by": by, "value": points}


def _when(item: v.Ballot | v.Votes) -> dict[str, Any]:
    return {"no": item.no, "at": item.at}


def _seats(seats: Iterable[int]) -> str:
    return " ".join(map(str, seats))


# --- the text ----------------------------------------------------------------------------------------------------


def to_text(protocol: v.Protocol, language: str = "ru") -> str:
    """The protocol for people, in `language`. A game that goes on is told without secrets."""
    words = load(language)
    return "\n".join(_Text(words, protocol.rules.script).lines(protocol)) + "\n"


def result(protocol: v.Protocol, words: ModuleType) -> str:
    """«победа мафии», or that the game goes on or was broken off."""
    labels: dict[str, str] = words.IN_PRINT.PROTOCOL
    return labels[f"won-{protocol.winner}" if protocol.winner else f"list-{protocol.state}"]


class _Text:
    def __init__(self, words: ModuleType, wording: str) -> None:
        self.words = words
        self.labels: dict[str, str] = {
            **words.IN_PRINT.PROTOCOL,
            **words.IN_PRINT.PROTOCOL_SCRIPTS.get(wording, {}),
        }

    def _(self, key: str, **slots: Any) -> str:
        n = slots.get("n")
        if n is not None:
            slots["n"] = Figure(self.words, n)
        return self.labels[key].format(**slots)

    def time(self, seconds: float) -> str:
        return printed_time(self.words, round(seconds))

    def lines(self, protocol: v.Protocol) -> Iterator[str]:
        yield self._("title")
        yield "=" * len(self.labels["title"])
        if protocol.state != "over":
            yield self._(f"title-{protocol.state}")
        if protocol.started is not None:
            end = "" if protocol.ended is None else f"–{protocol.ended:%H:%M}"
            yield self._("when", value=f"{protocol.started:%d.%m.%Y %H:%M}{end}")
        yield self._("length", time=self.time(protocol.seconds))
        yield self._("rules", value=self.words.RULES_NAMES.get(protocol.rules.script, protocol.rules.key))
        if protocol.changed:
            yield self._("changed")
            yield from (f"  * {sentence(protocol.rules, name, self.words)}" for name in protocol.changed)
        yield self._(f"host-{protocol.host}")
        yield ""
        yield self._("players", n=len(protocol.players))
        yield from self._players(protocol)
        for part in _parts(protocol):
            if isinstance(part, v.Day) and not any(_rows(part)):
                continue  # the game was over with the morning
            yield ""
            yield from self._night(part, protocol) if isinstance(part, v.Night) else self._day(part)
        if protocol.winner:
            numbers = {"misses": protocol.rules.misses_lose, "quiet": protocol.rules.quiet_nights}
            why = self._(f"why-{protocol.why}", n=numbers.get(protocol.why, 0))
            yield ""
            yield self._("result", value=f"{self._(f'won-{protocol.winner}')} – {why}")

    def _players(self, protocol: v.Protocol) -> Iterator[str]:
        rows = []
        for player in protocol.players:
            fate = self._(f"out-{player.out}") if player.out else ""
            if player.number or player.night:
                fate += ", " + self._("in-night" if player.night else "in-day", n=player.number)
            warned = self._("warnings-total", n=player.warnings) if player.warnings else ""
            role = self.words.ROLE_NAMES[player.role] if player.role is not None else ""
            rows.append((str(player.seat), player.name, role, "; ".join(filter(None, (fate, warned)))))
        columns = [column for column in zip(*rows, strict=True) if any(column)]
        widths = [max(map(len, column)) for column in columns]
        for row in zip(*columns, strict=True):
            yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()

    def _day(self, day: v.Day) -> Iterator[str]:
        yield self._("day", n=day.number, time=self.time(day.seconds))
        night_words, others = _split(day)
        yield from self._speeches(night_words)
        yield from self._speeches([s for s in others if s.kind in (Phase.INTRODUCTIONS, Phase.SPEECHES)])
        if day.nominations:
            named = [
                self._("nomination" if item.by else "nomination-host", seat=item.seat, by=item.by)
                for item in day.nominations
            ]
            yield f"  {self._('nominations')}: {', '.join(named)}"
        yield from (f"  {self._('no-vote-cancelled' if no.cancelled else 'no-vote')}" for no in day.no_vote)
        ties = [s for s in others if s.kind == Phase.TIE_SPEECH]
        for place, round_ in enumerate(day.rounds):
            following = day.rounds[place + 1].no if place + 1 < len(day.rounds) else float("inf")
            yield from self._round(round_)
            yield from self._speeches([s for s in ties if round_.no < s.no < following])
        if not day.rounds:
            yield from self._speeches(ties)
        for lift in day.lifts:
            votes = "" if lift.votes is None else f" ({self._('lift-votes', n=lift.votes)})"
            yield f"  {self._('lift-leave' if lift.leave else 'lift-stay', value=_list(lift.seats))}{votes}"
        for asked in day.victim_votes:
            chose = "" if asked.chosen is None else ": " + self._("victim-chose", seat=asked.chosen)
            yield f"  {self._('victim', value=_list(asked.seats), seat=asked.victim)}{chose}"
        yield from (f"  {self._('nobody-out')}" for _ in day.nobody_out)
        yield from self._departures(day.departures)
        yield from self._speeches([s for s in others if s.kind == Phase.LAST_WORD])
        yield from self._warnings(day.warnings)

    def _round(self, round_: v.Round) -> Iterator[str]:
        votes = [self._("votes-rest" if c.rest else "votes", seat=c.seat, n=c.votes) for c in round_.votes]
        told = ", ".join(votes) or _list(round_.candidates)
        yield f"  {self._('round', n=round_.number)}" + (f": {told}" if told else "")
        if round_.ballots:
            yield f"    {self._('ballots')}: {', '.join(map(self._ballot, round_.ballots))}"
        if round_.tied:
            yield f"  {self._('tied', value=_list(round_.tied))}"

    def _ballot(self, ballot: v.Ballot) -> str:
        key = ("ballot-change" if ballot.change else "ballot") + ("" if ballot.candidate else "-pass")
        return self._(key, voter=ballot.voter, seat=ballot.candidate)

    def _speeches(self, speeches: list[v.Speech]) -> Iterator[str]:
        for kind in _SPEAKING:
            told = [self._speech(speech) for speech in speeches if speech.kind == kind]
            if told:
                yield f"  {self._(f'speech-{kind}')}:"
                yield from (f"    {line}" for line in told)

    def _speech(self, speech: v.Speech) -> str:
        if not speech.given:
            return self._("speech-lost", seat=speech.seat)
        if speech.used is None:
            return self._("speech-now", seat=speech.seat)
        over = round(speech.over)
        key = "speech-over" if over else "speech"
        return self._(key, seat=speech.seat, time=self.time(speech.used), over=self.time(over))

    def _departures(self, departures: tuple[v.Departure, ...]) -> Iterator[str]:
        for gone in departures:
            if gone.how != "killed":
                yield "  " + self._("out-line", seat=gone.seat, value=self._(f"out-{gone.how}"))

    def _warnings(self, warnings: tuple[v.Warned, ...]) -> Iterator[str]:
        told = [
            self._("warning-back" if w.taken_back else "warning", seat=w.seat, n=w.count, limit=w.limit)
            for w in warnings
        ]
        if told:
            yield f"  {self._('warnings')}: {'; '.join(told)}"

    def _night(self, night: v.Night, protocol: v.Protocol) -> Iterator[str]:
        title = self._("night-meeting" if night.meeting else "night", n=night.number)
        yield title if night.seconds is None else f"{title} ({self.time(night.seconds)})"
        for shot in night.shots:
            yield "  " + self._(f"shot-{shot.by}" if shot.seat else f"shot-{shot.by}-miss", seat=shot.seat)
        for check in night.checks:
            answer = self._(f"answer-{check.answer}")
            yield "  " + self._(f"check-{check.by}", seat=check.seat, value=answer)
        killed = [gone for gone in night.departures if gone.how == "killed"]
        if killed:
            # who killed matters only where there are two who can
            by_whom = protocol.rules.maniac > 0
            seats = [self._(f"by-{k.by}", seat=k.seat) if k.by and by_whom else str(k.seat) for k in killed]
            yield "  " + self._("killed" if len(seats) > 1 else "killed-one", value=", ".join(seats))
        elif night.told:
            yield "  " + self._("killed-none")
        yield from self._departures(night.departures)
        for best in night.best_moves:
            if not best.seats:
                yield "  " + self._("best-move-none", seat=best.by)
                continue
            notes = [self._("best-move-by", seat=best.by)]
            if best.points is not None:
                notes.append(self._("points", value=format(Figure(self.words, best.points))))
            yield f"  {self._('best-move', value=_list(best.seats))} ({', '.join(notes)})"
        yield from self._warnings(night.warnings)


def _split(day: v.Day) -> tuple[list[v.Speech], list[v.Speech]]:
    """Last words of the night's dead open a day; all other speeches."""
    opening: list[v.Speech] = []
    for speech in day.speeches:
        if speech.kind != Phase.LAST_WORD:
            break
        opening.append(speech)
    voted = {gone.seat for gone in day.departures}
    opening = [speech for speech in opening if speech.seat not in voted]
    return opening, [speech for speech in day.speeches if speech not in opening]


def _list(seats: Iterable[int]) -> str:
    return ", ".join(map(str, seats))
