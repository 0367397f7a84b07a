-- Reported and measured cost of each step of the manifest, and what makes the difference.
-- Columns: n, run, step, reported_usd, measured_usd, difference_usd, causes.
-- Order: of the manifest.
SELECT n, run, step, reported_usd, measured_usd, difference_usd, causes
FROM steps
ORDER BY n
