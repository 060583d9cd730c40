"""Lines that the grammar refuses: each an honest log with one line written otherwise."""

from tests.support.scribe import honest
from tests.vectors.source.case import Case, Cases, changed, first_failure, joined

LOG = honest(3)
# The lines of LOG by number.
MATCH, COMMITMENT, SEED, ROLL, END, REVEAL, LAST = 0, 2, 5, 8, 10, 11, 12


def cases() -> Cases:
    yield from _lines()
    yield from _fields()
    yield from _values()
    yield from _spellings()


def _one(name: str, shows: str, rules: str, log: bytes, *first: str | int) -> Case:
    return Case(f"{name}_fail", shows, rules, log, first=first_failure(*first))


def _lines() -> Cases:
    head, tail = LOG.lines[:ROLL], LOG.lines[ROLL:]
    long = b'{"type":"roll","note":"' + b"x" * 4096 + b'"}'
    yield _one(
        "line_too_long",
        "a line of more than 4096 bytes",
        "L1 F2",
        joined([*head, long, *tail[1:]]),
        "line-too-long",
        ROLL,
    )
    yield _one("line_blank", "a blank line", "F2", joined([*head, b"", *tail]), "line-blank", ROLL)
    yield _one(
        "line_blank_last", "a blank line at the end", "F2", LOG.data + b"\n", "line-blank", LAST + 1
    )
    yield _one("line_bom", "a byte order mark", "F2", b"\xef\xbb\xbf" + LOG.data, "line-bom", 0)
    yield _one(
        "line_carriage_return",
        "a line end of two bytes",
        "L2 F2",
        LOG.data.replace(b"\n", b"\r\n", 1),
        "line-carriage-return",
        0,
    )
    for name, raw in (("byte", b"\xff"), ("overlong", b"\xc0\xaf"), ("surrogate", b"\xed\xa0\x80")):
        yield _one(
            f"line_not_utf8_{name}",
            "bytes that are no UTF-8",
            "F2",
            changed(LOG, MATCH, "Bora", raw),
            "line-not-utf8",
            MATCH,
        )
    for name, old, new in (
        ("cut", '"dice":[', '"dice":'),
        ("nan", '"index":1', '"index":NaN'),
        ("infinity", '"index":1', '"index":-Infinity'),
        ("leading_zero", '"index":1', '"index":01'),
        ("comment", '"index":1', '/**/"index":1'),
        ("control", '"turn"', '"tu\trn"'),
        ("deep", '"index":1', f'"index":{"[" * 16}{"]" * 16}'),
    ):
        yield _one(
            f"line_not_json_{name}",
            "text that is no JSON (RFC 8259), or too deep",
            "F2",
            changed(LOG, ROLL, old, new),
            "line-not-json",
            ROLL,
        )
    for name, raw in (("array", b"[]"), ("text", b'"roll"'), ("null", b"null"), ("number", b"7")):
        yield _one(
            f"line_not_object_{name}",
            "JSON, but no object",
            "F2",
            joined([*head, raw, *tail[1:]]),
            "line-not-object",
            ROLL,
        )


