-- Matches, their lines and the API keys. Lines are only ever added, each after the one before.
-- Ids and times compare byte by byte (COLLATE "C"), on every server alike.

CREATE TABLE matches (
    match_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C" NOT NULL,
    seeding TEXT NOT NULL,
    rules TEXT,
    opened_at TEXT COLLATE "C" NOT NULL,
    ended_at TEXT,
    phase TEXT NOT NULL CHECK (phase IN ('commitments', 'seeds', 'rolling', 'ended')),
    sealed BYTEA NOT NULL,
    sealing_key_id TEXT NOT NULL,
    signing_key_id TEXT NOT NULL
);

CREATE INDEX matches_by_opening ON matches (opened_at, match_id);
CREATE INDEX matches_by_owner ON matches (owner, opened_at, match_id);
CREATE INDEX matches_open ON matches (phase) WHERE phase <> 'ended';
CREATE INDEX matches_by_sealing_key ON matches (sealing_key_id);

CREATE TABLE lines (
    match_id TEXT COLLATE "C" NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 0),
    line TEXT NOT NULL,
    PRIMARY KEY (match_id, seq)
);

-- The detail is read by the service: it tells which line of a batch it was.
CREATE FUNCTION lines_have_no_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM lines WHERE match_id = NEW.match_id AND seq = NEW.seq - 1) THEN
        RAISE foreign_key_violation USING
            MESSAGE = 'the line before is missing',
            DETAIL = NEW.match_id || ' ' || NEW.seq;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION lines_never_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE restrict_violation USING MESSAGE = 'a line never changes, and stays';
END $$;

CREATE TRIGGER lines_have_no_gap BEFORE INSERT ON lines
    FOR EACH ROW WHEN (NEW.seq > 0) EXECUTE FUNCTION lines_have_no_gap();
CREATE TRIGGER lines_never_change BEFORE UPDATE OR DELETE ON lines
    FOR EACH ROW EXECUTE FUNCTION lines_never_change();
CREATE TRIGGER lines_stay BEFORE TRUNCATE ON lines
    FOR EACH STATEMENT EXECUTE FUNCTION lines_never_change();

CREATE TABLE api_keys (
    key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C" NOT NULL,
    scopes TEXT NOT NULL,
    hash BYTEA NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    revoked_at TEXT
);
