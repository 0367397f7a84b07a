-- Everything together: model turns, tokens by class, money measured and its bounds.
-- Columns: model_turns, entries_with_usage, input, output, cache_read, cache_write, cache_write_1h, unpriced_turns,
--   measured_usd, low_usd, measured_nanos, low_nanos.
-- Order: one row.
SELECT
  count(*) AS model_turns,
  sum(entries_with_usage) AS entries_with_usage,
  sum(input) AS input,
  sum(output) AS output,
  sum(cache_read) AS cache_read,
  sum(cache_write) AS cache_write,
  sum(cache_write_1h) AS cache_write_1h,
  count(unpriced) AS unpriced_turns,
  round(sum(measured_nanos) / 1000000000.0, 9) AS measured_usd,
  round(sum(low_nanos) / 1000000000.0, 9) AS low_usd,
  sum(measured_nanos) AS measured_nanos,
  sum(low_nanos) AS low_nanos
FROM turns
ORDER BY 1
