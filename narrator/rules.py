"""A ruleset with a club's changes: checked together, every mistake at once. Reads no file.

The rows stand in game/rulesets; this is where settings and transcripts get theirs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter, ValidationError

from narrator.config import did_you_mean
from narrator.game.rulesets import FIELDS, RULESETS, Nominating, Ruleset, Voting, extended

_ADAPTER: TypeAdapter[Ruleset] = TypeAdapter(Ruleset)


class RulesError(ValueError):
    """Rules that cannot be played; `problems` holds one sentence for each mistake."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(" ".join(problems))


def ruleset(key: str, changes: Mapping[str, Any]) -> Ruleset:
    """The ruleset `key` with `changes` ("times" = "extended" takes the newcomers' times). Raises RulesError."""
    if key not in RULESETS:
        raise RulesError([f"There are no rules {key!r}{did_you_mean(key, RULESETS)}; choose {', '.join(RULESETS)}."])
    changes = dict(changes)
    row = RULESETS[key]
    problems: list[str] = []
    times = changes.pop("times", "usual")
    if times == "extended":
        row = extended(row)
    elif times != "usual":
        problems.append(f"[rules] times = {times!r}: use usual or extended.")
    for name in list(changes):
        if name not in FIELDS or name in ("key", "script"):
            problems.append(f"[rules] has no setting {name}{did_you_mean(name, (*FIELDS, 'times'))}.")
            del changes[name]
    try:
        rules = _ADAPTER.validate_python({**asdict(row), **changes})
    except ValidationError as error:
        for e in error.errors():
            message = e["msg"][0].lower() + e["msg"][1:]
            problems.append(f"[rules] {e['loc'][0]} = {e['input']!r}: {message}.")
        raise RulesError(problems) from error
    problems += _together(rules)
    if problems:
        raise RulesError(problems)
    return rules


def _together(rules: Ruleset) -> list[str]:
    """Settings that make no sense with one another."""
    problems = []
    for name in FIELDS:
        value = getattr(rules, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if value < 0:
                problems.append(f"[rules] {name} = {value}: cannot be below zero.")
            elif not math.isfinite(value):
                problems.append(f"[rules] {name} = {value}: must be a number.")
    if not 3 <= rules.seats_min <= rules.seats <= rules.seats_max <= 15:
        problems.append(
            f"[rules] seats_min {rules.seats_min} ≤ seats {rules.seats} ≤ seats_max {rules.seats_max} "
            "must hold, within 3 to 15."
        )
    if rules.mafia and 2 * rules.mafia >= rules.seats_min:
        problems.append(f"[rules] mafia = {rules.mafia}: at {rules.seats_min} seats the mafia would have won already.")
    if rules.speech == 0:
        problems.append("[rules] speech = 0: a day needs speeches; use 15 or more.")
    if rules.mute_at and rules.mute_at >= rules.warning_limit:
        problems.append(f"[rules] mute_at = {rules.mute_at}: must be below warning_limit = {rules.warning_limit}.")
    if (rules.nominating is Nominating.BY_VOTING) != (rules.voting is Voting.NAMED):
        problems.append('[rules] nominating = "by-voting" and voting = "named" go only together.')
    if rules.changes and rules.voting is not Voting.NAMED:
        problems.append('[rules] changes needs voting = "named"; a raised hand is not changed after «три».')
    if rules.warning_limit < 1:
        problems.append("[rules] warning_limit = 0: use 1 or more.")
    if rules.count_step == 0 or rules.call_step == 0:
        problems.append("[rules] count_step and call_step must be above zero.")
    return problems