def _fields() -> Cases:
    for name, seq, old, new, code, field in (
        ("field_duplicate", ROLL, '"player":', '"player":0,"player":', "field-duplicate", "player"),
        ("field_duplicate_same", ROLL, '"index":1', '"index":1,"index":1', "field-duplicate",
         "index"),
        ("field_duplicate_escaped", ROLL, '"index":1', '"index":1,"\\u0069ndex":1',
         "field-duplicate", "index"),
        ("field_duplicate_inside", MATCH, '"options":{}', '"options":{"a":1,"a":1}',
         "field-duplicate", "options.a"),
        ("field_duplicate_in_array", MATCH, '"players":[', '"players":[[{"a":1,"a":2}],',
         "field-duplicate", "players.a"),
        ("event_unknown", ROLL, '"roll"', '"throw"', "event-unknown", "type"),
        ("event_unknown_case", ROLL, '"roll"', '"Roll"', "event-unknown", "type"),
        ("event_unknown_number", ROLL, '"roll"', "1", "event-unknown", "type"),
        ("event_missing", ROLL, '"type":"roll",', "", "event-unknown", "type"),
        ("protocol_unknown", MATCH, '"zarf/1"', '"zarf/2"', "protocol-unknown", "protocol"),
        ("protocol_missing", MATCH, '"protocol":"zarf/1",', "", "field-missing", "protocol"),
        ("field_unknown", ROLL, '"dice":', '"note":1,"dice":', "field-unknown", "note"),
        ("field_unknown_escaped", ROLL, '"dice":', '"\\ud800":1,"dice":', "field-unknown",
         "\\ud800"),
        ("field_unknown_of_another_event", REVEAL, '"server_seed":', '"seed":"","server_seed":',
         "field-unknown", "seed"),
        ("field_missing", ROLL, '"player":null,', "", "field-missing", "player"),
        ("field_missing_time", ROLL, f'"time":"2026-11-30T18:00:0{ROLL}.000Z",', "",
         "field-missing", "time"),
        ("field_missing_prev", ROLL, f'"prev":"{LOG.lines[ROLL][23:87].decode()}",', "",
         "field-missing", "prev"),
        ("field_order", ROLL, '"purpose":"turn","player":null', '"player":null,"purpose":"turn"',
         "field-order", "player"),
        ("field_order_type", LAST, '"type":"signature",', "", "event-unknown", "type"),
    ):  # fmt: skip
        yield _one(
            name,
            "a field that is not as the table says",
            "L4 F2",
            changed(LOG, seq, old, new),
            code,
            seq,
            field,
        )
    line = LOG.lines[ROLL].replace(b'"type":"roll",', b"").replace(b"}", b',"type":"roll"}')
    data = joined([*LOG.lines[:ROLL], line, *LOG.lines[ROLL + 1 :]])
    yield _one(
        "field_order_type_last", "type stands first", "L4 F2", data, "field-order", ROLL, "prev"
    )


