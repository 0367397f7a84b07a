-- The summary of a main transcript.
-- Parameters: 1 = project key, 2 = session id.
-- Columns: data.
-- Order: one row at most.
SELECT data
FROM summaries
WHERE project_key = ?1 AND session_id = ?2
ORDER BY project_key
