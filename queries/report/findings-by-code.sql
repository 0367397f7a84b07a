-- How often each finding was made, and in how many sessions.
-- Columns: level, code, findings, sessions.
-- Order: the most frequent first.
SELECT level, code, count(*) AS findings, count(DISTINCT store_key) AS sessions
FROM findings
GROUP BY level, code
ORDER BY findings DESC, code
