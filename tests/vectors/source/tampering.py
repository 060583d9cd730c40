"""Whole logs in which something does not hold: the chain, a signature, a seed, a die, the user."""

import hashlib

from tests.support.scribe import OTHER_KEY, PLAYER_SEEDS, SERVER_SEED, Scribe, honest, sha256
from tests.vectors.source.case import Case, Cases, changed, first_failure, joined
from verifier import events

LOG = honest(3)
ROLL, LAST = 8, 12
# The order of Ed25519's group (RFC 8032, 5.1): S plus this passes where nobody asks for S < L.
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
# The neutral point as a public key, and a "signature" that holds under it for every message.
WEAK_KEY = "01" + "00" * 31
BASE_POINT = "58" + "66" * 31
WEAK_SIGNATURE = BASE_POINT + "01" + "00" * 31


def cases() -> Cases:
    yield from _chain()
    yield from _signatures()
    yield from _seeds()
    yield from _dice()
    yield from _user()


def _one(
    name: str,
    shows: str,
    rules: str,
    log: bytes,
    *first: str | int,
    rolls: tuple[int, ...] = (),
    my_seed: str | None = None,
    key: str | None = None,
) -> Case:
    return Case(
        f"{name}_fail",
        shows,
        rules,
        log,
        first=first_failure(*first),
        failed_rolls=rolls,
        my_seed=my_seed,
        key=key,
    )


def _chain() -> Cases:
    lines = LOG.lines
    time = f":0{ROLL}.000Z"
    prev = lines[ROLL][23:87].decode()
    other = sha256(b"another line")
    yield _one(
        "line_changed",
        "a line changed after the next was tied to it",
        "L3 F4",
        changed(LOG, ROLL, time, ":59.000Z"),
        "prev-mismatch",
        ROLL,
    )
    yield _one(
        "prev_changed",
        "a line's own prev changed: the line after tells",
        "L3 F4",
        changed(LOG, ROLL, prev, other),
        "prev-mismatch",
        ROLL,
        "prev",
    )
    last = lines[LAST].decode()
    data = joined([*lines[:LAST], last.replace(last[28:92], other, 1).encode()])
    yield _one(
        "prev_of_the_last_changed",
        "the last line's prev: its own head tells",
        "L3 F4",
        data,
        "prev-mismatch",
        LAST,
        "prev",
    )
    yield _one(
        "reveal_changed",
        "the line before the last: prev and head both tell",
        "L3 F4",
        changed(LOG, LAST - 1, ":11.000Z", ":12.000Z"),
        "prev-mismatch",
        LAST - 1,
    )
    yield _one(
        "line_deleted",
        "a line taken out: the line before the gap is named",
        "L3 F4",
        joined(lines[:ROLL] + lines[ROLL + 1 :]),
        "prev-mismatch",
        ROLL - 1,
    )
    yield _one(
        "line_repeated",
        "a line twice: the second of the two is one too many",
        "L3 O4 F4",
        joined([*lines[:ROLL], lines[ROLL], *lines[ROLL:]]),
        "roll-index",
        ROLL + 1,
        "index",
    )
    swapped = [*lines[:ROLL], lines[ROLL + 1], lines[ROLL], *lines[ROLL + 2 :]]
    yield _one(
        "lines_swapped",
        "two lines in each other's place: on one line the order is told before the chain",
        "L3 F4",
        joined(swapped),
        "roll-index",
        ROLL,
        "index",
    )


def _signatures() -> Cases:
    scribe = Scribe(key_id="0" * 16).open().roll()
    yield _one(
        "key_id_of_the_match",
        "the match line's key_id is not its key's",
        "G2 F5",
        scribe.end().data,
        "key-id-mismatch",
        0,
        "key_id",
    )
    scribe = Scribe()
    scribe.key_id = "0" * 16
    yield _one(
        "key_id_of_a_signature",
        "a signature's key_id is not the key's",
        "G2 F5",
        scribe.sign().data,
        "key-id-mismatch",
        1,
        "key_id",
    )
    for name, seq, line, field in (
        ("seq", 4, LOG.lines[3], "seq"),
        ("earlier_line", 2, LOG.lines[2], "seq"),
        ("head", 3, b"another line", "head"),
    ):
        scribe, head = Scribe().sign().commit(0).commit(1), sha256(line)
        scribe.add(
            events.SignatureLine,
            seq=seq,
            head=head,
            key_id=scribe.key_id,
            time="2026-11-30T18:00:03.000Z",
            sig=scribe.signature(seq, head),
        )
        yield _one(
            f"signature_head_{name}",
            "a signature over another line than the one before",
            "G3 F5",
            scribe.data,
            "signature-head",
            4,
            field,
        )
    forged = Scribe()
    forged.key = OTHER_KEY
    yield _one(
        "signature_of_another_key",
        "signed with another key than the match line's",
        "G2",
        forged.sign().data,
        "signature-invalid",
        1,
        "sig",
    )
    sig = LOG.lines[LAST].decode()[-130:-2]
    high = int.from_bytes(bytes.fromhex(sig[64:]), "little") + GROUP_ORDER
    malleable = sig[:64] + high.to_bytes(32, "little").hex()
    yield _one(
        "signature_malleable",
        "S plus the group's order (RFC 8032, 5.1.7)",
        "G1",
        changed(LOG, LAST, sig, malleable),
        "signature-invalid",
        LAST,
        "sig",
    )
    yield _one(
        "signature_zero",
        "no signature at all",
        "G1",
        changed(LOG, LAST, sig, "0" * 128),
        "signature-invalid",
        LAST,
        "sig",
    )
    weak_id = hashlib.sha256(bytes.fromhex(WEAK_KEY)).hexdigest()[:16]
    weak = Scribe(public_key=WEAK_KEY, key_id=weak_id)
    weak.add(
        events.SignatureLine,
        seq=0,
        head=weak.head,
        key_id=weak_id,
        sig=WEAK_SIGNATURE,
        time="2026-11-30T18:00:00.000Z",
    )
    yield _one(
        "signature_under_a_weak_key",
        "a key under which everybody can sign",
        "G6",
        weak.data,
        "signature-invalid",
        1,
        "sig",
    )
    for name, seq in (("first", 1), ("last", LAST)):
        old = f":{seq - 1:02}.000Z"
        first = ("prev-mismatch", 1, "") if seq == 1 else ("signature-time", LAST, "time")
        yield _one(
            f"signature_time_{name}",
            "a signature has the time of the line it signs",
            "G4",
            changed(LOG, seq, old, ":58.000Z"),
            *first,
        )


