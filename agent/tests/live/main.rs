//! The live side from outside: a fixture host is read, read again a minute later, and shown.
//!
//! The host is invented: `fixtures/host` is its tree, `fixtures/host-later` what differs after sixty seconds.

mod counters;
// Tells clippy that the helpers are tests too.
#![cfg(test)]

mod coverage;
mod devices;
mod golden;
mod host;
mod robustness;
mod sources;
