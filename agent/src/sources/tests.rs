//! Sources on fixture trees.
