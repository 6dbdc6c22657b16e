//! The history from outside.
