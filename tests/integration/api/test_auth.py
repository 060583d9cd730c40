"""Who may not do what. Each line of a table is one "may not"."""

import asyncio
from typing import Any

import pytest

from dice_service import apikeys
from dice_service.api.auth import Authenticator
from dice_service.errors import Refusal
from dice_service.storage import ApiKeyRow
from tests.support.api import COMMITMENTS, NOW, PLAYERS, SEEDS, Api

pytestmark = pytest.mark.anyio

COMMIT: dict[str, Any] = {"commitment": COMMITMENTS[0]}
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("m-1", PLAYERS),
    ("m-1/players/0/commitment", COMMIT),
    ("m-1/players/0/seed", {"seed": SEEDS[0]}),
    ("m-1/rolls/0", {}),
    ("m-1/end", {"reason": "abort"}),
]
READS = ["m-1", "m-1/log", "m-1/receipt"]
ABSENT = "no-such-match"


async def bearers(api: Api) -> dict[str, str | None]:
    """Everyone who may come, for the open match m-1 of the owner club."""
    tokens = await api.open("m-1")
    others = (await api.put("m-2", PLAYERS, await api.key("rival"))).json()["tokens"]
    owner = await api.key()
    return {
        "nobody": None,
        "owner": owner,
        "same owner, another key": await api.key("club", apikeys.READ, apikeys.WRITE),
        "reading key": await api.key("club", apikeys.READ),
        "writing key": await api.key("club", apikeys.WRITE),
        "other owner": await api.key("rival"),
        "other admin": await api.key("rival", apikeys.ADMIN),
        "player 0": tokens[0],
        "player 1": tokens[1],
        "player elsewhere": others[0],
        "wrong key": owner[:-1] + ("A" if owner[-1] != "A" else "B"),
        "no key": "zk_short",
        "no token": "zp_" + "A" * 43,
        "another scheme's": "eyJhbGciOiJIUzI1NiJ9",
    }


UNKNOWN = ("wrong key", "no key", "another scheme's")
OUTSIDERS = ("other owner", "other admin", "player elsewhere", "no token")


