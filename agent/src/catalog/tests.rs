//! Invariants of the table.
