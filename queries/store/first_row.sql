-- The first row at or after a rowid: probes a freshly opened database and skips gaps between rowids.
-- Parameters: 1 = rowid.
-- Columns: rowid.
-- Order: by rowid; one row at most.
SELECT rowid
FROM entries
WHERE rowid >= ?1
ORDER BY rowid
LIMIT 1
