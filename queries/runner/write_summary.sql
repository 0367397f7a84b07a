-- Replaces the summary of a main transcript.
-- Parameters: 1 = project key, 2 = session id, 3 = time in milliseconds, 4 = summary as JSON.
-- Writes: summaries.
INSERT INTO summaries (project_key, session_id, mtime, data) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (project_key, session_id) DO UPDATE SET mtime = excluded.mtime, data = excluded.data
