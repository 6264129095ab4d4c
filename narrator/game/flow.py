"""The course of a game: the next speaker, the end of a phase, a vote's result, the morning, the end.

Pieces that `settle` and the moves put together; each takes one step and leaves what follows to `settle`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from narrator.game import night, tally, timing
from narrator.game.events import (
    BestMoveAsked,
    CandidateUp,
    CountWord,
    DayBroke,
    DeathsAsked,
    DeathsTold,
    GameEnded,
    Greeted,
    LiftAsked,
    LiftDecided,
    NobodyOut,
    NoVote,
    SpeechBegan,
    SpeechesOver,
    Tied,
    VictimAsked,
    VoteBegan,
    VotedOut,
    VotesCounted,
)
from narrator.game.outcome import outcome
from narrator.game.roles import Host, Seat
from narrator.game.rulesets import FirstNight, Nominating, Opener, Removal, Ties, Voting
from narrator.game.state import BestMove, Count, Death, Outcome, Phase, State, Vote
from narrator.game.turn import Turn


def end_game(turn: Turn, result: Outcome) -> None:
    """The game is over; a speech that was going on ends with it."""
    turn.end_speech()
    turn.set(outcome=result, phase=Phase.GAME_OVER, timer=None, paused=False)
    turn.set(question=None, vote=None, entry=None, call=None)
    turn.emit(GameEnded(result))


# --- speeches ----------------------------------------------------------------------------------------------------


def speak(turn: Turn) -> bool:
    """The next speaker of the phase, or the phase's end. Returns whether anything followed."""
    state = turn.state
    if state.speaker is not None:
        return False
    if not state.queue:
        _AFTER_SPEECHES[state.phase](turn)
        return True
    seat, *rest = state.queue
    seconds = speech_seconds(state, seat)
    turn.set(queue=tuple(rest), entry=None)
    turn.emit(SpeechBegan(state.phase, seat, seconds))
    if state.phase is Phase.SPEECHES:
        turn.set(muted=state.muted - {seat})
    if seconds:
        turn.set(speaker=seat, timer=timing.speech(seconds, state.rules.warn_at), paused=False)
    return True


def speech_seconds(state: State, seat: Seat) -> float:
    """How long `seat` may speak now; 0 if a warning has cost him this speech [F: 30 s at three or four alive]."""
    rules = state.rules
    if state.phase is Phase.INTRODUCTIONS:
        return rules.introduction
    if state.phase is Phase.TIE_SPEECH:
        return rules.tie_speech
    if state.phase is Phase.LAST_WORD:
        return rules.last_word_voted if state.words_lead_to is Phase.NIGHT_SHOOTING else rules.last_word_killed
    if seat in state.muted:
        return rules.short_speech if len(state.alive) <= 4 and rules.short_speech < rules.speech else 0
    return rules.speech


def begin_day(turn: Turn) -> None:
    """The day's speeches, from today's opener."""
    state = turn.state
    order = _order(state)
    turn.set(
        phase=Phase.SPEECHES,
        opener=order[0] if order else 0,
        queue=order,
        speaker=None,
        timer=None,
        vote=None,
        nominations=(),
        named=frozenset(),
        ballots=(),
        last_counts=(),
        call=None,
        entry=None,
    )


def _order(state: State) -> tuple[Seat, ...]:
    living = state.living
    if state.rules.opener is Opener.FIRST_SEAT or not state.opener or not living:
        return living
    first = next((seat for seat in living if seat > state.opener), living[0])
    return tuple(s for s in living if s >= first) + tuple(s for s in living if s < first)


def begin_game(turn: Turn) -> None:
    """The first thing after «начинаем»: day 1 with introductions [A], or the mafia's night [B, C, F]."""
    state = turn.state
    if state.rules.first_night is FirstNight.AFTER_DAY_ONE:
        turn.set(day=1, phase=Phase.INTRODUCTIONS, queue=state.living)
        turn.emit(Greeted())
    else:
        night.begin(turn, meeting=True)


def _introductions_over(turn: Turn) -> None:
    night.begin(turn, meeting=True)


def _speeches_over(turn: Turn) -> None:
    rules = turn.state.rules
    turn.set(phase=Phase.NOMINATIONS, entry=None)
    turn.emit(SpeechesOver(turn.state.candidates, rules.nominating is Nominating.AFTER_SPEECHES))


def _tie_speeches_over(turn: Turn) -> None:
    vote = turn.state.vote
    assert vote is not None
    if turn.state.rules.ties is Ties.CATASTROPHE and len(turn.state.alive) % 2 == 0:
        turn.set(phase=Phase.LIFT, entry=None)
        turn.emit(LiftAsked(vote.candidates))
    else:
        begin_round(turn, vote)


def _last_words_over(turn: Turn) -> None:
    if turn.state.words_lead_to is Phase.SPEECHES:
        begin_day(turn)
    else:
        night.begin(turn, meeting=False)


