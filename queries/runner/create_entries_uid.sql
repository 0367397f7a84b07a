-- No uuid occurs twice in a store key; the text is flower's own.
-- Writes: entries_uid.
CREATE UNIQUE INDEX IF NOT EXISTS entries_uid ON entries(store_key, uid) WHERE uid IS NOT NULL
