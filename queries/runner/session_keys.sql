-- The store keys under which a session, or a subagent of it, is stored, in whatever project.
-- Parameters: 1 = what follows the project, with its slash.
-- Columns: store_key.
-- Order: by store key.
SELECT store_key
FROM meta
WHERE substr(store_key, -length(?1)) = ?1
ORDER BY store_key
