//! The table of metrics: one row per quantity, from which everything else derives.
//!
//! A row says what a quantity is called, measured in, where it is found and how it follows from other rows.
//! Readers, outputs and reports ask here and know nothing of their own.
//! The catalog uses nothing else of the program; the table's invariants are tests at the bottom of this folder.
//! Refused: metadata guessed from a name, a second list of names anywhere.

mod domino;
mod os;
mod own;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

/// Every row, in the order in which people should read them.
pub const TABLES: &[&[Metric]] = &[
    os::CPU,
    os::MEMORY,
    os::DISK,
    os::FILE_SYSTEM,
    os::NETWORK,
    os::PRESSURE,
    os::CGROUP,
    domino::SERVER,
    domino::MAIL,
    domino::DATABASE,
    domino::PROTOCOLS,
    domino::WORK,
    domino::RESOURCES,
    domino::PARTITIONS,
    domino::ACTIVITY,
    own::AGENT,
];

/// Every kind of fact, in the order in which people should read them.
const FACTS: &[&[FactRow]] = &[os::FACTS, domino::FACTS];

/// Every field that is left out on purpose.
const LEFT_OUT: &[&[LeftOut]] = &[os::LEFT_OUT, domino::LEFT_OUT];

/// One quantity: a row of the table.
#[derive(Debug)]
pub struct Metric {
    /// The name, spelled once: the same in the history, on `/metrics`, in reports and on the command line.
    pub name: &'static str,
    /// Whether it only grows or moves freely.
    pub kind: Kind,
    /// What its numbers are measured in.
    pub unit: Unit,
    /// The names of its labels, in the order in which readings give their values.
    pub labels: &'static [&'static str],
    /// Which direction is an improvement.
    pub better: Better,
    /// Where it can be read, live or in a file.
    pub found: &'static [Found],
    /// How it follows from other rows where it was not read.
    pub derive: Option<Derive>,
    /// Other names it can be exported under. No row has one yet; `metrics --json` lists them, and programs may rely on that.
    pub also: &'static [&'static str],
    /// One sentence for people.
    pub help: &'static str,
}

/// How a quantity behaves over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Grows until its owner restarts; a fall is never a negative rate.
    Counter,
    /// Moves freely.
    Gauge,
}

/// What a quantity is measured in; the exported number is always in this unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// Seconds.
    Seconds,
    /// Seconds since 1970-01-01 00:00 UTC.
    Timestamp,
    /// A share of a whole, 0 to 1; never percent.
    Ratio,
    /// Pieces.
    Count,
    /// Pieces per second.
    PerSecond,
    /// Processors, whole or in part.
    Cores,
    /// Always 1; the labels carry the text.
    Info,
}

/// Which direction of a quantity is an improvement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Context: reported, never judged.
    Neither,
}

/// A place where fields stand: one kind of file or one reader, with its own names for things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// `/proc/stat`, the totals.
    ProcStat,
    /// `/proc/stat`, the lines of single processors.
    ProcStatCpu,
    /// `/proc/loadavg`.
    ProcLoadavg,
    /// `/proc/meminfo`.
    ProcMeminfo,
    /// `/proc/vmstat`.
    ProcVmstat,
    /// `/proc/diskstats`, whole disks.
    ProcDiskstats,
    /// `/proc/diskstats`, partitions, device-mapper, md and loop devices.
    ProcDiskstatsVolume,
    /// `statvfs` of the mounted file systems.
    Statvfs,
    /// `/proc/net/dev`.
    ProcNetDev,
    /// `/proc/pressure/*`.
    ProcPressure,
    /// The control group (version 2) the machine lives in.
    Cgroup,
    /// Text the system tells about itself: release, kernel, processors.
    System,
    /// The `sysinfo` crate, on systems without `/proc`.
    Sysinfo,
    /// The columns of `vmstat` text.
    Vmstat,
    /// The columns of sysstat's `sar` and `sadf`.
    Sar,
    /// The columns of `sar -d`, per disk.
    SarDisk,
    /// The columns of `sar -n DEV` and `EDEV`, per interface.
    SarNetwork,
    /// The statistics of a Domino server (`show stat`), letter case apart.
    Domino,
    /// What domprom writes: the statistics of [`Place::Domino`] in its own spelling, and more beside them.
    Domprom,
    /// What is known of a Domino partition beside its statistics: its files, its processes, the configuration.
    Partition,
    /// The console of a Domino server.
    Console,
    /// Business days of a Domino partition, counted by this program.
    Activity,
    /// Statistics that the configuration names, because no row does.
    Named,
    /// This program itself.
    Agent,
}

