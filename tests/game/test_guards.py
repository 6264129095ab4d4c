"""Why not: a refusal for every case that a host may meet, with the reason the narrator explains."""

from __future__ import annotations

from typing import get_args

import pytest

from narrator.game import moves as m
from narrator.game.guards import TABLE, Refusal
from narrator.game.legal import legal
from narrator.game.moves import Move, Offer
from narrator.game.reducer import _DO, play
from narrator.game.roles import Host, Role
from narrator.game.rulesets import RULESETS, Nominating, Voting
from narrator.game.state import Ask, Game, Phase
from tests.table import cards, dealt, lobby, made, placed, refused

FEW = (1, 4, 5, 6, 7, 8, 9)


def at(key: str, phase: Phase, candidates: tuple[int, ...] = (), host: Host = Host.FULL) -> Game:
    return placed(RULESETS[key], phase, host, alive=FEW, candidates=candidates)


IN_SPEECH = [key for key, rules in RULESETS.items() if rules.nominating is Nominating.IN_SPEECH]
AFTER = [key for key, rules in RULESETS.items() if rules.nominating is Nominating.AFTER_SPEECHES]
NAMED = [key for key, rules in RULESETS.items() if rules.voting is Voting.NAMED]
HANDS = [key for key, rules in RULESETS.items() if rules.voting is Voting.HANDS]


def test_every_move_has_a_phase_and_a_handler() -> None:
    kinds = set(get_args(Move))
    assert set(TABLE) == set(Phase)
    assert set().union(*TABLE.values()) == kinds - {m.Undo}
    assert set(_DO) == kinds - {m.Undo}


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("phase", [phase for phase in Phase if phase not in (Phase.LOBBY, Phase.GAME_OVER)])
def test_a_running_game_is_not_set_up(key: str, phase: Phase) -> None:
    game = dealt(RULESETS[key])
    place = m.Place(phase, 2, phase.is_night, FEW, ((10, "mafia"),), (4, 5))
    game = made(game, place)
    assert refused(game, m.SetUp(seats=10)).reason == "running"
    assert refused(game, m.Deal(cards(RULESETS[key], game.state.seats))).reason == "running"
    assert refused(game, m.Start()).reason == refused(game, place).reason == "not-now"


@pytest.mark.parametrize("key", IN_SPEECH)
def test_one_nominates_in_ones_own_speech_once(key: str) -> None:
    game = at(key, Phase.SPEECHES)
    assert game.state.speaker == 1
    out_of_turn = refused(game, m.Nominate(7, by=5))  # B8
    assert (out_of_turn.reason, out_of_turn.offer) == ("out-of-turn", m.Propose(Offer.WARN, 5))
    assert refused(game, m.Nominate(3)).reason == "not-alive"
    assert refused(game, m.Nominate(7, by=3)).reason == "not-alive"
    game = made(game, m.Nominate(7))
    assert refused(game, m.Nominate(8)).reason == "one-nomination"  # B7
    game = made(game, m.Next())
    assert refused(game, m.Nominate(7)).reason == "already-nominated"
    assert made(game, m.Nominate(8)).state.candidates == (7, 8)


@pytest.mark.parametrize("key", AFTER)
def test_the_host_asks_for_names_after_the_speeches(key: str) -> None:
    assert refused(at(key, Phase.SPEECHES), m.Nominate(7)).reason == "after-speeches"
    introductions = made(dealt(RULESETS[key]), m.Start())  # A17
    for move in (m.Nominate(3), m.OpenVote()):
        assert refused(introductions, move).reason == "not-now"


@pytest.mark.parametrize("key", NAMED)
def test_named_votes_need_living_people_and_change_once(key: str) -> None:
    assert refused(at(key, Phase.SPEECHES), m.Nominate(7)).reason == "by-voting"
    game = made(at(key, Phase.SPEECHES), m.VoteFor(4, 5))
    assert refused(game, m.VoteFor(4, 5)).reason == "no-change"
    assert refused(game, m.VoteFor(4, 3)).reason == "not-alive"
    assert refused(game, m.VoteFor(3, 4)).reason == "not-alive"
    game = made(game, m.VoteFor(4, None))
    assert refused(game, m.VoteFor(4, 6)).reason == "vote-final"  # C6
    assert [ballot.candidate for ballot in game.state.ballots] == [None]


@pytest.mark.parametrize("key", NAMED)
def test_an_early_end_of_the_day_names_who_has_not_voted(key: str) -> None:
    game = at(key, Phase.SPEECHES)
    assert refused(game, m.OpenVote()).reason == "speeches-not-over"
    game = at(key, Phase.VOTE)
    assert refused(game, m.OpenVote()).seats == FEW


@pytest.mark.parametrize("key", HANDS)
def test_there_are_only_so_many_hands(key: str) -> None:
    game = at(key, Phase.VOTE, (4, 5, 6))
    assert refused(game, m.CastVotes(8)).reason == "too-many-votes"
    assert refused(game, m.CastVotes(-1)).reason == "too-few-votes"
    game = made(game, m.CastVotes(5))
    assert refused(game, m.CastVotes(3)).reason == "too-many-votes"
    assert refused(game, m.VoteFor(4, 5)).reason == "not-now"
    assert refused(game, m.Next()).reason == "needs-answer"


