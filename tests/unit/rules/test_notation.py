import json
from pathlib import Path
from typing import Any

import pytest

from verifier.rules.board import position
from verifier.rules.direct import check, read
from verifier.rules.messages import RuleError

VECTORS = Path(__file__).parents[2] / "vectors" / "rules"
ROWS = json.loads((VECTORS / "notation.json").read_text(encoding="utf-8"))


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["why"] for row in rows]


TAKEN = [row for row in ROWS if "canonical" in row]
REFUSED = [row for row in ROWS if "refused" in row]


@pytest.mark.parametrize("row", TAKEN, ids=ids(TAKEN))
def test_what_a_person_writes_is_read_as_the_one_canonical_text(row: dict[str, Any]) -> None:
    me, opp = position(row["me"], row["opp"])
    roll = tuple(row["dice"])
    played = read(me, opp, roll, row["written"])
    assert played.moves == row["canonical"]
    assert check(me, opp, roll, row["canonical"]) == (played.me, played.opp)


@pytest.mark.parametrize("row", REFUSED, ids=ids(REFUSED))
def test_what_cannot_be_read_is_refused_with_the_reason(row: dict[str, Any]) -> None:
    me, opp = position(row["me"], row["opp"])
    with pytest.raises(RuleError) as refusal:
        read(me, opp, tuple(row["dice"]), row["written"])
    assert refusal.value.code == row["refused"]


@pytest.mark.parametrize("row", TAKEN, ids=ids(TAKEN))
def test_a_log_takes_no_other_text(row: dict[str, Any]) -> None:
    """R10"""
    me, opp = position(row["me"], row["opp"])
    if row["written"] == row["canonical"]:
        return
    with pytest.raises(RuleError) as refusal:
        check(me, opp, tuple(row["dice"]), row["written"])
    assert refusal.value.code.startswith(("notation_", "play_"))
