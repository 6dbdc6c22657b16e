//! The service: a sampler on a thread of its own, and what it shares with whoever asks.
//!
//! The sampler is plain synchronous code, so a scrape never waits for a sample and a slow scrape never delays one.
//! What it found out is swapped in as a whole; readers take a reference and let go of the lock at once.

mod clocks;
mod daily;
mod found;
mod held;
mod keeper;
mod retention;
mod sampler;
mod state;
mod taking;
#[cfg(test)]
mod tests;
mod watchers;

pub use daily::partition_of;
pub use held::Held;
pub use keeper::Keeper;
pub use sampler::{Control, Sampler, Setup};
pub use state::{Board, KnownPartition, Overhead, Pair, Reload, Shared, Status, Ticks};
