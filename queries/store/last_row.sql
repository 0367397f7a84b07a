-- The last row, so that the rowids can be divided among threads.
-- Columns: rowid.
-- Order: by rowid, backwards; one row at most.
SELECT rowid
FROM entries
ORDER BY rowid DESC
LIMIT 1
