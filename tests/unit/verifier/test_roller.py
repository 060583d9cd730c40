"""The fast way to a roll is the formula's."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from verifier.dice import LIMIT, roll
from verifier.roller import Roller

SEEDS = st.binary(min_size=32, max_size=32)


@given(SEEDS, SEEDS, SEEDS, st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True), st.integers(0))
def test_it_gives_the_dice_of_the_formula(
    secret: bytes, one: bytes, two: bytes, match_id: str, index: int
) -> None:
    seeds = (one.hex(), two.hex())
    assert Roller(secret.hex(), match_id, seeds)(index) == roll(secret, match_id, *seeds, index)


@given(SEEDS, st.integers(0, 10**9), st.integers(0, 200))
def test_many_rolls_in_a_row_are_those_one_by_one(secret: bytes, start: int, count: int) -> None:
    roller = Roller(secret.hex(), "m", ("0" * 64, "1" * 64))
    ends, firsts, seconds = roller.rolls(start, start + count)
    one_by_one = [roll(secret, "m", "0" * 64, "1" * 64, start + more) for more in range(count)]
    assert list(zip(firsts, seconds, strict=True)) == one_by_one
    assert ends == tuple(f"{start + more}:0".encode() for more in range(count))


def test_a_digest_with_one_die_is_left_to_the_formula() -> None:
    """None is known, so the digest is given here."""
    roller = Roller("ab" * 32, "m", ("0" * 64, "1" * 64))
    formula = roll(bytes.fromhex("ab" * 32), "m", "0" * 64, "1" * 64, 7)
    assert roller._read(b"\xff" * 31 + b"\x00", 7) == formula


def test_it_does_where_bytes_are_skipped_too() -> None:
    secret, one, two = (hashlib.sha256(name).digest() for name in (b"s", b"0", b"1"))
    roller = Roller(secret.hex(), "m", (one.hex(), two.hex()))
    skipping = [index for index in range(400) if max(roller.digest(index)[:2]) >= LIMIT]
    assert len(skipping) > 4
    for index in skipping:
        assert roller(index) == roll(secret, "m", one.hex(), two.hex(), index)
