//! Weekline.

pub mod analysis;
pub mod catalog;
pub mod formats;
pub mod report;
pub mod schedule;
pub mod snapshot;
