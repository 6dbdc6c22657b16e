//! Rows of `vmstat` in time: where runs begin, and when each row ended.

use std::io::BufRead;
use std::time::Duration;

use chrono::{NaiveDateTime, TimeDelta};

use super::layout::{Groups, Layout, Stamp, UNSURE};
use super::times::Times;
use crate::catalog::Place;
use crate::formats::lines::{self, Lines};
use crate::formats::{About, FormatError, Parsed, Skipped, clock};
use crate::snapshot::Snapshot;
use crate::time::Timestamp;

/// After how many rows `vmstat` repeats its header where no terminal says how high it is.
const PIPE: u64 = 21;

/// No terminal is lower than this in earnest; a cron job of fewer rows is common.
const LOWEST: u64 = 20;

/// One file on its way.
pub(super) struct Reader<'a> {
    about: &'a About,
    sink: &'a mut dyn FnMut(Snapshot),
    skipped: Skipped,
    times: Times,
    groups: Option<Groups>,
    layout: Option<Layout>,
    /// Whether a header stands right above the next row, and how many rows stood above that header.
    fresh: Option<u64>,
    /// Rows under the current header.
    block: u64,
    run: Run,
    runs: u64,
    given: u64,
}

/// One call of `vmstat`.
#[derive(Default)]
struct Run {
    /// Its first row.
    since_boot: Vec<f64>,
    /// Rows between headers, once known.
    period: Option<u64>,
    /// Rows after the first.
    rows: u32,
    /// The end of the row before.
    last: Option<Timestamp>,
    every: Option<Duration>,
    /// Whether the next snapshot continues the one before.
    follows: bool,
}

/// The words of one row.
struct Row {
    values: Vec<f64>,
    stamp: Option<NaiveDateTime>,
    zone: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(about: &'a About, sink: &'a mut dyn FnMut(Snapshot)) -> Reader<'a> {
        Reader {
            about,
            sink,
            skipped: Skipped::default(),
            times: Times::new(about),
            groups: None,
            layout: None,
            fresh: None,
            block: 0,
            run: Run::default(),
            runs: 0,
            given: 0,
        }
    }

    pub(super) fn read(mut self, input: &mut dyn BufRead) -> Result<Parsed, FormatError> {
        let mut lines = Lines::new(input);
        while let Some((number, text)) = lines.next_line(&mut self.skipped)? {
            self.line(number, &text)?;
        }
        if self.layout.is_none() {
            return Err(FormatError::Refused("holds no header of Linux `vmstat`".to_owned()));
        }
        if self.given == 0 && self.skipped.count == 0 {
            let why = "holds nothing but averages since boot; a recording needs an interval, like `vmstat -t 60`";
            return Err(FormatError::Refused(why.to_owned()));
        }
        Ok(Parsed { time_quality: self.times.quality(), skipped: self.skipped })
    }

    fn line(&mut self, number: u64, text: &str) -> Result<(), FormatError> {
        if text.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
            self.groups = None;
            return self.row(number, text);
        }
        let above = self.groups.take();
        self.groups = Groups::of(text);
        if self.groups.is_some() {
            return Ok(());
        }
        match Layout::of(text, above) {
            Some(layout) => self.header(layout),
            None => self.skipped.add(number, "neither a header nor a row"),
        }
        Ok(())
    }

    fn header(&mut self, layout: Layout) {
        let same = self.layout.as_ref().is_some_and(|before| before.columns == layout.columns);
        // A header under a header, or of other columns: what comes is certainly a new run.
        self.fresh = Some(if same { self.block } else { 0 });
        self.block = 0;
        self.layout = Some(layout);
    }

    fn row(&mut self, number: u64, text: &str) -> Result<(), FormatError> {
        let Some(layout) = &self.layout else {
            self.skipped.add(number, "no header before this row");
            return Ok(());
        };
        let row = Row::of(layout, text);
        let stamped = layout.stamp != Stamp::None;
        self.block += 1;
        self.run.rows = self.run.rows.saturating_add(1);
        let fresh = self.fresh.take();
        let at = match &row {
            Ok(row) if stamped => self.stamp(row, fresh.is_some() && self.runs == 0)?,
            _ => None,
        };
        if let Some(above) = fresh
            && self.begins(above, stamped, row.as_ref().ok(), at)
        {
            return self.first(number, row, stamped, at);
        }
        match row {
            Err(why) => self.skipped.add(number, why),
            Ok(row) if stamped => self.stamped(number, &row, at),
            Ok(row) => match self.times.counted(self.run.rows)? {
                Some((at, every)) => self.give(at, every, &row),
                None => self.skipped.add(number, "its time is out of range"),
            },
        }
        Ok(())
    }

    /// The instant of a row's stamp. A file of averages since boot is not asked for a zone it would not need.
    fn stamp(&mut self, row: &Row, first: bool) -> Result<Option<Timestamp>, FormatError> {
        let Some(local) = row.stamp else { return Ok(None) };
        match self.times.stamped(local, &row.zone) {
            Err(_) if first => Ok(None),
            answer => answer,
        }
    }

    /// Whether the row under a header is the first of a run, and not one more of the run above.
    ///
    /// Within a run a header comes after the same number of rows each time: [`PIPE`], or what the terminal's height made it.
    /// A cron job prints one after as many rows as it was told to, so where rows carry a time they must also follow
    /// at the run's own interval, and where the number is not [`PIPE`] the row must not look like an average since boot.
    fn begins(&mut self, above: u64, stamped: bool, row: Option<&Row>, at: Option<Timestamp>) -> bool {
        let period = *self.run.period.get_or_insert(above);
        if self.runs == 0 || above != period || above < LOWEST {
            return true;
        }
        let Some(row) = row else { return stamped };
        let rates = self.layout.as_ref().map_or(0, |layout| layout.rates);
        if above != PIPE && alike(&self.run.since_boot, &row.values, rates) {
            return true;
        }
        if !stamped {
            return false;
        }
        let (Some(at), Some(last), Some(every)) = (at, self.run.last, self.run.every) else { return true };
        let Ok(passed) = (at - last).to_std() else { return true };
        passed.is_zero() || passed.abs_diff(every) > (every / 10).max(Duration::from_secs(1))
    }

    /// The first row of a run: an average since boot, kept only to know it again.
    fn first(&mut self, number: u64, row: Result<Row, String>, stamped: bool, at: Option<Timestamp>) -> Result<(), FormatError> {
        if self.runs > 0 && !stamped {
            return Err(FormatError::Missing {
                what: format!("a second run begins at line {number} and no row carries a time"),
                flag: "record with `vmstat -t`, or put every run into a file of its own and add --start, --every and --zone"
                    .to_owned(),
            });
        }
        self.runs += 1;
        let since_boot = match row {
            Ok(row) => row.values,
            Err(why) => {
                self.skipped.add(number, why);
                Vec::new()
            }
        };
        self.run = Run { since_boot, last: at, ..Run::default() };
        Ok(())
    }

    fn stamped(&mut self, number: u64, row: &Row, at: Option<Timestamp>) {
        let Some(at) = at else {
            return self.skipped.add(number, "its stamp is no time in this zone");
        };
        let passed = self.run.last.replace(at).map(|last| at - last);
        if passed.is_some_and(|passed| passed <= TimeDelta::zero()) {
            self.run.follows = false;
            return self.skipped.add(number, "its stamp is not later than the one before");
        }
        let every = self.run.every.or(passed.and_then(|passed| passed.to_std().ok())).or(self.about.every);
        match every {
            Some(every) => {
                self.run.every = Some(every);
                self.give(at, every, row);
            }
            None => self.skipped.add(number, "no row before it tells the interval"),
        }
    }

    fn give(&mut self, at: Timestamp, every: Duration, row: &Row) {
        let Some(layout) = &self.layout else { return };
        let mut snapshot = Snapshot::new(at, &self.about.host, every);
        snapshot.follows = std::mem::replace(&mut self.run.follows, true);
        for (column, value) in layout.columns.iter().zip(&row.values).filter(|(column, _)| **column != UNSURE) {
            snapshot.put(Place::Vmstat, column, &[], *value);
        }
        (self.sink)(snapshot);
        self.given += 1;
    }
}