/// One place and the name a quantity has there.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Where.
    pub place: Place,
    /// The field's name in that place; a `*` stands for a part that becomes the label after [`Found::labels`].
    pub field: &'static str,
    /// Values of the row's first labels that the field's name itself implies.
    pub labels: &'static [&'static str],
    /// What a number read there is multiplied with to be in the row's unit,
    pub times: f64,
    /// and then divided by: 19339 ticks are 193.39 s, where times 0.01 they would be 193.39000000000001.
    pub per: f64,
}

/// How a row follows from other rows, interval by interval.
///
/// An interval is the time between two readings of one unbroken run; rows named here must exist (a test).
#[derive(Debug, Clone, Copy)]
pub enum Derive {
    /// Growth of counters per second, summed over the rows named.
    Rate(&'static [&'static str]),
    /// Growth of the counters `parts` over the growth of the counters `whole`; nothing where `whole` stood still.
    Quotient {
        /// Rows whose growth is divided.
        parts: &'static [&'static str],
        /// Rows whose growth it is divided by.
        whole: &'static [&'static str],
    },
    /// The share each value of the label `over` has in the growth of all of them together.
    Shares {
        /// The counter, in seconds.
        of: &'static str,
        /// The label that tells the parts.
        over: &'static str,
        /// How many seconds can pass in one second: the row that counts processors.
        capacity: &'static str,
    },
    /// The sum of the listed values of the label `over`.
    Sum {
        /// The gauge.
        of: &'static str,
        /// The label that tells the parts.
        over: &'static str,
        /// Which parts.
        values: &'static [&'static str],
        /// Which of them a system may lack (an old kernel has no steal).
        optional: &'static [&'static str],
    },
    /// One minus a row.
    OneMinus(&'static str),
    /// One minus `part` / `whole`.
    Remaining {
        /// What is left.
        part: &'static str,
        /// Of how much.
        whole: &'static str,
    },
    /// `from` − `less`.
    Difference {
        /// The larger one.
        from: &'static str,
        /// What is taken off.
        less: &'static str,
    },
    /// The product of two rows.
    Product(&'static str, &'static str),
}

impl Derive {
    /// The rows it reads.
    pub fn reads(&self) -> Vec<&'static str> {
        match *self {
            Derive::Rate(rows) => rows.to_vec(),
            Derive::Quotient { parts, whole } => [parts, whole].concat(),
            Derive::Shares { of, capacity, .. } => vec![of, capacity],
            Derive::Sum { of, .. } | Derive::OneMinus(of) => vec![of],
            Derive::Remaining { part, whole } => vec![part, whole],
            Derive::Difference { from, less } => vec![from, less],
            Derive::Product(a, b) => vec![a, b],
        }
    }
}

/// One kind of text about a machine or a partition: a row of the table of facts.
#[derive(Debug)]
pub struct FactRow {
    /// The name, spelled once.
    pub name: &'static str,
    /// The names of the labels that say what it is about; none: the host.
    pub labels: &'static [&'static str],
    /// Where it is read.
    pub place: Place,
    /// The field's name there.
    pub field: &'static str,
    /// Whether counters begin anew when it changes, so that nothing may be computed across the change.
    pub breaks: bool,
    /// Whether every reading is an event of its own, kept though the text is the same as before.
    pub event: bool,
    /// One sentence for people.
    pub help: &'static str,
}

