-- What a database holds, to tell a store from another program's file.
-- Columns: name, type, root page (0 for views and virtual tables).
-- Order: by name; at most 200, for a message.
SELECT name, type, rootpage
FROM sqlite_schema
WHERE type IN ('table', 'view')
ORDER BY name
LIMIT 200
