"""Runs inside GNU Backgammon (``gnubg -p``): opens each file in LIST, says what it read in OUT."""

import json
import os
from pathlib import Path

import gnubg  # type: ignore[import-not-found]  # it exists inside GNU Backgammon only

for setting in ("set confirm new off", "set confirm save off", "set display off"):
    gnubg.command(setting)
with Path(os.environ["OUT"]).open("w") as out:
    for name in Path(os.environ["LIST"]).read_text().split():
        gnubg.command("new session")
        gnubg.command(f'{"load match" if name.endswith("sgf") else "import mat"} "{name}"')
        out.write(json.dumps([name, gnubg.match(0, 0, 1, 0)]) + "\n")