@pytest.mark.parametrize("key", RULESETS)
def test_a_firm_question_waits_for_its_answer(key: str) -> None:
    game = made(at(key, Phase.SPEECHES), m.Remove(5))
    for move in (m.Next(), m.EndSpeech(), m.Warn(4), m.Leave(4), m.NewGame(), m.AddTime(10)):
        assert refused(game, move).reason == "needs-answer"
    assert 5 in made(game, m.Answer(False)).state.alive
    assert 5 not in made(game, m.Answer(True)).state.alive
    assert made(game, m.Propose(Offer.GO_ON)).state.question.ask is Ask.GO_ON  # type: ignore[union-attr]


@pytest.mark.parametrize("key", RULESETS)
def test_irreversible_steps_are_asked_back(key: str) -> None:
    game = at(key, Phase.SPEECHES)
    for move in (m.Remove(5), m.Leave(5), m.NewGame()):
        asked = made(game, move).state
        assert asked.question is not None and asked.question.firm
        assert asked.alive == game.state.alive and asked.phase is Phase.SPEECHES
    light = at(key, Phase.SPEECHES, host=Host.LIGHT)
    assert made(light, m.TellWinner("town")).state.outcome is None
    over = made(light, m.TellWinner("town"), m.Answer(True)).state
    assert over.outcome is not None and over.outcome.winner == "town"
    assert refused(game, m.TellWinner("town")).reason == "not-now"


@pytest.mark.parametrize("key", RULESETS)
def test_the_dead_are_neither_warned_nor_removed(key: str) -> None:
    game = at(key, Phase.SPEECHES)
    for move in (m.Warn(3), m.Leave(3), m.Remove(3), m.Warn(0), m.Warn(99), m.Remove(-1)):
        assert refused(game, move).reason == "not-alive"
    assert refused(game, m.Unwarn(4)).reason == "no-warnings"
    assert made(game, m.Warn(4), m.Unwarn(4)).state.warned(4) == 0


@pytest.mark.parametrize("key", RULESETS)
def test_wrong_cards_are_refused(key: str) -> None:
    rules = RULESETS[key]
    game = lobby(rules)
    right = list(cards(rules, rules.seats))
    for wrong in (
        right[:-1],
        [*right, Role.CIVILIAN],
        [Role.CIVILIAN if role is Role.SHERIFF else role for role in right],
        [Role.CIVILIAN if role is Role.DON else role for role in right],
        [Role.DON if role is Role.MAFIA else role for role in right],
        [Role.MANIAC if role is Role.CIVILIAN else role for role in right],
    ):
        assert refused(game, m.Deal(tuple(wrong))).reason == "wrong-cards"
    assert made(game, m.Deal(tuple(right))).state.roles == tuple(right)
    assert refused(lobby(rules, Host.LIGHT), m.Deal(tuple(right))).reason == "light"


@pytest.mark.parametrize("key", RULESETS)
def test_a_table_of_the_wrong_size_is_refused(key: str) -> None:
    rules = RULESETS[key]
    for seats in (0, 1, rules.seats_min - 1, rules.seats_max + 1, 99):
        assert refused(lobby(rules), m.SetUp(seats=seats)).reason == "wrong-seats"
    for seats in range(rules.seats_min, rules.seats_max + 1):
        assert made(lobby(rules), m.SetUp(seats=seats)).state.seats == seats


@pytest.mark.parametrize("key", RULESETS)
@pytest.mark.parametrize("seats", [0, 1, 99])
def test_a_new_ruleset_does_not_excuse_a_wrong_table(key: str, seats: int) -> None:
    assert refused(lobby(RULESETS[key]), m.SetUp(seats=seats, rules=RULESETS[key])).reason == "wrong-seats"


@pytest.mark.parametrize("key", RULESETS)
def test_nothing_to_pause_twice_or_answer_unasked(key: str) -> None:
    game = at(key, Phase.SPEECHES)
    assert refused(game, m.Resume()).reason == "not-paused"
    assert refused(made(game, m.Pause()), m.Pause()).reason == "paused"
    assert refused(game, m.Answer(True)).reason == "no-question"
    assert refused(at(key, Phase.NOMINATIONS), m.AddTime(10)).reason == "no-timer"


@pytest.mark.parametrize("key", RULESETS)
def test_a_check_needs_known_cards(key: str) -> None:
    place = m.Place("night-shooting", 3, True, FEW)
    game = made(lobby(RULESETS[key]), place, m.Next())
    assert refused(game, m.Choose(6)).reason


@pytest.mark.parametrize("key", RULESETS)
def test_a_shown_number_never_locks_the_night(key: str) -> None:
    """Whatever Plus and Minus show, «дальше» goes on, at once or with another number."""
    game = made(at(key, Phase.NIGHT_SHOOTING), m.Next(), m.Choose(5))
    assert game.state.phase is Phase.NIGHT_DON
    for _ in range(game.state.seats + 1):
        if m.Next() in legal(game.state):
            shown = play(game, m.Adjust(1), 0.0)
            if isinstance(shown, Refusal):
                return
            game = shown.game
    assert m.Next() in legal(game.state)


@pytest.mark.parametrize("key", RULESETS)
def test_a_moderator_who_keeps_the_cards_makes_the_box_forget_them(key: str) -> None:
    assert made(dealt(RULESETS[key]), m.SetUp(host=Host.LIGHT)).state.roles == ()
