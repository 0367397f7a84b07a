-- The entries of a range of rowids, in the order of insertion.
-- Parameters: 1 = first rowid, 2 = last rowid, 3 = longest payload, 4 = longest key that is read, in bytes.
-- Columns: rowid, store_key (NULL if too long), seq, uid (0 if too long), payload (NULL if too long), length of a payload
-- that is too long.
-- Order: by rowid.
SELECT
    rowid,
    CASE WHEN octet_length(store_key) <= ?4 THEN store_key END,
    seq,
    CASE WHEN octet_length(uid) > ?4 THEN 0 ELSE uid END,
    CASE WHEN octet_length(payload) <= ?3 THEN payload END,
    CASE WHEN octet_length(payload) > ?3 THEN octet_length(payload) END
FROM entries
WHERE rowid BETWEEN ?1 AND ?2
ORDER BY rowid
