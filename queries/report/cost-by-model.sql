-- Spend by the model that answered.
-- Columns: model, model_turns, input, output, cache_read, cache_write, measured_usd, measured_nanos.
-- Order: the dearest first.
SELECT
  model,
  count(*) AS model_turns,
  sum(input) AS input,
  sum(output) AS output,
  sum(cache_read) AS cache_read,
  sum(cache_write) AS cache_write,
  round(sum(measured_nanos) / 1000000000.0, 9) AS measured_usd,
  sum(measured_nanos) AS measured_nanos
FROM turns
GROUP BY model
ORDER BY measured_nanos DESC, model
