-- Spend by calendar day in the zone of the report; turns without a time have no day.
-- Columns: day, model_turns, input, output, cache_read, cache_write, measured_usd, measured_nanos.
-- Order: by day.
SELECT
  day,
  count(*) AS model_turns,
  sum(input) AS input,
  sum(output) AS output,
  sum(cache_read) AS cache_read,
  sum(cache_write) AS cache_write,
  round(sum(measured_nanos) / 1000000000.0, 9) AS measured_usd,
  sum(measured_nanos) AS measured_nanos
FROM turns
GROUP BY day
ORDER BY day
