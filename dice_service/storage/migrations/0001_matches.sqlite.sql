-- Matches, their lines and the API keys. Lines are only ever added, each after the one before.

CREATE TABLE matches (
    match_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    seeding TEXT NOT NULL,
    rules TEXT,
    opened_at TEXT NOT NULL,
    ended_at TEXT,
    phase TEXT NOT NULL CHECK (phase IN ('commitments', 'seeds', 'rolling', 'ended')),
    sealed BLOB NOT NULL,
    sealing_key_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX matches_by_opening ON matches (opened_at, match_id);
CREATE INDEX matches_by_owner ON matches (owner, opened_at, match_id);
CREATE INDEX matches_open ON matches (phase) WHERE phase <> 'ended';
CREATE INDEX matches_by_sealing_key ON matches (sealing_key_id);

CREATE TABLE lines (
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 0),
    line TEXT NOT NULL,
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER lines_have_no_gap BEFORE INSERT ON lines
WHEN NEW.seq > 0 AND NOT EXISTS (
    SELECT 1 FROM lines WHERE match_id = NEW.match_id AND seq = NEW.seq - 1
)
BEGIN
    SELECT RAISE(ABORT, 'the line before is missing');
END;

CREATE TRIGGER lines_never_change BEFORE UPDATE ON lines
BEGIN
    SELECT RAISE(ABORT, 'a line never changes');
END;

CREATE TRIGGER lines_stay BEFORE DELETE ON lines
BEGIN
    SELECT RAISE(ABORT, 'a line stays');
END;

CREATE TABLE api_keys (
    key_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    scopes TEXT NOT NULL,
    hash BLOB NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT, WITHOUT ROWID;