_AFTER_SPEECHES: dict[Phase, Callable[[Turn], None]] = {
    Phase.INTRODUCTIONS: _introductions_over,
    Phase.SPEECHES: _speeches_over,
    Phase.TIE_SPEECH: _tie_speeches_over,
    Phase.LAST_WORD: _last_words_over,
}


# --- the vote ----------------------------------------------------------------------------------------------------


def open_vote(turn: Turn) -> None:
    """Names are closed: the vote, or the night if there is nothing to vote on."""
    state = turn.state
    rules = state.rules
    candidates = state.candidates
    needed = rules.candidates_day_one if state.day <= 1 else rules.candidates_later
    cancelled = state.day in state.no_vote
    if cancelled or (rules.voting is Voting.HANDS and len(candidates) < needed):
        turn.emit(NoVote(candidates, cancelled))
        night.begin(turn, meeting=False)
    else:
        begin_round(turn, Vote(candidates))


def begin_round(turn: Turn, vote: Vote) -> None:
    """A round of voting among `vote.candidates`."""
    turn.set(
        phase=Phase.VOTE,
        vote=replace(vote, word=0),
        speaker=None,
        timer=None,
        paused=False,
        entry=None,
        hands=frozenset(),
    )
    if vote.number > 1:
        turn.set(ballots=())
    turn.emit(VoteBegan(vote.candidates, vote.number))


def candidate_up(turn: Turn) -> None:
    """The next candidate is voted on: «раз», and the clock counts on. The last one is not asked for."""
    vote = turn.state.vote
    assert vote is not None and vote.up is not None
    if len(vote.counts) == len(vote.candidates) - 1:
        rest = Count(vote.up, max(len(turn.state.alive) - vote.told, 0))
        turn.set(vote=replace(vote, counts=(*vote.counts, rest)), timer=None)
        turn.emit(CandidateUp(vote.up, True))
        turn.emit(VotesCounted(rest, rest=True))
        return
    turn.set(vote=replace(vote, word=1, fresh=0), entry=None)
    turn.emit(CandidateUp(vote.up, False))
    turn.emit(CountWord(1))
    turn.start_pause(turn.state.rules.count_step, timing.Kind.COUNT)


def count_word(turn: Turn) -> None:
    """The clock says the next of «раз, два, три»; hands are read at «три» and closed a beat later [A]."""
    vote = turn.state.vote
    assert vote is not None
    if vote.word == 3:
        turn.set(timer=None)
        if vote.by_hands or turn.state.host is Host.NONE:
            close_candidate(turn, min(vote.fresh, len(turn.state.alive) - vote.told))
        return
    word = vote.word + 1
    hands = _new_hands(turn.state) if word == 3 else frozenset()
    turn.set(vote=replace(vote, word=word, counted=vote.counted | hands, fresh=len(hands)))
    turn.emit(CountWord(word))
    # the count keeps its beat: the next second begins now, not when the word has sounded
    turn.set(timer=timing.started(timing.pause(turn.state.rules.count_step, timing.Kind.COUNT), turn.at))


def _new_hands(state: State) -> frozenset[Seat]:
    vote = state.vote
    assert vote is not None
    return (state.hands & state.alive) - vote.counted


def close_candidate(turn: Turn, votes: int) -> None:
    """Write down the hands for the candidate that is up, go on to the next."""
    vote = turn.state.vote
    assert vote is not None and vote.up is not None
    count = Count(vote.up, votes)
    turn.set(vote=replace(vote, counts=(*vote.counts, count), word=0), timer=None, entry=None)
    turn.emit(VotesCounted(count, rest=False))


def count(turn: Turn) -> bool:
    """The next candidate of a counted vote, or its result. Returns whether anything followed."""
    state = turn.state
    vote = state.vote
    assert vote is not None
    if state.rules.voting is Voting.NAMED:
        return False
    if len(vote.candidates) < min(state.rules.candidates_later, 2):
        nobody_out(turn)  # the other one has been removed
        return True
    if vote.up is None:
        result(turn, vote, tally.leaders(vote.counts))
        return True
    if vote.word == 0:
        candidate_up(turn)
        return True
    return False


def result(turn: Turn, vote: Vote, leading: tuple[Seat, ...]) -> None:
    """What the leaders of a round lead to."""
    state = turn.state
    counts = vote.counts or tally.ballot_counts(state.ballots, tally.voted_for(state))
    turn.set(last_counts=counts)
    if not leading:
        nobody_out(turn)
        return
    if len(leading) == 1:
        voted_out(turn, leading)
        return
    step = tally.tie_step(turn.state, vote, leading)
    turn.emit(Tied(leading, step is tally.TieStep.SPEECHES))
    following = Vote(leading, vote.number + 1, spoken=step is tally.TieStep.SPEECHES)
    if step is tally.TieStep.SPEECHES:
        turn.set(phase=Phase.TIE_SPEECH, vote=following, queue=leading, speaker=None, timer=None)
    elif step is tally.TieStep.ROUND:
        begin_round(turn, following)
    elif step is tally.TieStep.LIFT:
        turn.set(phase=Phase.LIFT, vote=following, timer=None, entry=None)
        turn.emit(LiftAsked(leading))
    elif step is tally.TieStep.VICTIM:
        victim = night.last_victim(turn.state)
        if victim is None:
            nobody_out(turn)
        else:
            turn.set(phase=Phase.VICTIM_VOTE, vote=following, timer=None, entry=None)
            turn.emit(VictimAsked(victim, leading))
    else:
        nobody_out(turn)


