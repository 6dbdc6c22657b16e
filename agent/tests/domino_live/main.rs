//! Days of a stand-in server, played live through each of the six ways in, against what that server says an observer must find.
//!
//! On each day the server is restarted and upgraded, a counter is set by hand and the router starts anew. The stand-in server
//! stands beside the workspace, in `shared/`, or in `$WEEKLINE_SHARED`; where it is missing the tests say so and pass.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

mod agent;
mod loopback;
mod mixing;
mod numbers;
mod server;
mod texts;
mod verdict;
