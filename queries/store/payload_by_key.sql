-- One payload again, of a table whose rows have no rowid.
-- Parameters: 1 = store key, 2 = sequence number, 3 = longest payload that is read, in bytes.
-- Columns: store_key, seq, payload (NULL if too long).
-- Order: one row.
SELECT store_key, seq, CASE WHEN octet_length(payload) <= ?3 THEN payload END
FROM entries
WHERE store_key = ?1 AND seq = ?2
ORDER BY store_key, seq
LIMIT 1
