-- The waits between the attempts of each step, against what flower's formula allows.
-- Columns: step, run, attempt, ending, kind, wait_ms, shortest_wait_ms, longest_wait_ms, wait_verdict.
-- Order: by start of the attempt.
SELECT step, run, attempt, ending, kind, wait_ms, shortest_wait_ms, longest_wait_ms, wait_verdict
FROM attempts
WHERE wait_ms IS NOT NULL
ORDER BY started_at, step, attempt