/// A field that no row claims on purpose.
#[derive(Debug)]
pub struct LeftOut {
    /// Where.
    pub place: Place,
    /// Its name; a `*` stands for any text, and alone for all that no row claims in that place.
    pub field: &'static str,
    /// Why.
    pub why: &'static str,
}

/// What the catalog says of a field.
#[derive(Debug, Clone, Copy)]
pub enum Claim<'a> {
    /// A row claims it.
    Row {
        /// The row.
        metric: &'static Metric,
        /// By which of its entries.
        found: &'static Found,
        /// What stood in the place of the `*`.
        part: Option<&'a str>,
    },
    /// Left out on purpose.
    LeftOut,
    /// Nobody knows it.
    Unknown,
}

/// All rows.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The row of this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    INDEX.names.get(name).copied()
}

/// The row that claims `field` in `place`: by its whole name first, then by a pattern, in the order of the table.
///
/// At domprom's, what no row names there is looked up as the statistic of Domino that domprom spells so.
pub fn claim(place: Place, field: &str) -> Claim<'_> {
    match INDEX.fields[place as usize].claim(field, &folded(place, field)) {
        Claim::Unknown if place == Place::Domprom => claim_spelled(field),
        claim => claim,
    }
}

/// The row of the statistic that domprom publishes under this name.
fn claim_spelled(name: &str) -> Claim<'_> {
    let Some(statistic) = without_prefix(name) else { return Claim::Unknown };
    INDEX.spelled.claim(statistic, &statistic.to_ascii_lowercase())
}

/// A statistic in domprom's spelling, out of its name there.
fn without_prefix(name: &str) -> Option<&str> {
    // With `domprom_no_domino_prefix` in its notes.ini the word is missing and the `_` is not.
    let (word, statistic) = name.split_once('_')?;
    (word.is_empty() || word.eq_ignore_ascii_case("Domino")).then_some(statistic)
}

/// The kind of fact that `field` in `place` is. At domprom's, facts of Domino are found by its spelling: it has those that are numbers.
pub fn fact(place: Place, field: &str) -> Option<&'static FactRow> {
    let statistic = Some(field).filter(|_| place == Place::Domprom).and_then(without_prefix);
    facts().find(|row| match (place, row.place) {
        (Place::Domino, Place::Domino) => row.field.eq_ignore_ascii_case(field),
        (Place::Domprom, Place::Domino) => statistic.is_some_and(|statistic| spelled(row.field).eq_ignore_ascii_case(statistic)),
        (place, of) => place == of && row.field == field,
    })
}

/// All kinds of facts.
pub fn facts() -> impl Iterator<Item = &'static FactRow> {
    FACTS.iter().flat_map(|table| table.iter())
}

/// The kind of fact of this name.
pub fn fact_named(name: &str) -> Option<&'static FactRow> {
    facts().find(|row| row.name == name)
}

struct Index {
    names: HashMap<&'static str, &'static Metric>,
    fields: Vec<Fields>,
    /// What is claimed of Domino's statistics, by domprom's spelling.
    spelled: Fields,
}

/// What is claimed in one place.
#[derive(Default)]
struct Fields {
    whole: HashMap<String, (&'static Metric, &'static Found)>,
    patterns: Patterns<(&'static Metric, &'static Found)>,
    left_out: Patterns<()>,
}

/// Patterns in the order of the table. Names are compared only with those that begin with their first byte or with the `*`:
/// a listing of a server has hundreds of names, and each is looked up at every sample.
struct Patterns<T> {
    all: Vec<(Pattern, T)>,
    /// Positions of those that fit any first byte.
    anywhere: Vec<usize>,
    /// Positions of those that fit this one, with those that fit any.
    by_first: HashMap<u8, Vec<usize>>,
}

impl<T> Default for Patterns<T> {
    fn default() -> Patterns<T> {
        Patterns { all: Vec::new(), anywhere: Vec::new(), by_first: HashMap::new() }
    }
}

