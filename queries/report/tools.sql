-- Calls, errors, denials, missing results and result sizes by thread and tool.
-- Columns: thread, tool, calls, errors, denied, orphans, result_characters, mean_ms.
-- Order: main threads first, the most frequent first.
SELECT
  thread,
  tool,
  count(*) AS calls,
  sum(CASE WHEN is_error THEN 1 ELSE 0 END) AS errors,
  count(denial) AS denied,
  sum(CASE WHEN is_answered THEN 0 ELSE 1 END) AS orphans,
  sum(result_characters) AS result_characters,
  avg(duration_ms) AS mean_ms
FROM tool_calls
WHERE NOT is_copy
GROUP BY thread, tool
ORDER BY thread, calls DESC, tool
