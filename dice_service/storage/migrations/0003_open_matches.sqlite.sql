-- Open matches from the oldest on, for the sweeper: the ended ones, however many, are not in it.

CREATE INDEX matches_open_by_opening ON matches (opened_at, match_id) WHERE phase <> 'ended';
DROP INDEX matches_open;
