-- The entries of a range of rowids, in the order of insertion.
-- Parameters: 1 = first rowid, 2 = last rowid, 3 = longest payload that is read, in bytes.
-- Columns: rowid, store_key, seq, uid, payload (NULL if too long), length of a payload that is too long.
-- Order: by rowid.
SELECT
    rowid,
    store_key,
    seq,
    uid,
    CASE WHEN octet_length(payload) <= ?3 THEN payload END,
    CASE WHEN octet_length(payload) > ?3 THEN octet_length(payload) END
FROM entries
WHERE rowid BETWEEN ?1 AND ?2
ORDER BY rowid
