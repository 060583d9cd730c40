"""``dice-verify FILE.mat --rules NAME``: a match file of another program, which holds no proof."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from verifier.commands import matchfiles
from verifier.commands.console import FAILED, INCOMPLETE, NOTHING_PROVES, OK, Console, rules_given
from verifier.errors import InputError
from verifier.formats.faults import FAULTS, REMARKS, UNFINISHED, Fault
from verifier.formats.replay import Replay, replay
from verifier.formats.transcript import Transcript, Turn
from verifier.rules.messages import MESSAGES, RuleError
from verifier.rules.rulesets import RULE_SETS
from verifier.sentences import Speaker, mark, printable

_VERDICTS: Final[Mapping[int, tuple[str, str, str]]] = {
    OK: ("LEGAL", "✔", mark("LEGAL")),
    FAILED: ("FAILED", "✖", mark("FAILED")),
    INCOMPLETE: ("INCOMPLETE", "?", mark("INCOMPLETE")),
}
_MOST_FAULTS: Final = 20


def run(name: str, data: bytes, given: argparse.Namespace) -> int:
    """Replay a match file under the rules given and tell what was found; the exit status."""
    console = Console.of(given)
    try:
        _check_rules(given.rules)
        replayed = replay(matchfiles.read(data), *rules_given(given.rules, given.option))
    except (InputError, RuleError) as error:
        return console.refuse(name, error)
    status = status_of(replayed)
    if console.as_json:
        console.result(_plain(name, status, replayed, console.speaker))
    else:
        for line in _told(name, status, replayed, console.speaker):
            console.line(line)
    return status


def _check_rules(rules: str | None) -> None:
    if rules is None:
        text = mark(
            "this is a match file of another program, which holds no proof of its dice; to check "
            "its plays and scores give --rules NAME, one of {known}"
        )
        raise InputError("rules-missing", text, known=", ".join(RULE_SETS))


def status_of(replayed: Replay) -> int:
    """0 if nothing breaks a rule, 1 if something does, 3 if the end is missing."""
    codes = {fault.code for fault in replayed.faults}
    if codes - set(REMARKS) - set(UNFINISHED):
        return FAILED
    return INCOMPLETE if codes & set(UNFINISHED) else OK


def sentence(fault: Fault, speaker: Speaker) -> str:
    """What a fault means, in a clause that a line's number can stand before."""
    if fault.code in FAULTS:
        text, params = FAULTS[fault.code], {"found": fault.found, "expected": fault.expected}
        return speaker.say(text, **{key: printable(value) for key, value in params.items()})
    message = MESSAGES[fault.code]
    text = message.tr if speaker.language == "tr" else message.en
    params = {key: printable(str(value)) for key, value in fault.params.items()}
    found = f"{printable(fault.found)}: " if fault.found else ""
    return found + text.format(**params)


def _told(name: str, status: int, replayed: Replay, speaker: Speaker) -> Iterator[str]:
    say, transcript = speaker.say, replayed.transcript
    _, sign, verdict = _VERDICTS[status]
    yield f"{sign} {say(verdict)}  {printable(name)}"
    yield say(NOTHING_PROVES)
    faults = sorted(replayed.faults, key=lambda fault: fault.code in REMARKS)
    for fault in faults[:_MOST_FAULTS]:
        where = say(mark("Line {line}"), line=fault.line) if fault.line else say(mark("The file"))
        yield f"  {where}: {sentence(fault, speaker)}"
    if len(faults) > _MOST_FAULTS:
        more = len(faults) - _MOST_FAULTS
        yield "  " + say(mark("… and {count} more (--json lists them all)"), count=more)
    yield ""
    names = [printable(player) or "?" for player in transcript.players]
    yield say(
        mark("{players}; rules {rules}; {games} games, score {score}"),
        players=" – ".join(names),
        rules=replayed.rules.name,
        games=len(replayed.games),
        score="{}–{}".format(*replayed.score),
    )
    yield say(
        mark("{judged} of {rolls} rolls were played legally"),
        judged=replayed.judged,
        rolls=transcript.rolls,
    )
    for player, dice in enumerate(_dice(transcript)):
        yield "  " + say(
            mark(
                "{player}: {rolls} rolls, {doubles} doubles, {pips} pips a roll; ones to sixes: "
                "{faces}"
            ),
            player=names[player],
            rolls=dice["rolls"],
            doubles=dice["doubles"],
            pips=dice["pips_per_roll"],
            faces=" ".join(map(str, dice["faces"])),
        )


def _plain(name: str, status: int, replayed: Replay, speaker: Speaker) -> dict[str, Any]:
    transcript = replayed.transcript
    return {
        "file": name,
        "exit_status": status,
        "verdict": _VERDICTS[status][0],
        "dice_proved": False,
        "why": speaker.say(NOTHING_PROVES),
        "rules": replayed.rules.name,
        "length": transcript.length,
        "players": list(transcript.players),
        "games": len(replayed.games),
        "rolls": transcript.rolls,
        "legal_plays": replayed.judged,
        "score": list(replayed.score),
        "faults": [
            {
                "line": fault.line,
                "code": fault.code,
                "breach": fault.code not in REMARKS and fault.code not in UNFINISHED,
                "found": fault.found,
                "expected": fault.expected,
                "message": sentence(fault, speaker),
            }
            for fault in replayed.faults
        ],
        "dice": list(_dice(transcript)),
    }


def _dice(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """Each player's dice, counted. A double is moved four times, and counts so."""
    for player in (0, 1):
        rolls = [
            action.dice
            for game in transcript.games
            for action in game.actions
            if isinstance(action, Turn) and action.player == player
        ]
        faces = Counter(die for dice in rolls for die in dice)
        doubles = sum(first == second for first, second in rolls)
        pips = sum(sum(dice) * (2 if dice[0] == dice[1] else 1) for dice in rolls)
        yield {
            "rolls": len(rolls),
            "doubles": doubles,
            "pips_per_roll": round(pips / len(rolls), 2) if rolls else 0.0,
            "faces": [faces[face] for face in range(1, 7)],
        }