impl<T> Patterns<T> {
    fn add(&mut self, pattern: Pattern, of: T) {
        let position = self.all.len();
        match pattern.before.bytes().next() {
            Some(first) => self.by_first.entry(first).or_insert_with(|| self.anywhere.clone()).push(position),
            None => {
                self.anywhere.push(position);
                self.by_first.values_mut().for_each(|positions| positions.push(position));
            }
        }
        self.all.push((pattern, of));
    }

    /// Those that a name may fit.
    fn near(&self, name: &str) -> impl Iterator<Item = &(Pattern, T)> {
        let positions = name.bytes().next().and_then(|first| self.by_first.get(&first)).unwrap_or(&self.anywhere);
        positions.iter().map(|&position| &self.all[position])
    }
}

impl Fields {
    /// Takes a field of a row under the name by which it is looked up.
    fn add(&mut self, name: String, metric: &'static Metric, found: &'static Found) {
        if name.contains('*') {
            self.patterns.add(Pattern::new(name), (metric, found));
        } else {
            self.whole.insert(name, (metric, found));
        }
    }

    /// What is said of `field`, which is looked up as `folded`; both are of one length.
    fn claim<'a>(&self, field: &'a str, folded: &str) -> Claim<'a> {
        if let Some(&(metric, found)) = self.whole.get(folded) {
            return Claim::Row { metric, found, part: None };
        }
        let mut rows = self.patterns.near(folded);
        let row = rows.find_map(|(pattern, (metric, found))| Some((pattern, metric, found, pattern.part(folded)?)));
        // A name left out as a whole, or by more of its beginning, is left out though a pattern would claim it.
        let narrower = |left: &Pattern, row: &Pattern| {
            left.after.is_none() || (!row.before.is_empty() && left.before.len() > row.before.len())
        };
        let left_out =
            |(left, ()): &(Pattern, ())| left.part(folded).is_some() && row.as_ref().is_none_or(|(row, ..)| narrower(left, row));
        match (self.left_out.near(folded).any(left_out), row) {
            (true, _) => Claim::LeftOut,
            (false, Some((_, metric, found, part))) => Claim::Row { metric, found, part: field.get(part) },
            (false, None) => Claim::Unknown,
        }
    }
}

/// A name with at most one `*`, as it is looked up.
struct Pattern {
    before: String,
    after: Option<String>,
}

impl Pattern {
    fn new(name: String) -> Pattern {
        match name.split_once('*') {
            None => Pattern { before: name, after: None },
            Some((before, after)) => Pattern { before: before.to_owned(), after: Some(after.to_owned()) },
        }
    }

    /// Where in `field` the text lies that the `*` stands for; the whole of it where there is none.
    fn part(&self, field: &str) -> Option<Range<usize>> {
        match &self.after {
            None => (field == self.before).then_some(0..field.len()),
            Some(after) => {
                let end = field.strip_prefix(self.before.as_str())?.strip_suffix(after.as_str())?.len() + self.before.len();
                Some(self.before.len()..end)
            }
        }
    }
}

/// A name as it is looked up: releases of Domino differ in letter case; nowhere else does case vary.
fn folded(place: Place, name: &str) -> Cow<'_, str> {
    if matches!(place, Place::Domino | Place::Domprom) { name.to_ascii_lowercase().into() } else { name.into() }
}

/// A statistic as domprom spells it, in lower case: `_` for all that is neither letter nor digit, but `C` for `/`.
pub fn spelled(statistic: &str) -> String {
    let spell = |c: char| match c {
        '/' => 'c',
        c if c.is_ascii_alphanumeric() || c == '*' => c.to_ascii_lowercase(),
        _ => '_',
    };
    statistic.chars().map(spell).collect()
}

