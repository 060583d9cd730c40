"""Honest matches raise no alarm: a thousand of them, and every one at every moment on the way."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.honest import matches
from tests.support.scribe import Scribe
from tests.vectors.source.case import joined
from verifier import Verdict, read_receipts, verify_log


def kept(scribe: Scribe) -> bytes:
    """Everything a device keeps of a match; of one aborted early there is no opening receipt."""
    committed = scribe.lines[3:4] and scribe.lines[3].startswith(b'{"type":"seed_commitment"')
    opening = scribe.opening if scribe.seeding == "direct" or committed else b""
    numbers = [n for n, line in enumerate(scribe.lines) if line.startswith(b'{"type":"roll"')]
    return opening + b"".join(map(scribe.receipt, numbers))


@given(matches())
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_thousand_honest_matches_raise_no_alarm(scribe: Scribe) -> None:
    receipts = [read_receipts(kept(scribe))] if kept(scribe) else []
    report = verify_log(
        scribe.data, receipts, my_seed=scribe.seeds[0].hex(), key=scribe.public_key.hex()
    )
    assert report.failures == ()
    if scribe.rolled:
        direct = scribe.seeding == "direct"
        verdict = Verdict.CONSISTENT if direct else Verdict.VERIFIED
        assert (report.verdict, report.rolls) == (verdict, scribe.rolled)
        assert verify_log(scribe.data).why == ("direct-seeding" if direct else "not-anchored")
    else:
        assert (report.verdict, report.why) == (Verdict.CONSISTENT, "no-rolls")


@given(matches(most_rolls=8), st.data())
@settings(max_examples=200, deadline=None)
def test_an_honest_match_read_on_the_way_is_incomplete(scribe: Scribe, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, len(scribe.lines) - 1))
    receipts = [read_receipts(kept(scribe))] if kept(scribe) else []
    report = verify_log(joined(scribe.lines[:count]), receipts, my_seed=scribe.seeds[1].hex())
    assert (report.verdict, report.failures) == (Verdict.INCOMPLETE, ())
