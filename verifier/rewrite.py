"""The quick way through an honest log: write its rolls again, and see that the bytes are the same.

Everything in a dice-only match's roll lines but the time (and whom the game server names as the
roller) follows from the seeds and the line before. So the run of them is written anew, hash by
hash, and compared as a whole. Where a single byte differs nothing is concluded: the caller reads
the log line by line and says what is wrong. A test holds both ways to each other.
"""

import hashlib
import re

from verifier.dice import FACES, LIMIT
from verifier.events import TIME_PATTERN
from verifier.roller import Roller

ROLL = b'{"type":"roll",'
_FACE = [str(byte % FACES + 1) for byte in range(LIMIT)]
_TIME_AT = len('{"type":"roll","prev":"') + 64 + len('","time":"')
_TIME_LENGTH = len("2026-11-30T18:00:00.000Z")
_PLAYER_AT = len(',"purpose":"turn","player":')  # from the end of the index
_WHO = {
    "n": ',"purpose":"turn","player":null,"dice":[',
    "0": ',"purpose":"turn","player":0,"dice":[',
    "1": ',"purpose":"turn","player":1,"dice":[',
    "r": ',"purpose":"opening","player":null,"dice":[',  # the "r" of "player", three letters on
}
_TIME = re.compile(TIME_PATTERN)
_DIGITS = set("0123456789")


def rewrite_rolls(
    run: bytes, prev: str, match_id: str, seeds: tuple[str, str], secret: str
) -> tuple[int, str] | None:
    """How many roll lines a run holds and the hash of the last, if it is what the seeds give.

    ``run``: the bytes from the first roll line to the last, each with its line end; ``prev``: the
    hash of the line before; the players' seeds and the service's as 64 hex digits. None if any
    byte is not what must stand there.
    """
    text = run.decode("ascii", errors="replace")
    roller = Roller(secret, match_id, seeds)
    digest_of, copy_hash = roller.digest, hashlib.sha256().copy
    times: list[str] = []
    at, index, size = 0, 0, len(text)
    while at < size:
        digest = digest_of(index)
        first, second = digest[0], digest[1]
        if first < LIMIT > second:
            dice = f"{_FACE[first]},{_FACE[second]}"
        else:
            dice = "{},{}".format(*roller(index))
        time = text[at + _TIME_AT : at + _TIME_AT + _TIME_LENGTH]
        start = f'{{"type":"roll","prev":"{prev}","time":"{time}","index":{index}'
        who = _WHO.get(text[at + len(start) + _PLAYER_AT : at + len(start) + _PLAYER_AT + 1])
        line = f"{start}{who}{dice}]}}".encode()
        if not run.startswith(line, at):
            return None
        hasher = copy_hash()
        hasher.update(line)
        prev = hasher.hexdigest()
        times.append(time)
        at += len(line) + 1
        index += 1
    # No line holds a line end, so as many line ends as lines means one after each.
    whole = run.count(b"\n") == index and _times_hold("".join(times))
    return (index, prev) if whole else None


def _times_hold(times: str) -> bool:
    """Whether many times, one after the other, are all well formed.

    Each is what its first 13 characters (the hour) would be with digits after them, so each
    distinct hour is held to the pattern, and the rest column by column.
    """
    hours = {times[at : at + 13] for at in range(0, len(times), _TIME_LENGTH)}
    columns = [set(times[column::_TIME_LENGTH]) for column in range(13, _TIME_LENGTH)]
    tens = set("012345")
    wanted = [{":"}, tens, _DIGITS, {":"}, tens, _DIGITS, {"."}, _DIGITS, _DIGITS, _DIGITS, {"Z"}]
    return all(_TIME.fullmatch(f"{hour}:00:00.000Z") for hour in hours) and all(
        found <= allowed for found, allowed in zip(columns, wanted, strict=True)
    )
