-- The payloads of one session.
-- Parameters: 1 = store key, 2 = longest payload that is read, in bytes.
-- Columns: seq, payload (NULL if too long).
-- Order: by sequence number.
SELECT seq, CASE WHEN octet_length(payload) <= ?2 THEN payload END
FROM entries
WHERE store_key = ?1
ORDER BY seq
