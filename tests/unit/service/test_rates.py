"""The rate limits' arithmetic, worked by hand, and what an address is counted as."""

import pytest

from dice_service.api import rates
from dice_service.api.rates import Limit, address_group


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def told(limit: Limit, key: object) -> list[str]:
    return [value.decode() for _, value in limit.headers(key)]


def test_a_quota_of_six_a_minute_comes_back_one_in_ten_seconds(clock: Clock) -> None:
    limit = Limit("key", 6, clock=clock)
    assert [limit.take("a") for _ in range(6)] == [0.0] * 6
    assert limit.take("a") == pytest.approx(10.0)
    clock.now += 4
    assert limit.take("a") == pytest.approx(6.0)
    assert limit.take("b") == 0.0  # another's quota is another
    clock.now += 6
    assert limit.take("a") == 0.0
    assert limit.take("a") == pytest.approx(10.0)
    clock.now += 3600
    assert [limit.take("a") for _ in range(6)] == [0.0] * 6  # not more than a quota is saved up


def test_what_a_client_is_told_is_what_it_gets(clock: Clock) -> None:
    limit = Limit("key", 6, clock=clock)
    assert told(limit, "a") == ['"key";q=6;w=60', '"key";r=6;t=0']
    for _ in range(2):
        limit.take("a")
    assert told(limit, "a")[1] == '"key";r=4;t=20'
    for _ in range(5):
        limit.take("a")
    assert told(limit, "a")[1] == '"key";r=0;t=10'
    clock.now += 9.5
    assert told(limit, "a")[1] == '"key";r=0;t=1'
    clock.now += 0.5
    assert told(limit, "a")[1] == '"key";r=1;t=50'


@pytest.mark.parametrize("quota", [1, 7, 600, 3000, 1_000_000])
def test_of_any_quota_as_many_come_at_once_and_no_more(clock: Clock, quota: int) -> None:
    limit = Limit("key", quota, clock=clock)
    count = min(quota, 5000)
    for done in range(count):
        assert told(limit, "a")[1].startswith(f'"key";r={quota - done};')
        assert limit.take("a") == 0.0
    assert (limit.take("a") > 0) == (count == quota)


def test_what_came_at_once_past_the_limit_is_paid_back(clock: Clock) -> None:
    limit = Limit("key", 6, clock=clock)
    for _ in range(8):  # as many requests that were all let in before one was counted
        limit.charge("a")
    assert limit.wait("a") == pytest.approx(30.0)


def test_the_memory_has_an_end_and_what_is_spent_is_forgotten(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "SIZE", 100)
    limit = Limit("address", 1, clock=clock)
    for number in range(10_000):
        limit.take(number)
    assert len(limit._young) + len(limit._old) <= 200
    assert limit.take(9_999) > 0  # the last hundred are known still
    clock.now += 61
    limit.take("x")
    clock.now += 61
    limit.take("y")
    assert len(limit._young) + len(limit._old) <= 2


def test_a_key_stays_counted_over_a_turn_of_the_halves(clock: Clock) -> None:
    limit = Limit("key", 1, clock=clock)
    clock.now += 59
    assert limit.take("a") == 0.0
    clock.now += 2  # past the first turn
    limit.take("b")
    assert limit.take("a") == pytest.approx(58.0)
    clock.now += 57
    assert limit.take("a") == pytest.approx(1.0)
    clock.now += 2
    assert limit.take("a") == 0.0


@pytest.mark.parametrize(
    ("host", "group"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("testclient", "unknown"),
        ("1" * 10_000, "unknown"),
    ],
)
def test_an_ipv6_address_is_counted_by_its_64(host: str, group: str) -> None:
    assert address_group(host) == group
