-- The twenty tool calls with the longest results.
-- Columns: store_key, seq, tool, input, result_characters.
-- Order: the longest first.
SELECT store_key, seq, tool, input, result_characters
FROM tool_calls
WHERE result_characters IS NOT NULL AND NOT is_copy
ORDER BY result_characters DESC, store_key, seq, call_id
LIMIT 20
