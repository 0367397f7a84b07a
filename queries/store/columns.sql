-- The columns of one table.
-- Parameters: 1 = table.
-- Columns: name, whether it is computed or hidden (0 = stored).
-- Order: as declared.
SELECT name, hidden
FROM pragma_table_xinfo(?1)
ORDER BY cid
