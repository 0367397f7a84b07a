-- Whether a store key has an entry with this uuid.
-- Parameters: 1 = store key, 2 = uuid.
-- Columns: 1 if so.
-- Order: one row at most.
SELECT 1
FROM entries
WHERE store_key = ?1 AND uid = ?2
ORDER BY seq
