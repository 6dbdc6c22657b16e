//! Rows out of rows, and weeks out of points; every expected number is worked out by hand beside it.

mod derive;
mod events;
mod newest;
mod overlap;
mod registered;
mod weeks;
