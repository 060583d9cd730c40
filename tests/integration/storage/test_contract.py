"""What every storage must do, whatever the database."""

import asyncio
import dataclasses
from collections.abc import Callable

import pytest

from dice_service.storage import ApiKeyRow, Append, MatchRow, OpenMatch, Phase, Storage

pytestmark = pytest.mark.anyio

Open = Callable[[], Storage]


def row(
    match_id: str, owner: str = "club", opened_at: str = "t1", seeding: str = "direct"
) -> MatchRow:
    return MatchRow(
        match_id, owner, seeding, None, opened_at, None, "seeds", b"sealed", "key-1", "sign-1"
    )


def opening(match_id: str, **fields: str) -> Append:
    return Append(match_id, 0, (b'{"a":"\xc5\x9f"}', b"{}"), opening=row(match_id, **fields))


async def test_lines_come_back_as_they_were_written(storage: Storage) -> None:
    assert await storage.append([opening("m-1")]) == [True]
    assert await storage.append([Append("m-1", 2, (b"two",))]) == [True]
    assert await storage.lines("m-1") == [b'{"a":"\xc5\x9f"}', b"{}", b"two"]
    assert await storage.lines("m-1", 1) == [b"{}", b"two"]
    assert await storage.lines("m-1", 1, 1) == [b"{}"]
    assert await storage.lines("m-1", 3) == []
    assert await storage.lines("m-2") == []
    assert await storage.match("m-1") == row("m-1")
    assert await storage.match("m-2") is None


async def test_a_place_is_taken_once_and_the_others_of_the_batch_are_not_hurt(
    storage: Storage,
) -> None:
    await storage.append([opening("m-1"), opening("m-2")])
    batch = [
        Append("m-1", 2, (b"first",)),
        Append("m-1", 2, (b"second",)),
        Append("m-2", 2, (b"other",)),
        Append("m-1", 3, (b"next",)),
        opening("m-2", owner="rival"),
        opening("m-3"),
    ]
    assert await storage.append(batch) == [True, False, True, True, False, True]
    assert (await storage.lines("m-1"))[2:] == [b"first", b"next"]
    assert (await storage.lines("m-2"))[2:] == [b"other"]
    found = await storage.match("m-2")
    assert found is not None
    assert found.owner == "club"


async def test_a_group_of_lines_is_written_whole_or_not_at_all(storage: Storage) -> None:
    await storage.append([opening("m-1"), Append("m-1", 2, (b"two", b"three"))])
    late = Append("m-1", 1, (b"x", b"y", b"z", b"w"), phase="ended", ended_at="t9")
    ahead = Append("m-1", 3, (b"x", b"y"), phase="ended", ended_at="t9")
    assert await storage.append([late, ahead]) == [False, False]
    assert (await storage.lines("m-1"))[2:] == [b"two", b"three"]
    assert await storage.match("m-1") == row("m-1")


async def test_a_log_has_no_gap(storage: Storage) -> None:
    assert await storage.append([Append("m-1", 1, (b"x",))]) == [False]
    await storage.append([opening("m-1")])
    assert await storage.append([Append("m-1", 3, (b"x",))]) == [False]
    assert len(await storage.lines("m-1")) == 2


async def test_a_large_batch_is_one_too(storage: Storage) -> None:
    await storage.append([opening(f"m-{n}") for n in range(300)])
    batch = [Append(f"m-{n}", 2, (b"line of %d" % n,)) for n in range(300)]
    assert await storage.append([*batch, batch[7]]) == [True] * 300 + [False]
    assert (await storage.lines("m-299"))[2] == b"line of 299"


async def test_two_writers_never_both_win(open_storage: Open) -> None:
    one, two = open_storage(), open_storage()
    await one.append([opening("m-1")])
    for seq in range(2, 40):
        results = await asyncio.gather(
            one.append([Append("m-1", seq, (b"one",))]),
            two.append([Append("m-1", seq, (b"two",))]),
        )
        assert sorted(results) == [[False], [True]]
        (line,) = await two.lines("m-1", seq)
        assert line == (b"one" if results[0][0] else b"two")


async def test_phases_are_kept_and_listed(storage: Storage) -> None:
    await storage.append([opening("m-1"), opening("m-2")])
    await storage.append([Append("m-1", 2, (b"x",), phase="rolling")])
    await storage.append([Append("m-1", 3, (b"x",), phase="ended", ended_at="t9")])
    ended = dataclasses.replace(row("m-1"), phase="ended", ended_at="t9")
    assert await storage.match("m-1") == ended
    assert await storage.list_matches(phase="ended") == [ended]
    assert await storage.list_matches(phase="seeds") == [row("m-2")]
    assert await storage.list_matches(phase="commitments") == []


