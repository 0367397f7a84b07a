-- Calls that one session made several times with the same beginning of their input.
-- Columns: store_key, tool, input, calls, result_characters.
-- Order: the most frequent first.
SELECT store_key, tool, input, count(*) AS calls, sum(result_characters) AS result_characters
FROM tool_calls
WHERE NOT is_copy AND input <> ''
GROUP BY store_key, tool, input
HAVING count(*) > 1
ORDER BY calls DESC, store_key, tool, input