/// The table turned round, once; it never changes.
static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut fields: Vec<Fields> = (0..=Place::Agent as usize).map(|_| Fields::default()).collect();
    let mut by_spelling = Fields::default();
    for metric in metrics() {
        for found in metric.found {
            fields[found.place as usize].add(folded(found.place, found.field).into_owned(), metric, found);
            if found.place == Place::Domino {
                by_spelling.add(spelled(found.field), metric, found);
            }
        }
    }
    for left in LEFT_OUT.iter().flat_map(|table| table.iter()) {
        fields[left.place as usize].left_out.add(Pattern::new(folded(left.place, left.field).into_owned()), ());
        if left.place == Place::Domino {
            by_spelling.left_out.add(Pattern::new(spelled(left.field)), ());
        }
    }
    Index { names: metrics().map(|metric| (metric.name, metric)).collect(), fields, spelled: by_spelling }
});

// What rows are written with.

const fn counter(name: &'static str, unit: Unit, help: &'static str) -> Metric {
    row(name, Kind::Counter, unit, help)
}

const fn gauge(name: &'static str, unit: Unit, help: &'static str) -> Metric {
    row(name, Kind::Gauge, unit, help)
}

const fn row(name: &'static str, kind: Kind, unit: Unit, help: &'static str) -> Metric {
    Metric { name, kind, unit, labels: &[], better: Better::Neither, found: &[], derive: None, also: &[], help }
}

impl Metric {
    const fn labels(mut self, labels: &'static [&'static str]) -> Metric {
        self.labels = labels;
        self
    }

    const fn better(mut self, better: Better) -> Metric {
        self.better = better;
        self
    }

    const fn found(mut self, found: &'static [Found]) -> Metric {
        self.found = found;
        self
    }

    const fn derived(mut self, derive: Derive) -> Metric {
        self.derive = Some(derive);
        self
    }
}

const fn at(place: Place, field: &'static str) -> Found {
    Found { place, field, labels: &[], times: 1.0, per: 1.0 }
}

impl Found {
    const fn times(mut self, times: f64) -> Found {
        self.times = times;
        self
    }

    const fn per(mut self, per: f64) -> Found {
        self.per = per;
        self
    }

    const fn labelled(mut self, labels: &'static [&'static str]) -> Found {
        self.labels = labels;
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::ProcStat => "proc/stat",
            Place::ProcStatCpu => "proc/stat/cpuN",
            Place::ProcLoadavg => "proc/loadavg",
            Place::ProcMeminfo => "proc/meminfo",
            Place::ProcVmstat => "proc/vmstat",
            Place::ProcDiskstats => "proc/diskstats",
            Place::ProcDiskstatsVolume => "proc/diskstats/volume",
            Place::Statvfs => "statvfs",
            Place::ProcNetDev => "proc/net/dev",
            Place::ProcPressure => "proc/pressure",
            Place::Cgroup => "cgroup",
            Place::System => "system",
            Place::Sysinfo => "sysinfo",
            Place::Vmstat => "vmstat",
            Place::Sar => "sar",
            Place::SarDisk => "sar -d",
            Place::SarNetwork => "sar -n",
            Place::Domino => "domino",
            Place::Domprom => "domprom",
            Place::Partition => "partition",
            Place::Console => "console",
            Place::Activity => "activity",
            Place::Named => "named",
            Place::Agent => "agent",
        })
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.place, self.field)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Bytes => "bytes",
            Unit::BytesPerSecond => "bytes_per_second",
            Unit::Seconds => "seconds",
            Unit::Timestamp => "timestamp",
            Unit::Ratio => "ratio",
            Unit::Count => "count",
            Unit::PerSecond => "per_second",
            Unit::Cores => "cores",
            Unit::Info => "info",
        })
    }
}

impl fmt::Display for Better {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Better::Lower => "lower",
            Better::Higher => "higher",
            Better::Neither => "neither",
        })
    }
}

/// Rows are the same row when they have the same name: names are unique (a test).
impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl PartialEq for FactRow {
    fn eq(&self, other: &FactRow) -> bool {
        self.name == other.name
    }
}

impl Eq for FactRow {}
