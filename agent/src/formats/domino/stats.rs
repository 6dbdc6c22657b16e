//! The statistics of one listing by name, and the way of each into a snapshot.

use std::collections::HashMap;

use super::dates::{self, DateOrder};
use super::numbers::{Conflict, Profile, Value};
use super::show_stat::Listing;
use crate::catalog::{self, Place};
use crate::snapshot::Snapshot;

/// The statistics of a listing by name; a name that stands several times is of several things, and so of none.
pub struct Stats<'a> {
    listing: &'a Listing,
    /// Whether the name stands only there.
    single: Vec<bool>,
}

impl<'a> Stats<'a> {
    /// The statistics of a listing.
    pub fn of(listing: &'a Listing) -> Stats<'a> {
        let mut single = vec![true; listing.stats.len()];
        let mut first = HashMap::with_capacity(single.len());
        for (at, (name, _)) in listing.stats.iter().enumerate() {
            if let Some(before) = first.insert(name.to_ascii_lowercase(), at) {
                (single[before], single[at]) = (false, false);
            }
        }
        Stats { listing, single }
    }

    /// Those that stand once, in their order.
    pub fn once(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let single = self.listing.stats.iter().zip(&self.single).filter(|(_, single)| **single);
        single.map(|((name, value), _)| (name.as_str(), value.as_str()))
    }

    /// What a statistic says, whatever the letter case of its name; the first where it stands several times.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.listing.stats.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The order of dates, where one of the listing's dates allows only one. Points between the parts stand for day, month and
    /// year: no locale writes the month first with points (Unicode CLDR).
    pub fn date_order(&self) -> Option<DateOrder> {
        let own = ["Stats.Time.Current", "Server.Time.Start"].into_iter().filter_map(|name| self.text(name));
        let values = own.chain(self.listing.stats.iter().map(|(_, value)| value.as_str()));
        values.filter_map(|value| Some((value, dates::zoned(value)?.stamp))).find_map(|(value, stamp)| {
            let points = value.split(' ').next().is_some_and(|date| date.contains('.')) && stamp.year_at == Some(2);
            stamp.order().or(points.then_some(DateOrder::Dmy))
        })
    }

    /// Puts every number and text of a partition's listing into a snapshot, with the signs of numbers learnt from the listing
    /// and, where it does not show them, from `remembered`, which is brought up to date.
    pub fn put(&self, partition: &str, named: &[Named], remembered: &mut Option<Profile>, into: &mut Snapshot) -> Put {
        let pairs = self.listing.stats.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let (profile, conflict) = match Profile::infer(pairs, *remembered) {
            Ok(profile) => {
                *remembered = Some(profile);
                (profile, None)
            }
            Err(conflict) => (Profile { group: None, decimal: None }, Some(conflict)),
        };
        let mut unclear = 0;
        for (name, value) in self.once() {
            // A build is a name, though it is made of digits.
            if catalog::fact(Place::Domino, name).is_some() {
                into.note(Place::Domino, name, &[partition], value);
                continue;
            }
            match profile.parse(value) {
                Value::Number(number) | Value::Duration(number) => put(name, number, partition, named, into),
                Value::Ambiguous => unclear += 1,
                Value::Text => into.note(Place::Domino, name, &[partition], value),
            }
        }
        Put { unclear, conflict }
    }
}

/// What was left out of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// Numbers that could be two numbers.
    pub unclear: u32,
    /// Numbers that contradict each other, so that no ambiguous one could be read.
    pub conflict: Option<Conflict>,
}

/// A statistic that no row claims and that somebody wants all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name as `show stat` prints it; may hold one `*`.
    pub statistic: String,
    /// Whether it only grows.
    pub counter: bool,
}

impl Named {
    /// Whether domprom spells it so, which loses what a `*` stands for: only a whole name is one.
    pub fn is_spelled(&self, name: &str) -> bool {
        let spelled = || format!("domino_{}", catalog::spelled(&self.statistic));
        !self.statistic.contains('*') && name.eq_ignore_ascii_case(&spelled())
    }

    fn is(&self, name: &str) -> bool {
        let (own, name) = (self.statistic.to_ascii_lowercase(), name.to_ascii_lowercase());
        match own.split_once('*') {
            None => own == name,
            Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
        }
    }
}

/// Puts one statistic of a partition: under its row, or as a named one.
pub fn put(name: &str, number: f64, partition: &str, named: &[Named], into: &mut Snapshot) {
    match named.iter().find(|named| named.is(name)) {
        None => into.put(Place::Domino, name, &[partition], number),
        Some(named) => into.put(Place::Named, if named.counter { "counter" } else { "gauge" }, &[name, partition], number),
    }
}
