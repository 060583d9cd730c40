"""The match as a pure state machine: a state and a command to the lines to append, or a refusal.

A state is the fold of a log's lines and of nothing else. Each ``decide_*`` function takes the
state, what is asked and what it needs from outside (the time, the secret, the signature
function), and returns new :class:`Line` values that belong together, or :class:`Standing`: it
was done before, and there stands its line. It raises :class:`Refusal` for anything else, so
that a repeat is never a second act (PROTOCOL.md, section O, says which order the log has).
"""

from typing import Literal, NamedTuple

from dice_service.draft import Draft, Sign, checked, invalid, rule_refused
from dice_service.errors import Refusal
from dice_service.state import Line, State, begin, written
from verifier.dice import roll as dice_of
from verifier.events import (
    EndReason,
    Match,
    MatchEnd,
    Player,
    Purpose,
    Roll,
    Seed,
    SeedCommitment,
)
from verifier.refereed import refuse_rules
from verifier.rules.events import Reason
from verifier.rules.match import WITHOUT_WINNER
from verifier.seeds import commitment_of


class Standing(NamedTuple):
    """What was asked for stands in the log already, at line ``seq``."""

    seq: int


Decision = list[Line] | Standing


def decide_open(match: Match, *, sign: Sign) -> list[Line]:
    """The first two lines of a new match: itself, and the signature over it."""
    if match.seeding == "chained":
        raise Refusal("seeding-unsupported", "Seeding is committed or direct; chained comes later.")
    if match.rules is None and match.options:
        raise invalid("options", "Options are of a rule set; with rules null there are none.")
    first = checked(match)
    if (failure := refuse_rules(match)) is not None:
        assert failure.rule is not None
        raise rule_refused(failure.rule, failure.code)
    draft = Draft(begin(first), match.time)
    draft.sign(sign)
    return [first, *draft.lines]


def same_opening(state: State, match: Match) -> bool:
    """Whether a match was opened with the same words (the service's own part aside)."""
    old, new = state.match, match
    return (old.seeding, old.rules, old.length, old.options, old.players) == (
        new.seeding,
        new.rules,
        new.length,
        new.options,
        new.players,
    )


def decide_commit(
    state: State, player: Player, commitment: str, *, time: str, sign: Sign
) -> Decision:
    """A player's commitment; with the second comes the signature over both."""
    if (standing := state.commitments[player]) is not None:
        if standing == commitment:
            return Standing(state.commitment_seqs[player])
        raise Refusal("commitment-differs", f"Player {player} committed to another seed before.")
    refuse_ended(state)
    if state.match.seeding != "committed":
        raise Refusal("not-due", f"In {state.match.seeding} seeding players commit to nothing.")
    if commitment in (state.match.commitment, *state.commitments):
        raise Refusal("commitments-equal", "This is another party's commitment: make a seed.")
    draft = Draft(state, time)
    draft.add(checked(SeedCommitment(state.head, time, player, commitment)))
    if None not in draft.state.commitments:
        draft.sign(sign)
    return draft.lines


def decide_seed(state: State, player: Player, seed: str, *, time: str) -> Decision:
    """A player's seed, opened once everyone has committed (PROTOCOL.md, section O)."""
    if (standing := state.seeds[player]) is not None:
        if standing == seed:
            return Standing(state.seed_seqs[player])
        raise Refusal("seed-differs", f"Player {player} opened another seed before.")
    refuse_ended(state)
    if state.phase != "seeds":
        raise Refusal("not-due", instead(state))
    line = checked(Seed(state.head, time, player, seed))
    committed = state.commitments[player]
    if committed is not None and commitment_of(seed) != committed:
        raise Refusal(
            "seed-not-committed", f"The SHA-256 of this seed's 32 bytes is not {committed}."
        )
    return [line]


def decide_roll(
    state: State,
    index: int,
    purpose: Purpose,
    player: Player | None,
    *,
    secret: bytes,
    time: str,
) -> Decision:
    """Roll ``index`` of a dice-only match: the next one, or one that was rolled before.

    Whether a repeat asks for the same is for :func:`refuse_other_roll`, once its line is read.
    """
    if state.play is not None:
        raise Refusal("refereed-match", "Its rolls are asked for as actions: …/actions/{n}.")
    if index < state.rolls:
        return Standing(state.first_roll + index)
    refuse_ended(state)
    seed_0, seed_1 = state.seeds
    if seed_0 is None or seed_1 is None:
        raise Refusal("not-due", instead(state))
    if index > state.rolls:
        raise Refusal("roll-index-gap", f"Roll {state.rolls} is the next one, not {index}.")
    if purpose == "opening" and player is not None:
        raise invalid("player", "An opening roll is both players'; player must be null.")
    dice = dice_of(secret, state.match.match_id, seed_0, seed_1, index)
    return [written(Roll(state.head, time, index, purpose, player, dice))]


def refuse_other_roll(roll: Roll, purpose: Purpose, player: Player | None) -> None:
    """Raise :class:`Refusal` unless the roll that stands was asked for in the same words."""
    if (roll.purpose, roll.player) != (purpose, player):
        standing = "null" if roll.player is None else roll.player
        raise Refusal(
            "roll-differs",
            f"Roll {roll.index} was made before with purpose {roll.purpose}, player {standing}.",
        )


def decide_end(
    state: State,
    reason: EndReason,
    winner: Player | None,
    *,
    secret: bytes,
    time: str,
    sign: Sign,
) -> Decision:
    """The end, the reveal and the last signature: of a dice-only match, or a refereed one early."""
    if state.end:
        if (state.end.reason, state.end.winner) == (reason, winner):
            return Standing(state.end_seq)
        stands = "null" if state.end.winner is None else state.end.winner
        raise Refusal("end-differs", f"It ended by {state.end.reason}, winner {stands}.")
    if reason == "score":
        raise invalid("reason", "Score ends a refereed match, by itself; it cannot be asked for.")
    if reason == "abort" and winner is not None:
        raise invalid("winner", "An aborted match has no winner; winner must be null.")
    if reason != "abort" and state.phase != "rolling":
        raise Refusal("not-due", f"{instead(state)} Until then it can only end by abort.")
    draft = Draft(state, time)
    if state.play is None:
        draft.add(checked(MatchEnd(state.head, time, winner, reason, None)))
    else:
        _end_refereed(draft, reason, winner)
    draft.close(secret, sign)
    return draft.lines


def _end_refereed(
    draft: Draft, reason: Reason | Literal["finished"], winner: Player | None
) -> None:
    """An early end (rules, R28)."""
    if reason == "finished":
        raise Refusal("refereed-match", "Its score ends it, by itself; only early ends are told.")
    if winner is None and reason not in WITHOUT_WINNER:
        raise Refusal("refereed-match", f"There somebody wins by {reason}; say who.")
    assert draft.state.play is not None
    for event in draft.state.play.ending(reason, winner):
        draft.happen(event)


def refuse_ended(state: State) -> None:
    """Raise :class:`Refusal` if the match is over."""
    if state.end:
        raise Refusal("match-ended", f"The match ended by {state.end.reason}.")


def instead(state: State) -> str:
    """What is due, as a sentence."""
    return f"Due now: {', '.join(state.due)}."
