//! The windows in which a user counts as active.

use super::sighting::ACTIVE;
use crate::snapshot::Labels;

/// The windows of `domino_users_active`, narrow to wide.
pub const WINDOWS: [&str; 6] = ["now", "1m", "3m", "5m", "15m", "30m"];

/// One of [`WINDOWS`]; the wider is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window(usize);

impl Window {
    /// All of them, narrow to wide.
    pub fn all() -> impl DoubleEndedIterator<Item = Window> {
        (0..WINDOWS.len()).map(Window)
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Window> {
        WINDOWS.iter().position(|window| *window == name).map(Window)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        WINDOWS[self.0]
    }

    /// The series it selects on any partition: `domino_users_active{window="30m"}`.
    pub fn selector(self) -> String {
        format!("{ACTIVE}{}", [self.name()].into_iter().collect::<Labels>().selector(&["window"]))
    }

    /// Its place in [`WINDOWS`].
    pub(super) fn place(self) -> usize {
        self.0
    }
}
