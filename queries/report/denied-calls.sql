-- Every tool call that was denied, or reads like it.
-- Columns: store_key, seq, timestamp, tool, denial, input.
-- Order: by session and entry.
SELECT store_key, seq, timestamp, tool, denial, input
FROM tool_calls
WHERE (denial IS NOT NULL OR is_likely_denied) AND NOT is_copy
ORDER BY store_key, seq, call_id
