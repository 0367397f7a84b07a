-- The table meta: what the writer noted about each store key.
-- Columns: store_key, mtime, next_seq.
-- Order: by store key.
SELECT store_key, mtime, next_seq
FROM meta
ORDER BY store_key
