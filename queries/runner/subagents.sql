-- The store keys below a main transcript.
-- Parameters: 1 = first text that is possible, 2 = first text behind them.
-- Columns: store_key.
-- Order: by store key.
SELECT store_key
FROM meta
WHERE store_key >= ?1 AND store_key < ?2
ORDER BY store_key
