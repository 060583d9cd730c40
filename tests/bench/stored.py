"""Many rolls stored in a PostgreSQL database, made by the server itself."""

from typing import Final

from tests.support import postgres

ROLLS: Final = 300  # in a match

# Half of the ids stand before those that are played ("bench-…") and half after, so that what is
# played is written into the midst of the index.
_MATCH_ID: Final = "(ARRAY['a-', 'c-'])[n % 2 + 1] || lpad(n::text, 9, '0')"
_MATCHES: Final = f"""
    INSERT INTO matches (match_id, owner, seeding, opened_at, ended_at, phase, sealed,
                         sealing_key_id, signing_key_id)
    SELECT {_MATCH_ID}, 'bench', 'committed', '2026-01-01T00:00:00.000Z',
           '2026-01-01T00:10:00.000Z', 'ended', decode(repeat('00', 92), 'hex'),
           repeat('0', 16), repeat('0', 16)
    FROM generate_series(0, {{last}}) AS n
"""
_LINES: Final = f"""
    INSERT INTO lines (match_id, seq, line)
    SELECT {_MATCH_ID}, seq,
           '{{{{"type":"roll","prev":"' || md5(n || '-' || seq) || md5(seq || '-' || n)
           || '","time":"2026-01-01T00:00:00.000Z","index":' || seq
           || ',"purpose":"turn","player":0,"dice":[3,1]}}}}'
    FROM generate_series(0, {{last}}) AS n, generate_series(0, {ROLLS - 1}) AS seq
"""


def fill(url: str, rolls: int) -> None:
    """So many rolls of matches that have ended; the tables must be there."""
    last = rolls // ROLLS
    # What is made here has no gap: to have every row looked at would take ten times as long.
    postgres.execute(url, "ALTER TABLE lines DISABLE TRIGGER lines_have_no_gap")
    postgres.execute(url, _MATCHES.format(last=last))
    postgres.execute(url, _LINES.format(last=last))
    postgres.execute(url, "ALTER TABLE lines ENABLE TRIGGER lines_have_no_gap")
    for tidy in ("VACUUM ANALYZE matches", "VACUUM ANALYZE lines", "CHECKPOINT"):
        postgres.execute(url, tidy)
