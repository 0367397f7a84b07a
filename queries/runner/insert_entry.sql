-- Appends one entry, unless the store key has its uuid already.
-- Parameters: 1 = store key, 2 = sequence number, 3 = uuid or NULL, 4 = payload.
-- Writes: entries.
INSERT INTO entries (store_key, seq, uid, payload) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (store_key, uid) WHERE uid IS NOT NULL DO NOTHING
