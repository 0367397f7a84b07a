-- The entries of a table whose rows have no rowid.
-- Parameters: 1 = longest payload, 2 = longest key that is read, in bytes.
-- Columns: as rows.sql, with NULL for the rowid.
-- Order: by store key, then sequence number.
SELECT
    NULL,
    CASE WHEN octet_length(store_key) <= ?2 THEN store_key END,
    seq,
    CASE WHEN octet_length(uid) > ?2 THEN 0 ELSE uid END,
    CASE WHEN octet_length(payload) <= ?1 THEN payload END,
    CASE WHEN octet_length(payload) > ?1 THEN octet_length(payload) END
FROM entries
ORDER BY store_key, seq
