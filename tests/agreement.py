"""The direct check of one play against the enumeration of all, on positions of random games.

The tests do this on thousands of positions; ``make agreement`` on millions.
"""

import argparse
import time

from tests.unit.rules.positions import STYLES, random_positions
from verifier.rules.board import unpack
from verifier.rules.direct import check, text_of
from verifier.rules.messages import RuleError
from verifier.rules.moves import Style, legal_plays

_OTHERS = 40  # plays of the position before, tried on this one


def hold_together(seed: int, count: int, style: Style) -> None:
    """Every legal play is taken, and every play of another position as it deserves (R10, R12).

    Raises AssertionError with the position, the roll and the play that the two judge differently.
    """
    texts = [""]
    for me, opp, roll in random_positions(seed, count, style):
        legal = {
            text_of(opp, steps): result
            for result, steps in legal_plays(me, opp, roll, style).items()
        }
        for text, result in legal.items():
            assert check(me, opp, roll, text, style) == result, (
                unpack(me),
                unpack(opp),
                roll,
                text,
            )
        for text in texts:
            try:
                taken = check(me, opp, roll, text, style)
            except RuleError:
                assert text not in legal, (unpack(me), unpack(opp), roll, text)
                assert text or legal, (unpack(me), unpack(opp), roll)
            else:
                expected = legal[text] if legal else (me, opp)
                assert taken == expected, (unpack(me), unpack(opp), roll, text)
        texts = ["", *list(legal)[:_OTHERS]]


def main() -> None:
    """Say how many positions were held, every ten seconds; stop at the first disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=2_000_000)
    wanted = parser.parse_args().positions
    done, seed, told = 0, 1_000, time.monotonic()
    while done < wanted:
        for style in STYLES:
            hold_together(seed, min(2_500, wanted), style)
            done += min(2_500, wanted)
        seed += 1
        if time.monotonic() - told > 10:
            told = time.monotonic()
            print(f"{done:,} positions, no disagreement", flush=True)
    print(f"{done:,} positions under {len(STYLES)} styles of play: no disagreement")


if __name__ == "__main__":
    main()
