-- The table summaries: one JSON summary per main transcript.
-- Parameters: 1 = longest summary that is read, in bytes.
-- Columns: project_key, session_id, mtime, data (NULL if too long).
-- Order: by project, then session.
SELECT project_key, session_id, mtime, CASE WHEN octet_length(data) <= ?1 THEN data END
FROM summaries
ORDER BY project_key, session_id
