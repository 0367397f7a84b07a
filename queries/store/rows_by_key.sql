-- The entries of a table whose rows have no rowid.
-- Parameters: 1 = longest payload that is read, in bytes.
-- Columns: as rows.sql, with NULL for the rowid.
-- Order: by store key, then sequence number.
SELECT
    NULL,
    store_key,
    seq,
    uid,
    CASE WHEN octet_length(payload) <= ?1 THEN payload END,
    CASE WHEN octet_length(payload) > ?1 THEN octet_length(payload) END
FROM entries
ORDER BY store_key, seq
