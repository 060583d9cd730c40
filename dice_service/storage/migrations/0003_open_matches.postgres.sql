-- Open matches from the oldest on, for the sweeper: the ended ones, however many, are not in it.
-- The phase is there for those who count them, and need not look at a match for it.

CREATE INDEX matches_open_by_opening ON matches (opened_at, match_id, phase)
    WHERE phase <> 'ended';
DROP INDEX matches_open;
