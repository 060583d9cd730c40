-- After a backup was put back. "restored" has a row from then on until somebody has said what is
-- to become of the matches (the backup itself may have made it, in an older schema), "set_aside"
-- the matches that nothing may be added to. "crc" is zlib.crc32 of the line: the last line of a
-- log is in no other line's "prev", and SQLite's pages have no checksums.

CREATE TABLE IF NOT EXISTS restored (copied_at TEXT NOT NULL PRIMARY KEY);

CREATE TABLE set_aside (
    match_id TEXT NOT NULL PRIMARY KEY,
    why TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE lines ADD COLUMN crc INTEGER;
