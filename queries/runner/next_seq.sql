-- The sequence number that the next entry of a store key gets. What the table says beats the row in meta: a row that is
-- too low would make every append fail.
-- Parameters: 1 = store key.
-- Columns: next_seq.
-- Order: one row.
SELECT max(
    coalesce((SELECT next_seq FROM meta WHERE store_key = ?1), 0),
    coalesce((SELECT max(seq) + 1 FROM entries WHERE store_key = ?1), 0)
) AS next_seq
ORDER BY 1
