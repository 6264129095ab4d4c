"""Rules with a club's changes: what fits is taken, what does not is told together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import pytest

from narrator.game.rulesets import EXTENDED, RULESETS, Ruleset, Ties
from narrator.rules import RulesError, ruleset


def problems(key: str, changes: Mapping[str, object]) -> list[str]:
    """What is wrong with these changes."""
    with pytest.raises(RulesError) as error:
        ruleset(key, changes)
    assert all(problem.endswith(".") and "\n" not in problem for problem in error.value.problems)
    return error.value.problems


@pytest.mark.parametrize("key", RULESETS)
def test_every_row_passes_its_own_checks(key: str) -> None:
    assert ruleset(key, {}) == RULESETS[key]
    assert RULESETS[key].key == key


@pytest.mark.parametrize("key", RULESETS)
def test_a_club_changes_what_it_likes(key: str) -> None:
    changed = ruleset(key, {"speech": 75, "self_shots": False, "warn_at": 15.5})
    assert changed == replace(RULESETS[key], speech=75, self_shots=False, warn_at=15.5)


def test_policies_are_named_by_their_values() -> None:
    assert ruleset("classic", {"ties": "victim"}).ties is Ties.VICTIM
    assert "[rules] ties = 'coin'" in problems("classic", {"ties": "coin"})[0]


@pytest.mark.parametrize("key", RULESETS)
def test_the_slower_times_stretch_only_what_is_there(key: str) -> None:
    usual, slow = RULESETS[key], ruleset(key, {"times": "extended"})
    for name, seconds in EXTENDED.items():
        assert getattr(slow, name) == (seconds if getattr(usual, name) else 0)
    others = [field.name for field in fields(Ruleset) if field.name not in EXTENDED]
    assert all(getattr(slow, name) == getattr(usual, name) for name in others)
    assert ruleset(key, {"times": "extended", "speech": 70}).speech == 70
    assert ruleset(key, {"times": "usual"}) == usual
    assert "use usual or extended" in problems(key, {"times": "slow"})[0]


def test_every_mistake_is_told_at_once() -> None:
    wrong = {"speach": 30, "tie_speech": "long", "times": "slow", "key": "mine", "voting": "letters"}
    found = problems("classic", wrong)
    assert len(found) == 5
    text = " ".join(found)
    assert "has no setting speach (did you mean speech?)." in text
    for part in ("times = 'slow'", "has no setting key", "tie_speech = 'long'", "voting = 'letters'"):
        assert part in text


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"speech": 0}, "a day needs speeches"),
        ({"speech": -5}, "speech = -5.0: cannot be below zero"),
        ({"warning_limit": 0}, "use 1 or more"),
        ({"seats": 12}, "must hold, within 3 to 15"),
        ({"seats_min": 2}, "must hold, within 3 to 15"),
        ({"seats_max": 16}, "must hold, within 3 to 15"),
        ({"mafia": 5}, "the mafia would have won already"),
        ({"voting": "named"}, "go only together"),
        ({"nominating": "by-voting"}, "go only together"),
        ({"changes": 1}, 'changes needs voting = "named"'),
        ({"mute_at": 4}, "must be below warning_limit"),
        ({"count_step": 0}, "must be above zero"),
        ({"call_step": 0}, "must be above zero"),
    ],
)
def test_rules_that_cannot_be_played_are_told(changes: dict[str, object], part: str) -> None:
    assert any(part in problem for problem in problems("classic", changes))


@pytest.mark.parametrize("name", ["speech", "warn_at", "role_pause", "count_step", "overtime_warning"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_time_must_be_a_number_of_seconds(name: str, number: float) -> None:
    assert name in problems("classic", {name: number})[0]


def test_unknown_rules_are_told_with_the_known_ones() -> None:
    (problem,) = problems("clasic", {})
    assert problem == f"There are no rules 'clasic' (did you mean classic?); choose {', '.join(RULESETS)}."
