-- One row per store key; the text is flower's own.
-- Writes: meta.
CREATE TABLE IF NOT EXISTS meta (store_key TEXT PRIMARY KEY, mtime INTEGER NOT NULL, next_seq INTEGER NOT NULL)
