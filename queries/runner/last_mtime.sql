-- The time of the last append in the store: the next one is later.
-- Columns: mtime, NULL in an empty store.
-- Order: one row.
SELECT max(mtime) AS mtime
FROM meta
ORDER BY 1
