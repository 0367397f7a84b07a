-- How often each kind of failure was told, what became of it, and in how many sessions; repeats left out.
-- Columns: kind, class, outcome, errors, sessions, first_at, last_at.
-- Order: the most frequent first.
SELECT
  kind,
  class,
  outcome,
  count(*) AS errors,
  count(DISTINCT store_key) AS sessions,
  min(timestamp) AS first_at,
  max(timestamp) AS last_at
FROM errors
WHERE NOT is_repeat
GROUP BY kind, class, outcome
ORDER BY errors DESC, kind, outcome
