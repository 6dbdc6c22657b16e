//! The live side from outside: a fixture host is read, read again a minute later, and shown.
//!
//! The host is invented: `fixtures/host` is its tree, `fixtures/host-later` what differs after sixty seconds.

// The helpers are tests too, and clippy takes them for such.
#![cfg(test)]

mod counters;
mod coverage;
mod devices;
mod golden;
mod host;
mod robustness;
mod sources;
