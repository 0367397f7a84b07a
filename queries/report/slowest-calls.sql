-- The twenty tool calls that took longest, waits for permission included.
-- Columns: store_key, seq, tool, input, duration_ms.
-- Order: the slowest first.
SELECT store_key, seq, tool, input, duration_ms
FROM tool_calls
WHERE duration_ms IS NOT NULL AND NOT is_copy
ORDER BY duration_ms DESC, store_key, seq, call_id
LIMIT 20
