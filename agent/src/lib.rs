//! Weekline watches production servers in business hours, keeps their weeks, and compares before and after an upgrade.
//!
//! # The straight path
//!
//! ```text
//!  schedule tick ─▶ Source::read ──┐
//!               ├─▶ WayIn::read ────┼─▶ Snapshot::put ─▶ Snapshot ─▶ History ─▶ series ─▶ weeks, activity, events ─▶ report
//!  POST /push ──┘                   │   (catalog)            │
//!  file ─────────▶ Format::parse ───┘                        └─▶ publish ─▶ exporter   (/metrics)
//! ```
//!
//! # Code map
//!
//! | module | what it is | what it never does |
//! |---|---|---|
//! | [`catalog`] | the table of metrics and facts: name, unit, where found, how derived | use another module |
//! | [`snapshot`] | what was read in one instant; `put` and `note`, the one door | look at a metric's name |
//! | [`time`] | instants and spans | |
//! | [`schedule`] | business hours in a zone, ticks, holidays | open a file, read a clock |
//! | [`sources`] | what is read live, one file per subject; Domino by six ways in, one file each | touch the history; run a command, but for one way |
//! | [`formats`] | files people have, one grammar each | open a file, guess a date or a zone |
//! | [`history`] | what was read, kept in one SQLite file | compute; SQL stands nowhere else |
//! | [`analysis`] | series stored or derived, weeks, the activity of partitions, events | print, read a clock |
//! | [`report`] | values to text, SVG and JSON | print, read anything |
//! | [`config`] | the file to checked settings and partitions; `default.toml` is the only home of defaults | open a file |
//! | [`names`] | what a partition may be called | |
//! | [`nearest`] | the known name nearest to one typed | |
//! | [`run`] | the sampler, a thread per partition, the activity of the day, and what they share | serve |
//! | [`publish`] | snapshots to families of the exporter | know the wire format |
//! | [`web`] | the routes, and the doors of servers that push | read a source or the history |
//! | [`cli`] | the commands | nobody else prints |
//!
//! The arrows between them are kept by `tests/layers.rs`.
//!
//! # Where it runs
//!
//! On Linux; nothing else is built or tested. `sources/portable.rs` reads what the `sysinfo` crate can say: today it is the
//! cross-check of our own readers, and one day the beginning of another system, which also lacks clocks that `run/clocks.rs` reads.
//!
//! # What changes where
//!
//! A counter in a file that is read already: a row in `catalog/`. A new kernel file: `sources/x.rs` and its line in the list.
//! A way in to a server: `sources/domino/x.rs`, a variant of [`sources::domino::Way`] and one of [`config::Way`].
//! A file format: `formats/x.rs` and its line. A setting: a field in `config/shape.rs` and its line in `default.toml`.
//! A command: `cli/x.rs` and a variant. A report: `report/x.rs`. A formula: a variant of [`catalog::Derive`] and its arm.
//!
//! # Where this differs from the design it began with
//!
//! * **The sampler is a thread, not a task.** Reading and writing are synchronous and may wait for a disk; on a thread of its own
//!   a scrape never waits for a sample and a slow client never delays one, with no `spawn_blocking` anywhere.
//! * **Restarts, hotplug and clock jumps are segments.** [`Snapshot::follows`](snapshot::Snapshot::follows) says whether a snapshot
//!   continues the one before; facts whose row `breaks` decide it. The history numbers segments and no reader has to guess.
//! * **Instants of a chunk are shared by content** (`times`), so that live ticks and imported columns are stored alike.
//! * **A tick at closing time** ends the last interval of the day: a point describes the time before it, so without that tick
//!   the last minute of every business day would be missing. `is_open` is false at that instant all the same.
//! * **`series` takes no schedule**; only folding into weeks needs one.
//! * **A scale multiplies, then divides**: hundredths of seconds stay exact decimals, read better and press better.
//! * **A mode of CPU time that falls a little** counts as not having grown where the others account for 98 % of the time that
//!   passed; else the interval is dropped. `/metrics` shows the old number until the counter has passed it (`run/held.rs`).
//! * **A partition is a stream and a thread of its own.** A snapshot belongs to a stream: the host's, one for what a partition's server
//!   says, one for what stands beside it. Each has its own instants, follows only itself and breaks alone, and a thread that waits
//!   for a server holds up no other. `every` in a `[[partition]]` says how often a file, log or push is renewed.
//! * **There is a third trait, [`WayIn`](sources::domino::WayIn).** A way brings what a server said and when, perhaps several times at once;
//!   `sources/domino/reader.rs` alone judges whether it is whole, new and of the same server.
//! * **One source runs one command.** Domino's console cannot be asked otherwise. It is done on the partition's own thread, as the
//!   partition's user, with a deadline, and what was started is ended.
//! * **A push that was cut looks whole**, so the last entry of a body counts only where an earlier body ended with the same name.
//! * **Rows are made at no time but when the program is built.** What `[[metric]]` names goes into `domino_statistic` and
//!   `domino_statistic_total` with the statistic as a label.
//! * **A reading of users stands until the next one**, for one and a half intervals at most, and so does the mean of active users: a
//!   server that says nothing has no users, and not the last ones for ever.
//! * **The history is at version 2**: its newest ticks are told apart by stream as well, since several may have one at the same instant.
//!   A history of version 1 is brought to it when the service opens it for writing.
//!
//! # What is refused
//!
//! No metric without a row. No rate across a restart, a fall or more than one tick that is missing. No time counted twice.
//! No average of ratios: means are weighted with time.
//! No guess where a date or a number is ambiguous. No external command on the sampling path: only the console of a partition is asked
//! by one, on that partition's thread. No network write: a server that pushes is answered, and an address is read.
//! Nothing is written to Domino but the answer that was asked for, which is removed.
//! Missing beats wrong; what was left out is counted and shown.

pub mod analysis;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod formats;
pub mod history;
pub mod names;
pub mod nearest;
pub mod publish;
pub mod report;
pub mod run;
pub mod schedule;
pub mod snapshot;
pub mod sources;
pub mod time;
pub mod web;