def _values() -> Cases:
    commitment, seed = LOG.lines[COMMITMENT].decode()[-66:-2], LOG.lines[SEED].decode()[-66:-2]
    prev, dice = LOG.lines[ROLL][23:87].decode(), LOG.lines[ROLL].decode()[-13:]
    secret, key_id = LOG.server_seed.hex(), LOG.key_id
    for name, seq, field, old, new in (
        ("prev_upper_case", ROLL, "prev", prev, prev.upper()),
        ("time_month", ROLL, "time", "2026-11-30", "2026-13-30"),
        ("time_day", ROLL, "time", "2026-11-30", "2026-11-32"),
        ("time_hour", ROLL, "time", "T18:", "T24:"),
        ("time_leap_second", ROLL, "time", ":08.000Z", ":60.000Z"),
        ("time_no_milliseconds", ROLL, "time", ".000Z", "Z"),
        ("time_offset", ROLL, "time", ".000Z", ".000+03:00"),
        ("time_other_digits", ROLL, "time", ".000Z", ".00\u0660Z"),
        ("index_negative", ROLL, "index", '"index":1', '"index":-1'),
        ("index_too_large", ROLL, "index", '"index":1', '"index":9007199254740992'),
        ("index_fraction", ROLL, "index", '"index":1', '"index":1.5'),
        ("index_text", ROLL, "index", '"index":1', '"index":"1"'),
        ("index_true", ROLL, "index", '"index":1', '"index":true'),
        ("index_null", ROLL, "index", '"index":1', '"index":null'),
        ("purpose", ROLL, "purpose", '"turn"', '"Turn"'),
        ("player_two", ROLL, "player", '"player":null', '"player":2'),
        ("player_false", ROLL, "player", '"player":null', '"player":false'),
        ("player_null", COMMITMENT, "player", '"player":0', '"player":null'),
        ("die_zero", ROLL, "dice", '"dice":[', '"dice":[0,'),
        ("dice_none", ROLL, "dice", dice, '"dice":[]}'),
        ("dice_three", ROLL, "dice", "]}", ",1]}"),
        ("links_two", ROLL, "links", "]}", '],"links":[]}'),
        ("commitment_short", COMMITMENT, "commitment", commitment, commitment[:-1]),
        ("commitment_long", COMMITMENT, "commitment", commitment, commitment + "0"),
        ("commitment_upper_case", COMMITMENT, "commitment", commitment, commitment.upper()),
        ("commitment_line_end", COMMITMENT, "commitment", commitment, commitment + "\\n"),
        ("seed_16_bytes", SEED, "seed", seed, seed[:32]),
        ("seed_upper_case", SEED, "seed", seed, seed.upper()),
        ("seed_constant", SEED, "seed", seed, "ab" * 32),
        ("seed_zero", SEED, "seed", seed, "00" * 32),
        ("seed_word", SEED, "seed", seed, "fallback"),
        ("server_seed_constant", REVEAL, "server_seed", secret, "07" * 32),
        ("match_id_empty", MATCH, "match_id", '"test-match-1"', '""'),
        ("match_id_65", MATCH, "match_id", '"test-match-1"', f'"{"a" * 65}"'),
        ("match_id_colon", MATCH, "match_id", '"test-match-1"', '"test:match"'),
        ("match_id_line_end", MATCH, "match_id", '"test-match-1"', '"test-match-1\\n"'),
        ("match_id_not_ascii", MATCH, "match_id", '"test-match-1"', '"maç"'),
        ("seeding", MATCH, "seeding", '"committed"', '"none"'),
        ("rules_empty", MATCH, "rules", '"rules":null', '"rules":""'),
        ("rules_upper_case", MATCH, "rules", '"rules":null', '"rules":"Tavla"'),
        ("length_zero", MATCH, "length", '"length":null', '"length":0'),
        ("length_1000", MATCH, "length", '"length":null', '"length":1000'),
        ("options_null", MATCH, "options", '"options":{}', '"options":null'),
        ("options_value", MATCH, "options", '"options":{}', '"options":{"a":1000}'),
        ("options_key", MATCH, "options", '"options":{}', '"options":{"A":1}'),
        ("options_key_line_end", MATCH, "options", '"options":{}', '"options":{"a\\n":1}'),
        ("players_one", MATCH, "players", '"Ayşe","Bora"', '"Ayşe"'),
        ("label_empty", MATCH, "players", '"Bora"', '""'),
        ("label_65", MATCH, "players", '"Bora"', f'"{"x" * 65}"'),
        ("label_not_nfc", MATCH, "players", '"Bora"', '"s\u0327"'),
        ("label_control", MATCH, "players", '"Bora"', '"Bo\\u0007ra"'),
        ("label_c1_control", MATCH, "players", '"Bora"', '"Bo\u0085ra"'),
        ("label_delete", MATCH, "players", '"Bora"', '"Bo\u007fra"'),
        ("label_line_end", MATCH, "players", '"Bora"', '"Bora\\n"'),
        ("label_surrogate", MATCH, "players", '"Bora"', '"\\ud83c"'),
        ("key_id", MATCH, "key_id", key_id, key_id[:-1]),
        ("winner", END, "winner", '"winner":null', '"winner":2'),
        ("reason", END, "reason", '"finished"', '"draw"'),
        ("score_one", END, "score", '"score":null', '"score":[1]'),
        ("score_negative", END, "score", '"score":null', '"score":[-1,0]'),
        ("signed_seq", LAST, "seq", '"seq":11', '"seq":-11'),
        ("sig_short", LAST, "sig", '"}', '0"}'),
    ):  # fmt: skip
        yield _one(
            f"value_{name}",
            "a value outside what the field may hold",
            "L5 F2",
            changed(LOG, seq, old, new),
            "field-value",
            seq,
            field,
        )


def _spellings() -> Cases:
    for name, seq, old, new in (
        ("space", ROLL, '"index":1', '"index": 1'),
        ("space_before", ROLL, '{"type"', ' {"type"'),
        ("space_after", ROLL, "]}", "]} "),
        ("tab", ROLL, '"index":1', '"index":\t1'),
        ("point_zero", ROLL, '"index":1', '"index":1.0'),
        ("exponent", ROLL, '"index":1', '"index":1e0'),
        ("minus_zero", COMMITMENT, '"player":0', '"player":-0'),
        ("rounded", ROLL, '"index":1', '"index":1.00000000000000000001'),
        ("escaped_letter", MATCH, "Bora", "\\u0042ora"),
        ("escaped_name", ROLL, '"index"', '"\\u0069ndex"'),
        ("escaped_slash", MATCH, "zarf/1", "zarf\\/1"),
        ("escaped_raw_letter", MATCH, "ş", "\\u015f"),
        ("escaped_pair", MATCH, "Bora", "\\ud83c\\udfb2"),
        ("escaped_quote", MATCH, "Bora", "\\u0022"),
        ("options_order", MATCH, '"options":{}', '"options":{"b":1,"a":1}'),
    ):
        yield _one(
            f"spelling_{name}",
            "the same value, written in another way",
            "L4 F2",
            changed(LOG, seq, old, new),
            "line-not-canonical",
            seq,
        )
