//! Weekline.

pub mod analysis;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod formats;
pub mod history;
pub mod publish;
pub mod report;
pub mod run;
pub mod schedule;
pub mod snapshot;
pub mod sources;
pub mod time;
pub mod web;
