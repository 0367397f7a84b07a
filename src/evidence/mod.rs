//! Opens a source without changing it and hands out its rows; the only layer that reads files.