def _seeds() -> Cases:
    other = hashlib.sha256(b"another seed").digest()
    scribe = Scribe().open()
    scribe.server_seed = other
    yield _one(
        "server_seed_other",
        "the service reveals a seed it did not commit to",
        "S2",
        scribe.roll().end().data,
        "server-seed-mismatch",
        9,
        "server_seed",
    )
    for player in (0, 1):
        scribe = Scribe().sign().commit(0).commit(1).sign()
        scribe.seeds = (other, PLAYER_SEEDS[1]) if player == 0 else (PLAYER_SEEDS[0], other)
        yield _one(
            f"seed_of_player_{player}_other",
            "a seed that was not committed to",
            "S2 S4",
            scribe.seed(0).seed(1).roll().end().data,
            "seed-mismatch",
            5 + player,
            "seed",
        )
    text = Scribe().sign()
    text.add(events.SeedCommitment, player=0, commitment=sha256(PLAYER_SEEDS[0].hex().encode()))
    yield _one(
        "commitment_of_hex_text",
        "a commitment to the seed's hex text, not its bytes",
        "S2",
        text.commit(1).sign().seed(0).seed(1).roll().end().data,
        "seed-mismatch",
        5,
        "seed",
    )
    mirrored = Scribe(seeds=(PLAYER_SEEDS[0], PLAYER_SEEDS[0]))
    yield _one(
        "commitments_equal_players",
        "player 1 mirrors player 0's commitment",
        "S3",
        mirrored.open().roll().end().data,
        "commitments-equal",
        3,
        "commitment",
    )
    mirrored = Scribe(seeds=(PLAYER_SEEDS[0], SERVER_SEED))
    yield _one(
        "commitments_equal_service",
        "player 1 mirrors the service's commitment",
        "S3",
        mirrored.open().roll().end().data,
        "commitments-equal",
        3,
        "commitment",
    )


def _dice() -> Cases:
    scribe = Scribe().open().roll().roll(_next_face(Scribe().open().dice(1))).roll()
    yield _one(
        "die_changed",
        "one die of one roll is another, all signed",
        "D1 F6",
        scribe.end().data,
        "dice-mismatch",
        8,
        "dice",
        rolls=(1,),
    )
    scribe = Scribe().open()
    for index in range(4):
        first, second = scribe.dice(index)
        scribe.roll((second, first))
    swapped = tuple(i for i in range(4) if len(set(scribe.dice(i))) == 2)  # all but doubles
    yield _one(
        "dice_swapped",
        "the two dice in each other's place",
        "D4 F6",
        scribe.end().data,
        "dice-mismatch",
        7 + swapped[0],
        "dice",
        rolls=swapped,
    )
    scribe = Scribe().open()
    for index in range(3):
        scribe.roll(scribe.dice(index + 1))
    yield _one(
        "dice_counted_from_1",
        "the dice of the next index: counted from 1",
        "D2 F6",
        scribe.end().data,
        "dice-mismatch",
        7,
        "dice",
        rolls=(0, 1, 2),
    )
    cut = Scribe().open().roll().roll(_next_face(Scribe().open().dice(1)))
    cut.end()
    yield _one(
        "die_changed_in_a_cut_log",
        "what can be checked of a cut log is",
        "F6 V1",
        joined(cut.lines[:-1]),
        "dice-mismatch",
        8,
        "dice",
        rolls=(1,),
    )


def _next_face(dice: tuple[int, int]) -> tuple[int, int]:
    return dice[0] % 6 + 1, dice[1]


def _user() -> Cases:
    own = hashlib.sha256(b"the seed that my device made").hexdigest()
    yield _one(
        "my_seed_replaced",
        "the user's seed is neither of the two in the log",
        "V3",
        LOG.data,
        "my-seed-absent",
        5,
        "seed",
        my_seed=own,
    )
    other = OTHER_KEY.public_key().public_bytes_raw().hex()
    yield _one(
        "key_other",
        "the log is not signed with the key that the user named",
        "V3",
        LOG.data,
        "key-other",
        0,
        "public_key",
        key=other,
    )
    yield Case("unreadable_commitment_for_seed", "a commitment given in the place of a seed", "V2",
               LOG.data, "", my_seed=sha256(PLAYER_SEEDS[0]))  # fmt: skip
