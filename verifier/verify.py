"""A log, and what a player kept of it, to a verdict (PROTOCOL.md, section V)."""

from collections.abc import Iterator, Sequence

from verifier.errors import Failure, InputError
from verifier.events import Match
from verifier.reading import Reading, read_log
from verifier.receipts import Receipts
from verifier.report import CHECK_OF, CHECKS, RANK, Check, Report, Status, Verdict
from verifier.roller import Roller
from verifier.seeds import commitment_of
from verifier.signatures import key_id_of, verify_head
from verifier.witness import Witness, weigh_receipts


def verify_log(
    data: bytes,
    receipts: Sequence[Receipts] = (),
    *,
    my_seed: str | None = None,
    key: str | None = None,
) -> Report:
    """Check one match log and say what it proves.

    ``data``: the log's bytes. ``receipts``: what players' devices kept of this match
    (:func:`verifier.read_receipts`). ``my_seed``: a player's own seed (64 hex digits), which must
    stand in the log. ``key``: the public key (64 hex digits) that the log must be signed with.

    Raises :class:`verifier.InputError` only where there is nothing to judge: the log is empty, too
    long or has no whole line, or ``my_seed`` is a commitment pasted in a seed's place.
    """
    reading = read_log(data, rewrite=True)
    missing: dict[str, str] = {}  # check -> why it could not be made
    failures = list(reading.failures)
    witness = Witness()
    match = reading.match
    if match is None:
        missing = dict.fromkeys(CHECKS, "no-match-line")
    elif match.seeding == "chained":
        missing = dict.fromkeys(CHECKS, "seeding-unsupported")
    else:
        failures += _signature_failures(reading, match)
        failures += _seed_failures(reading, match)
        if why := _dice_missing(reading, failures):
            missing["dice"] = why
        else:
            failures += _dice_failures(reading, match)
        witness = weigh_receipts(reading, match, receipts)
        failures += witness.failures
        failures += _own_failures(reading, match, my_seed, key)
        missing |= _not_asked(reading, match, receipts, my_seed, key)
    failures.sort(key=lambda f: (reading.count if f.seq is None else f.seq, RANK[f.code]))
    return _report(reading, failures, missing, witness)


def _signature_failures(reading: Reading, match: Match) -> Iterator[Failure]:
    key_id = key_id_of(match.public_key)
    if match.key_id != key_id:
        yield Failure("key-id-mismatch", 0, "key_id", expected=key_id, found=match.key_id)
    for seq, line in reading.signatures:
        if line.key_id != key_id:
            yield Failure("key-id-mismatch", seq, "key_id", expected=key_id, found=line.key_id)
        elif line.seq != seq - 1:
            yield Failure("signature-head", seq, "seq", expected=str(seq - 1), found=str(line.seq))
        elif line.head != reading.head(seq - 1) and seq not in reading.broken_links:
            expected = reading.head(seq - 1)
            yield Failure("signature-head", seq, "head", expected=expected, found=line.head)
        elif not verify_head(match.public_key, match.match_id, line.seq, line.head, line.sig):
            yield Failure("signature-invalid", seq, "sig")
        # Nothing after it fixes the last line: its time must follow from the line it signs (G4).
        signed = reading.events.get(seq - 1)
        if signed and line.time != signed.time:
            yield Failure("signature-time", seq, "time", expected=signed.time, found=line.time)


def _seed_failures(reading: Reading, match: Match) -> Iterator[Failure]:
    commitments = {match.commitment}
    for player, (seq, commitment) in sorted(reading.commitments.items(), key=lambda item: item[1]):
        if commitment in commitments:
            yield Failure("commitments-equal", seq, "commitment", found=commitment)
        commitments.add(commitment)
        if player in reading.seeds:
            seed_seq, seed = reading.seeds[player]
            if commitment_of(seed) != commitment:
                found = commitment_of(seed)
                yield Failure("seed-mismatch", seed_seq, "seed", expected=commitment, found=found)
    if reading.reveal:
        seq, seed = reading.reveal
        if commitment_of(seed) != match.commitment:
            yield Failure(
                "server-seed-mismatch",
                seq,
                "server_seed",
                expected=match.commitment,
                found=commitment_of(seed),
            )


def _dice_missing(reading: Reading, failures: list[Failure]) -> str:
    """Why the dice cannot be recomputed; "" if they can."""
    if not reading.reveal:
        return "not-revealed"
    if len(reading.seeds) < 2:
        return "seeds-not-open"
    if any(f.code in ("server-seed-mismatch", "seed-mismatch") for f in failures):
        return "seed-not-committed"
    return "" if reading.roll_count else "no-rolls"


