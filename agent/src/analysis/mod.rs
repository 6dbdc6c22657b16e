//! What the history means.

pub mod weeks;
