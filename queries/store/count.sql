-- How many entries there are in the table itself: a database that was not recovered may have indexes that disagree.
-- Columns: count.
-- Order: one row.
SELECT count(*) AS entries
FROM entries NOT INDEXED
ORDER BY 1
