-- The entries of a store key that have no uuid, to tell which lines of a file are missing.
-- Parameters: 1 = store key.
-- Columns: payload.
-- Order: by seq.
SELECT payload
FROM entries
WHERE store_key = ?1 AND uid IS NULL
ORDER BY seq
