-- Spend by session, subagents apart.
-- Columns: store_key, model_turns, input, output, cache_read, cache_write, measured_usd, measured_nanos.
-- Order: the dearest first.
SELECT
  store_key,
  count(*) AS model_turns,
  sum(input) AS input,
  sum(output) AS output,
  sum(cache_read) AS cache_read,
  sum(cache_write) AS cache_write,
  round(sum(measured_nanos) / 1000000000.0, 9) AS measured_usd,
  sum(measured_nanos) AS measured_nanos
FROM turns
GROUP BY store_key
ORDER BY measured_nanos DESC, store_key
