//! Rows out of rows.
