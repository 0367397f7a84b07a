-- How many entries there are.
-- Columns: count.
-- Order: one row.
SELECT count(*) AS entries
FROM entries
ORDER BY 1