@pytest.mark.parametrize(("place", "body"), WRITES)
@pytest.mark.parametrize("who", ["nobody", *UNKNOWN])
async def test_no_write_without_valid_credentials(
    api: Api, place: str, body: dict[str, Any], who: str
) -> None:
    bearer = (await bearers(api))[who]
    answer = await api.send("PUT", place, bearer, json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "not-authenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("place", [*READS, "/v1/matches"])
@pytest.mark.parametrize("who", ["nobody", *UNKNOWN])
async def test_no_reading_of_an_open_match_without_valid_credentials(
    api: Api, place: str, who: str
) -> None:
    answer = await api.send("GET", place, (await bearers(api))[who])
    assert answer.status_code == 401


@pytest.mark.parametrize(("place", "body"), WRITES[1:])
@pytest.mark.parametrize("who", OUTSIDERS)
async def test_an_outsiders_write_is_answered_as_for_no_match(
    api: Api, place: str, body: dict[str, Any], who: str
) -> None:
    bearer = (await bearers(api))[who]
    here = await api.send("PUT", place, bearer, json=body)
    nowhere = await api.send("PUT", place.replace("m-1", ABSENT), bearer, json=body)
    assert alike(here) == alike(nowhere)
    assert here.status_code == 404


@pytest.mark.parametrize("place", READS)
@pytest.mark.parametrize("who", [*OUTSIDERS, "nobody", "reading key", "writing key"])
async def test_an_outsiders_read_is_answered_as_for_no_match(
    api: Api, place: str, who: str
) -> None:
    bearer = (await bearers(api))[who]
    here = await api.send("GET", place, bearer)
    nowhere = await api.send("GET", place.replace("m-1", ABSENT), bearer)
    if who in OUTSIDERS:
        assert here.status_code == 404
    if who in (*OUTSIDERS, "nobody"):
        assert alike(here) == alike(nowhere)
    else:
        assert nowhere.status_code == 404


def alike(answer: Any) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that an answer tells, but for its own id."""
    headers = [pair for pair in answer.headers.multi_items() if pair[0] != "x-request-id"]
    return answer.status_code, answer.content, headers


@pytest.mark.parametrize(
    ("who", "place", "body"),
    [
        ("player 1", *WRITES[1]),
        ("player 1", *WRITES[2]),
        ("owner", *WRITES[1]),
        ("owner", *WRITES[2]),
        ("same owner, another key", *WRITES[2]),
        ("player 0", *WRITES[0]),
        ("player 0", *WRITES[3]),
        ("player 1", *WRITES[3]),
        ("player 0", *WRITES[4]),
        ("reading key", *WRITES[0]),
        ("reading key", *WRITES[3]),
        ("reading key", *WRITES[4]),
    ],
)
async def test_a_member_may_not_do_anothers_part(
    api: Api, who: str, place: str, body: dict[str, Any]
) -> None:
    answer = await api.send("PUT", place, (await bearers(api))[who], json=body)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("place", [*READS[:2], "/v1/matches"])
async def test_a_key_that_only_writes_does_not_read(api: Api, place: str) -> None:
    assert (await api.send("GET", place, (await bearers(api))["writing key"])).status_code == 403


async def test_a_player_does_not_list(api: Api) -> None:
    assert (
        await api.send("GET", "/v1/matches", (await bearers(api))["player 0"])
    ).status_code == 403


@pytest.mark.parametrize("who", ["owner", "same owner, another key", "reading key", "player 0"])
async def test_members_read(api: Api, who: str) -> None:
    bearer = (await bearers(api))[who]
    for place in READS[:2]:
        assert (await api.send("GET", place, bearer)).status_code == 200


async def test_an_admin_key_does_all_that_its_owner_may(api: Api) -> None:
    admin = await api.key("club", apikeys.ADMIN)
    assert (await api.put("m-1", PLAYERS, admin)).status_code == 201
    assert (await api.send("GET", "m-1", admin)).status_code == 200


async def test_a_match_id_that_another_owner_used_is_taken(api: Api) -> None:
    await api.open("m-1")
    answer = await api.put("m-1", PLAYERS, await api.key("rival"))
    assert (answer.status_code, answer.json()["code"]) == (409, "match-exists-differently")
    assert "zp_" not in answer.text


@pytest.mark.parametrize("who", [None, "other owner", "player elsewhere"])
async def test_a_finished_match_is_read_by_anyone(api: Api, who: str | None) -> None:
    everyone = await bearers(api)
    await api.put("m-1/end", {"reason": "abort"})
    for place in READS[:2]:
        answer = await api.send("GET", place, everyone[who] if who else None)
        assert answer.status_code == 200


async def test_a_finished_match_is_still_written_by_its_owner_only(api: Api) -> None:
    everyone = await bearers(api)
    await api.put("m-1/end", {"reason": "abort"})
    answer = await api.send("PUT", "m-1/end", everyone["other owner"], json={"reason": "abort"})
    assert answer.status_code == 404


@pytest.mark.parametrize("header", ["Basic eDp5", "Bearer", "Bearer ", "zk_abc", "bearer zk_ä"])
async def test_other_credentials_than_bearer_ones_are_refused(api: Api, header: str) -> None:
    await api.open("m-1")
    headers = {b"authorization": header.encode("latin-1")}
    answer = await api.http.get("/v1/matches/m-1", headers=headers)
    assert answer.status_code == 401


class _Rows:
    """Only what an authenticator asks of a storage."""

    def __init__(self, row: ApiKeyRow) -> None:
        self.row: ApiKeyRow | None = row
        self.asked = 0

    async def api_key(self, key_id: str) -> ApiKeyRow | None:
        self.asked += 1
        return self.row if self.row and self.row.key_id == key_id else None


async def test_a_revoked_key_stops_within_two_seconds_here_and_on_the_hot_path() -> None:
    text, row = apikeys.make("club", (apikeys.WRITE,), NOW)
    rows, now = _Rows(row), [100.0]
    auth = Authenticator(rows, clock=lambda: now[0])
    header = f"Bearer {text}"
    assert auth.known_owner(header.encode()) is None  # not before it was looked up
    await auth.caller(header)
    now[0] += 1.9
    await auth.caller(header)
    assert (rows.asked, auth.known_owner(header.encode())) == (1, "club")
    rows.row = ApiKeyRow(row.key_id, row.owner, row.scopes, row.hash, NOW, revoked_at=NOW)
    now[0] += 0.2
    assert auth.known_owner(header.encode()) is None
    with pytest.raises(Refusal) as caught:
        await auth.caller(header)
    assert caught.value.code == "not-authenticated"
    assert auth.known_owner(header.encode()) is None


async def test_a_key_in_constant_use_is_looked_up_before_it_is_due_once_at_a_time() -> None:
    text, row = apikeys.make("club", (apikeys.WRITE,), NOW)
    rows, now = _Rows(row), [100.0]
    auth = Authenticator(rows, clock=lambda: now[0])
    header = f"Bearer {text}".encode()
    await auth.caller(header.decode())
    forged = header[:19] + b"A" * 43
    for _ in range(3):
        now[0] += 1.5
        assert auth.known_owner(forged) is None
        assert [auth.known_owner(header) for _ in range(5)] == ["club"] * 5
        await asyncio.sleep(0)  # the look-up runs
        await asyncio.sleep(0)  # and is taken note of
    assert rows.asked == 4


async def test_the_hot_path_knows_no_owner_without_the_scope_or_the_secret() -> None:
    text, row = apikeys.make("club", (apikeys.READ,), NOW)
    auth = Authenticator(_Rows(row))
    await auth.caller(f"Bearer {text}")
    assert auth.known_owner(f"Bearer {text}".encode()) is None
    writing, row = apikeys.make("club", (apikeys.WRITE,), NOW)
    auth = Authenticator(_Rows(row))
    await auth.caller(f"Bearer {writing}")
    forged = writing[:12] + "A" * 43
    assert auth.known_owner(f"Bearer {writing}".encode()) == "club"
    assert auth.known_owner(f"Bearer {forged}".encode()) is None
