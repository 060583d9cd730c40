-- After a backup was put back. "restored" has a row from then on until somebody has said what is
-- to become of the matches, "set_aside" the matches that nothing may be added to.

CREATE TABLE restored (copied_at TEXT NOT NULL PRIMARY KEY);

CREATE TABLE set_aside (
    match_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    why TEXT NOT NULL
);