async def test_pages_hold_every_match_once_from_the_newest_on(storage: Storage) -> None:
    # Many share their time, as after a clock that jumped; ids decide then.
    matches = [
        row(
            f"m-{n:02}", ("club", "rival")[n % 2], f"t{n // 10}", ("direct", "committed")[n % 3 > 0]
        )
        for n in range(40)
    ]
    await storage.append([Append(m.match_id, 0, (b"x",), opening=m) for m in matches])

    async def pages(**wanted: str) -> list[str]:
        found: list[MatchRow] = []
        before = None
        while page := await storage.list_matches(
            owner=wanted.get("owner"), seeding=wanted.get("seeding"), before=before, limit=7
        ):
            found += page
            before = (page[-1].opened_at, page[-1].match_id)
        return [match.match_id for match in found]

    assert await pages() == [f"m-{n:02}" for n in reversed(range(40))]
    assert await pages(owner="rival") == [f"m-{n:02}" for n in reversed(range(1, 40, 2))]
    assert await pages(seeding="direct") == [f"m-{n:02}" for n in reversed(range(0, 40, 3))]


async def test_open_matches_are_listed_from_the_oldest_on_with_their_last_line(
    storage: Storage,
) -> None:
    times = {"m-1": "t3", "m-2": "t1", "m-3": "t2", "m-4": "t2", "m-5": "t4", "m-6": "t1"}
    await storage.append([opening(name, opened_at=time) for name, time in times.items()])
    await storage.append([Append("m-3", 2, ("ş".encode(), b"last"), phase="rolling")])
    await storage.append([Append("m-6", 2, (b"x",), phase="ended", ended_at="t9")])
    found = await storage.opened_until("t3")
    assert found == [
        OpenMatch("m-2", "t1", "seeds", 1, b"{}"),
        OpenMatch("m-3", "t2", "rolling", 3, b"last"),
        OpenMatch("m-4", "t2", "seeds", 1, b"{}"),
        OpenMatch("m-1", "t3", "seeds", 1, b"{}"),
    ]
    assert await storage.opened_until("t3", limit=2) == found[:2]
    assert await storage.opened_until("t3", ("t2", "m-3"), 2) == found[2:]
    assert await storage.opened_until("t0") == []


async def test_the_lines_of_many_matches_are_counted_at_once(storage: Storage) -> None:
    await storage.append([opening("m-1"), opening("m-2"), opening("m-3")])
    await storage.append([Append("m-2", 2, (b"two", b"three"))])
    assert await storage.line_counts(["m-2", "m-1", "nothing"]) == {"m-1": 2, "m-2": 4}
    assert await storage.line_counts([]) == {}


@pytest.mark.parametrize("phase", ["commitments", "seeds", "rolling", "ended"])
async def test_every_phase_can_be_stored(storage: Storage, phase: Phase) -> None:
    match = dataclasses.replace(row("m-1"), phase=phase)
    assert await storage.append([Append("m-1", 0, (b"x",), opening=match)]) == [True]
    assert await storage.match("m-1") == match


async def test_a_seal_is_replaced_only_where_the_old_one_stands(storage: Storage) -> None:
    await storage.append([opening("m-1"), opening("m-2")])
    others = await storage.sealed_under_other("key-2", 9)
    assert {m.match_id for m in others} == {"m-1", "m-2"}
    assert len(await storage.sealed_under_other("key-0", 1)) == 1
    assert await storage.sealed_under_other("key-1", 9) == []
    assert await storage.reseal(row("m-1"), b"new", "key-2")
    assert not await storage.reseal(row("m-1"), b"newer", "key-2")
    found = await storage.match("m-1")
    assert found == dataclasses.replace(row("m-1"), sealed=b"new", sealing_key_id="key-2")
    assert [m.match_id for m in await storage.sealed_under_other("key-2", 9)] == ["m-2"]


async def test_api_keys_are_added_once_and_revoked_once(storage: Storage) -> None:
    key = ApiKeyRow("abcd1234", "club", ("match:read", "match:write"), b"h" * 32, "t1")
    assert await storage.add_api_key(key)
    assert not await storage.add_api_key(dataclasses.replace(key, owner="rival"))
    assert await storage.api_key("abcd1234") == key
    assert await storage.api_key("nothing0") is None
    assert await storage.revoke_api_key("abcd1234", "t2")
    assert not await storage.revoke_api_key("abcd1234", "t3")
    assert not await storage.revoke_api_key("nothing0", "t3")
    assert await storage.api_keys() == [dataclasses.replace(key, revoked_at="t2")]


async def test_what_was_written_is_there_after_a_restart(open_storage: Open) -> None:
    first = open_storage()
    await first.append([opening("m-1")])
    await first.ping()
    assert await open_storage().match("m-1") == row("m-1")
