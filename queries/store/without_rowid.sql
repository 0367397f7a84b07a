-- Whether entries is a WITHOUT ROWID table.
-- Columns: 1 or 0.
-- Order: one row.
SELECT wr
FROM pragma_table_list('entries')
WHERE schema = 'main'
ORDER BY schema
