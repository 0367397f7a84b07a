-- Whether anything was stored under a store key.
-- Parameters: 1 = store key.
-- Columns: 1 if so.
-- Order: one row at most.
SELECT 1
FROM meta
WHERE store_key = ?1
ORDER BY store_key