def decide(turn: Turn) -> bool:
    """Last night's victim has nothing to decide when only one of the tied is left at the table."""
    if len(turn.state.candidates) > 1:
        return False
    nobody_out(turn)
    return True


def decide_lift(turn: Turn, leave: bool, votes: int | None) -> None:
    """All the tied leave, or all stay."""
    vote = turn.state.vote
    assert vote is not None
    turn.emit(LiftDecided(vote.candidates, leave, votes))
    if leave:
        voted_out(turn, vote.candidates)
    else:
        nobody_out(turn)


def nobody_out(turn: Turn) -> None:
    """The vote sends nobody away: night."""
    turn.emit(NobodyOut())
    night.begin(turn, meeting=False)


def voted_out(turn: Turn, seats: tuple[Seat, ...]) -> None:
    """`seats` leave by vote; last words if the rules give them, then the night."""
    state = turn.state
    if state.day == 1 and len(seats) > 1:
        turn.set(best_move_lost=True)
    turn.set(vote=None, timer=None, speaker=None, entry=None)
    turn.emit(VotedOut(seats))
    turn.depart(seats)
    turn.set(
        phase=Phase.LAST_WORD, words_lead_to=Phase.NIGHT_SHOOTING, queue=seats if state.rules.last_word_voted else ()
    )


def end_vote(turn: Turn) -> None:
    """A removal has cancelled the vote that is going on."""
    turn.end_speech()
    turn.emit(NoVote(turn.state.candidates, True))
    night.begin(turn, meeting=False)


# --- the morning -------------------------------------------------------------------------------------------------


def end_night_step(turn: Turn) -> None:
    """The current role sleeps; after the last one the morning comes."""
    if not night.end_step(turn):
        morning(turn)


def morning(turn: Turn) -> None:
    """Masks off: who died is told at once, together (or, in light hosting, asked for)."""
    state = turn.state
    dead = night.deaths(state)
    shooting = state.night is not None and Phase.NIGHT_SHOOTING in state.night.steps
    turn.set(phase=Phase.MORNING, day=state.day + 1, timer=None, entry=None)
    turn.emit(DayBroke(state.day + 1))
    if not shooting:
        turn.set(night=None, left_since=False)
        begin_day(turn)
    elif state.host is Host.LIGHT:
        turn.emit(DeathsAsked())
    else:
        assert state.night is not None
        turn.set(misses=0 if state.night.shot else state.misses + 1)
        tell_deaths(turn, dead)


def tell_deaths(turn: Turn, dead: tuple[Death, ...]) -> None:
    """The night's dead leave the table; best move, last words, the day."""
    seats = tuple(death.seat for death in dead)
    state = turn.state
    removed = state.night.removed if state.night is not None else frozenset()
    quiet = 0 if seats or removed else 1 if state.left_since else state.quiet + 1
    if state.night is not None and removed == {state.night.shot}:
        turn.set(no_vote=state.no_vote - {state.day})  # he was killed anyway [F]
    turn.emit(DeathsTold(dead))
    turn.depart(seats)
    turn.set(died=dead, night=None, quiet=quiet, left_since=False)
    state = turn.state
    rules = state.rules
    turn.set(phase=Phase.LAST_WORD, words_lead_to=Phase.SPEECHES, queue=seats if rules.last_word_killed else ())
    if outcome(state) is None and rules.best_move and seats and state.shootings == 1 and not state.best_move_lost:
        victim = next((death.seat for death in dead if death.by == "mafia"), None)
        if victim is not None:
            turn.set(phase=Phase.BEST_MOVE, best_move=BestMove(victim))
            turn.emit(BestMoveAsked(victim))


def cancel_vote(turn: Turn) -> None:
    """A removal's effect on the vote, by policy."""
    state = turn.state
    if state.rules.removal is Removal.VOTE_STANDS:
        return
    in_vote = state.phase in (Phase.VOTE, Phase.TIE_SPEECH, Phase.LIFT, Phase.VICTIM_VOTE)
    evening = state.phase.is_night or (state.phase is Phase.LAST_WORD and state.words_lead_to is Phase.NIGHT_SHOOTING)
    if not evening:
        turn.set(no_vote=state.no_vote | {state.day})
        if in_vote:
            end_vote(turn)
    elif state.rules.removal is Removal.CANCELS_NEXT:
        turn.set(no_vote=state.no_vote | {state.day + 1})
