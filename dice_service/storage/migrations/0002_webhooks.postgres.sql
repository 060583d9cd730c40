-- Webhooks and their deliveries. A delivery is born with the end of its match, in one transaction.

CREATE TABLE webhooks (
    owner TEXT COLLATE "C" NOT NULL,
    webhook_id TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'deleted')),
    created_at TEXT COLLATE "C" NOT NULL,
    sealed BYTEA NOT NULL,
    sealing_key_id TEXT NOT NULL,
    PRIMARY KEY (owner, webhook_id)
);

-- Where it is pending, due_at is the time of its next attempt; while one is made, the time from
-- which on another process may take it over. "attempts" is JSON.
CREATE TABLE webhook_deliveries (
    owner TEXT COLLATE "C" NOT NULL,
    webhook_id TEXT COLLATE "C" NOT NULL,
    match_id TEXT COLLATE "C" NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    due_at TEXT COLLATE "C" NOT NULL,
    attempts TEXT NOT NULL,
    PRIMARY KEY (owner, webhook_id, match_id, event)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_by_time
    ON webhook_deliveries (owner, webhook_id, created_at, match_id);

CREATE FUNCTION matches_tell_their_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO webhook_deliveries
    SELECT owner, webhook_id, NEW.match_id, 'match.ended', coalesce(NEW.ended_at, NEW.opened_at),
        'pending', coalesce(NEW.ended_at, NEW.opened_at), '[]'
    FROM webhooks
    WHERE owner = NEW.owner AND state = 'active'
        AND ' ' || events || ' ' LIKE '% match.ended %'
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER matches_tell_their_end AFTER UPDATE OF phase ON matches
    FOR EACH ROW WHEN (OLD.phase <> 'ended' AND NEW.phase = 'ended')
    EXECUTE FUNCTION matches_tell_their_end();