def _dice_failures(reading: Reading, match: Match) -> Iterator[Failure]:
    assert reading.reveal is not None
    seeds = (reading.seeds[0][1], reading.seeds[1][1])
    roll = Roller(reading.reveal[1], match.match_id, seeds)
    for seq, line in reading.rolls:
        if (dice := roll(line.index)) != line.dice:
            yield Failure(
                "dice-mismatch",
                seq,
                "dice",
                line.index,
                expected="{}-{}".format(*dice),
                found="{}-{}".format(*line.dice),
            )


def _own_failures(
    reading: Reading, match: Match, my_seed: str | None, key: str | None
) -> Iterator[Failure]:
    if my_seed and reading.reveal and my_seed == reading.reveal[1]:
        raise InputError(
            "seed-is-the-services",
            "{seed} is the service's seed, not a player's: give the one that your device made",
            seed=my_seed,
        )
    if my_seed in (match.commitment, *(text for _, text in reading.commitments.values())):
        raise InputError(
            "seed-is-commitment",
            "{seed} is a commitment (a fingerprint), not a seed: give the seed itself, which your "
            "device made and opened after both fingerprints were signed",
            seed=str(my_seed),
        )
    if my_seed and len(reading.seeds) == 2 and not _stands(my_seed, reading):
        yield Failure("my-seed-absent", min(seq for seq, _ in reading.seeds.values()), "seed")
    if key and key != match.public_key:
        yield Failure("key-other", 0, "public_key", expected=key, found=match.public_key)


def _stands(my_seed: str | None, reading: Reading) -> bool:
    return any(my_seed == seed for _, seed in reading.seeds.values())


def _not_asked(
    reading: Reading,
    match: Match,
    receipts: Sequence[Receipts],
    my_seed: str | None,
    key: str | None,
) -> dict[str, str]:
    """The checks that nothing was given for, or that the log does not reach; the first why each."""
    out_of_order = any(CHECK_OF[failure.code] == "order" for failure in reading.failures)
    conditions = (
        ("order", "line-unreadable", reading.unreadable),
        ("plays", "dice-only", match.rules is None),
        ("plays", "line-unreadable", reading.unreadable),
        ("plays", "out-of-order", out_of_order),
        ("commitment", "not-revealed", not reading.reveal),
        ("player_seeds", "direct-seeding", match.seeding == "direct"),
        ("player_seeds", "seeds-not-open", len(reading.seeds) < 2),
        ("signatures", "not-signed", not reading.signatures),
        ("receipt", "no-receipt", not receipts),
        ("my_seed", "not-given", not my_seed),
        ("my_seed", "seeds-not-open", len(reading.seeds) < 2 and not _stands(my_seed, reading)),
        ("key", "not-given", not key),
    )
    missing: dict[str, str] = {}
    for check, why, applies in conditions:
        if applies:
            missing.setdefault(check, why)
    return missing


def _report(
    reading: Reading, failures: list[Failure], missing: dict[str, str], witness: Witness
) -> Report:
    broken = {CHECK_OF[failure.code] for failure in failures}
    checks = []
    for name in CHECKS:
        if name in broken:
            checks.append(Check(name, Status.FAILED))
        elif why := missing.get(name, ""):
            checks.append(Check(name, Status.NOT_CHECKED, why))
        else:
            checks.append(Check(name, Status.PASSED))
    match = reading.match
    recomputed = "dice" not in missing
    verdict, why = _verdict(reading, failures, anchored=witness.anchored, dice_checked=recomputed)
    return Report(
        verdict,
        why,
        tuple(checks),
        tuple(failures),
        match_id=match.match_id if match else "",
        seeding=match.seeding if match else "",
        players=match.players if match else ("", ""),
        key_id=match.key_id if match else "",
        lines=reading.count,
        rolls=reading.roll_count if recomputed else 0,
        head=reading.head(reading.count - 1),
        reason=reading.end.reason if reading.end else "",
        anchored=witness.anchored,
        proof=witness.proof,
    )


def _verdict(
    reading: Reading, failures: list[Failure], *, anchored: bool, dice_checked: bool
) -> tuple[Verdict, str]:
    """The verdict, and what keeps it from being a better one (V1, V2)."""
    if failures:
        plays_only = all(CHECK_OF[failure.code] == "plays" for failure in failures)
        return Verdict.FAILED, "plays-only" if plays_only and dice_checked else ""
    for short, why in (
        (reading.cut, "cut-short"),
        (not reading.end, "not-ended"),
        (not reading.reveal, "not-revealed"),
        (not reading.over, "not-signed"),
    ):
        if short:
            return Verdict.INCOMPLETE, why
    if not reading.roll_count:
        return Verdict.CONSISTENT, "no-rolls"
    if reading.match and reading.match.seeding == "direct":
        return Verdict.CONSISTENT, "direct-seeding"
    if not anchored:
        return Verdict.CONSISTENT, "not-anchored"
    return Verdict.VERIFIED, ""
