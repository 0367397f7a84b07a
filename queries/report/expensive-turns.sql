-- The twenty most expensive model turns.
-- Columns: store_key, seq, timestamp, model, step, context, cache_write, output, measured_usd.
-- Order: the dearest first.
SELECT store_key, seq, timestamp, model, step, context, cache_write, output, measured_usd
FROM turns
ORDER BY measured_nanos DESC, store_key, seq
LIMIT 20
