//! Weekline.

pub mod analysis;
pub mod catalog;
pub mod config;
pub mod formats;
pub mod history;
pub mod report;
pub mod schedule;
pub mod snapshot;
pub mod sources;
pub mod time;
