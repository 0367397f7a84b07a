-- One payload again.
-- Parameters: 1 = rowid, 2 = longest payload that is read, in bytes.
-- Columns: store_key, seq, payload (NULL if too long).
-- Order: one row at most.
SELECT store_key, seq, CASE WHEN octet_length(payload) <= ?2 THEN payload END
FROM entries
WHERE rowid = ?1
ORDER BY rowid
