"""Run inside GNU Backgammon (``gnubg -t -q -r -p gnubg_plays.py``): its legal plays.

Reads JSON Lines from the file named by ``IN``: ``[opp, me, dice]``, each side 25 counts on its own
points, the last the bar. Writes to ``OUT``, for each, the list of positions ``[me, opp]`` that its
plays lead to. What it plays is a money game with the mover on roll.
"""

import json
import os
from pathlib import Path

import gnubg  # type: ignore[import-not-found]  # it exists inside GNU Backgammon only

Side = list[int]

for setting in (
    "automatic game off",
    "automatic roll off",
    "automatic move off",
    "automatic bearoff off",
    "player 0 human",
    "player 1 human",
    "confirm new off",
    "display off",
    "evaluation chequerplay evaluation plies 0",
    "evaluation chequerplay evaluation cubeful off",
    "evaluation chequerplay evaluation prune off",
):
    gnubg.command("set " + setting)
gnubg.command("new session")


def after(me: Side, opp: Side, steps: list[tuple[int, int]]) -> list[Side]:
    me, opp = list(me), list(opp)
    for start, end in steps:
        me[start - 1] -= 1
        if end >= 1:
            me[end - 1] += 1
            if opp[24 - end]:
                opp[24 - end] -= 1
                opp[24] += 1
    return [me, opp]


with Path(os.environ["IN"]).open() as positions, Path(os.environ["OUT"]).open("w") as out:
    for line in positions:
        opp, me, dice = json.loads(line)
        gnubg.command(f"set gnubgid {gnubg.positionid((opp, me))}:cAkAAAAAAAAA")
        gnubg.command(f"set dice {dice[0]} {dice[1]}")
        try:
            hint = gnubg.hint(5000)
        except Exception:  # noqa: BLE001  whatever it raises: nothing can be played
            hint = {}
        plays = hint.get("hint", []) if hint and hint.get("hinttype") == "chequer" else []
        results = [after(me, opp, gnubg.parsemove(play["move"])) for play in plays]
        out.write(json.dumps(results) + "\n")
