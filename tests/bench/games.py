"""Whole games at random, by the thousand: `python -m tests.bench.games [GAMES]` (10,000 of each ruleset).

Every move goes through `play`; what the table does is drawn with a fixed seed, every accepted move is counted. Prints
games a second, moves a game, and what share each side won. A game that does not end within the bound stops the run.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

from narrator.game import moves as m
from narrator.game.guards import Refusal
from narrator.game.lobby import first_state
from narrator.game.moves import Move
from narrator.game.reducer import play
from narrator.game.roles import Host
from narrator.game.rulesets import RULESETS, Nominating, Ruleset, Voting
from narrator.game.state import Game, Phase, State
from narrator.game.tally import voters_missing
from narrator.wiring import deal_cards

BOUND = 3000
"""Moves in which every game must have ended."""


def drawn(state: State, dice: random.Random) -> Move:
    """What a random table does next; it may be refused, as at a real one."""
    living = state.living
    seat = dice.choice(living)
    chance = dice.random()
    if state.question is not None and state.question.firm:
        return m.Answer(chance < 0.5)
    if chance < 0.01 and state.phase is not Phase.LOBBY:
        return dice.choice((m.Warn(seat), m.Remove(seat), m.Leave(seat), m.Undo()))
    match state.phase:
        case Phase.SPEECHES if state.rules.nominating is Nominating.IN_SPEECH and chance < 0.4:
            return m.Nominate(seat)
        case Phase.NOMINATIONS if state.rules.nominating is Nominating.AFTER_SPEECHES and chance < 0.6:
            return m.Nominate(seat)
        case Phase.VOTE if state.rules.voting is Voting.NAMED:
            missing = voters_missing(state)
            among = state.candidates or living
            passes = state.vote is not None and state.vote.number == 1 and chance < 0.2
            return m.VoteFor(missing[0], None if passes else dice.choice(among)) if missing else m.OpenVote()
        case Phase.VOTE | Phase.LIFT:
            told = state.vote.told if state.vote is not None and state.phase is Phase.VOTE else 0
            return m.CastVotes(dice.randint(0, len(living) - told))
        case Phase.VICTIM_VOTE:
            return m.Choose(dice.choice(state.candidates))
        case Phase.BEST_MOVE:
            return m.Choose(dice.randint(1, state.seats)) if chance < 0.8 else m.Done()
        case Phase.NIGHT_SHOOTING | Phase.NIGHT_MANIAC if chance < 0.7:
            return m.Choose(0 if chance < 0.1 else seat)
        case Phase.NIGHT_DON | Phase.NIGHT_SHERIFF if chance < 0.5:
            return m.Choose(seat)
    return m.Next()


def one_game(rules: Ruleset, dice: random.Random) -> tuple[str, int]:
    """Play one game to its end. Returns the winner and the number of accepted moves."""
    game = Game(first_state())
    seats = dice.randint(rules.seats_min, rules.seats_max)
    accepted = 0

    def make(move: Move) -> None:
        nonlocal game, accepted
        result = play(game, move, float(accepted))
        if not isinstance(result, Refusal):
            game, accepted = result.game, accepted + 1

    make(m.SetUp(seats, rules, Host.FULL))
    make(deal_cards(game.state))
    make(m.Start())
    for _ in range(BOUND):
        if game.state.outcome is not None:
            return game.state.outcome.winner, accepted
        make(drawn(game.state, dice))
    raise SystemExit(f"{rules.key}: a game did not end within {BOUND} moves; it stands in {game.state.phase}.")


def main() -> None:
    """Play and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{'rules':8} {'games':>7} {'games/s':>8} {'moves':>6}  won by")
    for key, rules in RULESETS.items():
        dice = random.Random(1)
        began = time.perf_counter()
        results = [one_game(rules, dice) for _ in range(games)]
        took = time.perf_counter() - began
        won = Counter(winner for winner, _ in results)
        shares = ", ".join(f"{winner} {count / games:.1%}" for winner, count in won.most_common())
        moves = sum(count for _, count in results) / games
        print(f"{key:8} {games:>7} {games / took:>8.0f} {moves:>6.0f}  {shares}", flush=True)


if __name__ == "__main__":
    main()
