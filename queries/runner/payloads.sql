-- What is fed back on a resume.
-- Parameters: 1 = store key.
-- Columns: seq, payload.
-- Order: by seq.
SELECT seq, payload
FROM entries
WHERE store_key = ?1
ORDER BY seq
