-- Notes that entries were appended to a store key.
-- Parameters: 1 = store key, 2 = time in milliseconds, 3 = next sequence number.
-- Writes: meta.
INSERT INTO meta (store_key, mtime, next_seq) VALUES (?1, ?2, ?3)
ON CONFLICT (store_key) DO UPDATE SET mtime = excluded.mtime, next_seq = excluded.next_seq
