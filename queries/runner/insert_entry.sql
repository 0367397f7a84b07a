-- Appends one entry.
-- Parameters: 1 = store key, 2 = sequence number, 3 = uuid or NULL, 4 = payload.
-- Writes: entries.
INSERT INTO entries (store_key, seq, uid, payload) VALUES (?1, ?2, ?3, ?4)