impl Row {
    fn of(layout: &Layout, text: &str) -> Result<Row, String> {
        let mut words = text.split_ascii_whitespace();
        let mut values = Vec::with_capacity(layout.columns.len());
        let (expected, found) = (layout.columns.len() + layout.stamp.words(), words.clone().count());
        if found != expected {
            return Err(lines::columns(expected, found));
        }
        let mut shares = 0.0;
        for (i, (column, word)) in layout.columns.iter().zip(&mut words).enumerate() {
            let value = lines::sane(column, word)?;
            if i >= layout.shares {
                if value > 100.0 {
                    return Err(format!("`{column}` is {value} %"));
                }
                shares += value;
            }
            values.push(value);
        }
        // Some hypervisors lose the processor's times: no work, no rest and no waiting either (sysstat#95).
        if shares == 0.0 {
            return Err("its shares of CPU time are all 0".to_owned());
        }
        let (stamp, zone) = match &layout.stamp {
            Stamp::None => (None, ""),
            Stamp::Zone(zone) => (Some(Row::time(&mut words)?), zone.as_str()),
            Stamp::InRow => (Some(Row::time(&mut words)?), words.next().unwrap_or_default()),
        };
        Ok(Row { values, stamp, zone: zone.to_owned() })
    }

    fn time<'w>(words: &mut impl Iterator<Item = &'w str>) -> Result<NaiveDateTime, String> {
        let (date, time) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let stamp = clock::stamp(date, time).filter(clock::plausible);
        stamp.ok_or_else(|| format!("`{} {}` is no date and time", lines::clip(date), lines::clip(time)))
    }
}

/// Whether two rows say the same from the column `rates` on, of which the first is an average since boot: after long it hardly moves.
fn alike(since_boot: &[f64], values: &[f64], rates: usize) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= (a.abs() * 0.02).max(1.0);
    since_boot.len() == values.len() && since_boot.iter().zip(values).skip(rates).all(near)
}
