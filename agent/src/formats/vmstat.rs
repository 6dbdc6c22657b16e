//! stub
use super::{About, Format, FormatError, Parsed};
use crate::snapshot::Snapshot;
use std::io::BufRead;
/// stub
pub struct Vmstat;
impl Format for Vmstat {
    fn name(&self) -> &'static str {
        "vmstat"
    }
    fn matches(&self, _head: &str) -> bool {
        false
    }
    fn parse(&self, _i: &mut dyn BufRead, _a: &About, _s: &mut dyn FnMut(Snapshot)) -> Result<Parsed, FormatError> {
        Err(FormatError::Refused(String::new()))
    }
}
