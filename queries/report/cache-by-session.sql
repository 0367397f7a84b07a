-- How much of the context each session read from the cache, and what the cache saved.
-- Columns: store_key, context, cache_read, cached_share, context_without_cache_usd.
-- Order: the largest context first.
SELECT
  store_key,
  sum(context) AS context,
  sum(cache_read) AS cache_read,
  round(sum(cache_read) * 1.0 / sum(context), 4) AS cached_share,
  round(sum(uncached_nanos) / 1000000000.0, 9) AS context_without_cache_usd
FROM turns
WHERE context > 0
GROUP BY store_key
ORDER BY context DESC, store_key
