//! Numbers and durations as the server's locale writes them, learnt from a whole listing.
//!
//! `1.234` is two numbers. Which one is never taken from the value itself: the signs are fixed by values that leave no choice
//! (`1.234.567`, `1.234,5`, `0,5`), by what the server says of itself, or by what was learnt before.
//! Where all that is missing the value is [`Value::Ambiguous`]; where it contradicts itself there is a [`Conflict`].

use thiserror::Error;

use super::leading_number;

/// The blank of every width and encoding that groups digits, as one sign. A lost byte and `ÿ` are a no-break space badly decoded.
const BLANK: char = '\u{a0}';

/// The signs a server writes numbers with; `None` is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Profile {
    /// Between thousands; blanks of all kinds are U+00A0, apostrophes `'`.
    pub group: Option<char>,
    /// Before the fraction: a point or a comma.
    pub decimal: Option<char>,
}

/// Values of one listing that no single locale writes; its ambiguous values are missing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("numbers are written in two ways: `{first}` and `{second}`")]
pub struct Conflict {
    /// A value that fixes a sign.
    pub first: String,
    /// A value that contradicts it.
    pub second: String,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// A number that is two, as long as the signs are not known.
    Ambiguous,
    /// A time span in seconds.
    Duration(f64),
    /// Anything else.
    Text,
}

impl Profile {
    /// Learns the signs from the names and values of a whole listing; what it does not show is taken from `remembered`,
    /// unless it shows that this does not hold any more.
    ///
    /// # Errors
    /// Where the values contradict each other. A stray value or two against ten times as many is not heard:
    /// read with the others' signs it is no number or itself ambiguous.
    pub fn infer<'a>(stats: impl Iterator<Item = (&'a str, &'a str)>, remembered: Option<Profile>) -> Result<Profile, Conflict> {
        let mut votes = Votes::default();
        for (name, value) in stats {
            votes.hear(name, value);
        }
        let seen = votes.decide()?;
        let Some(remembered) = remembered else { return Ok(seen) };
        let agrees = |seen: Option<char>, old: Option<char>| seen.is_none() || old.is_none() || seen == old;
        let both = Profile { group: seen.group.or(remembered.group), decimal: seen.decimal.or(remembered.decimal) };
        let holds = agrees(seen.group, remembered.group) && agrees(seen.decimal, remembered.decimal);
        Ok(if holds && both.group.is_none_or(|group| Some(group) != both.decimal) { both } else { seen })
    }

    /// Reads a value with these signs.
    pub fn parse(&self, text: &str) -> Value {
        let text = text.trim();
        if let Some(seconds) = duration(text) {
            return Value::Duration(seconds);
        }
        let Some(written) = Written::of(text) else { return Value::Text };
        let decimal = match written.shape {
            Shape::Plain => None,
            Shape::Grouped(group) => match self.group {
                Some(known) if known != group => return Value::Text,
                None if self.decimal == Some(group) => return Value::Text,
                _ => None,
            },
            Shape::Both { group, decimal } => {
                let fits = self.group.is_none_or(|known| known == group) && self.decimal.is_none_or(|known| known == decimal);
                if !fits || self.group == Some(decimal) || self.decimal == Some(group) {
                    return Value::Text;
                }
                Some(decimal)
            }
            Shape::Fraction(sign) => {
                if self.group == Some(sign) || self.decimal.is_some_and(|known| known != sign) {
                    return Value::Text;
                }
                Some(sign)
            }
            Shape::Either(sign) => match (self.group == Some(sign), self.decimal == Some(sign)) {
                (true, _) => None,
                (_, true) => Some(sign),
                // The other sign is known, and a number has only these two.
                _ if self.decimal.is_some() && self.group.is_none() => None,
                _ if self.group.is_some() && self.decimal.is_none() => Some(sign),
                _ if self.group.is_some() => return Value::Text,
                _ => return Value::Ambiguous,
            },
        };
        written.number(decimal)
    }
}

/// What the signs of one number tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    Grouped(char),
    Fraction(char),
    Both { group: char, decimal: char },
    Either(char),
}

/// Digits with signs between them that can be a number in some locale.
struct Written {
    negative: bool,
    /// Digits and signs, the signs unified.
    body: String,
    shape: Shape,
}

impl Written {
    /// Longer than any number of digits that a server prints.
    const LONGEST: usize = 60;

    fn of(text: &str) -> Option<Written> {
        if text.len() > Written::LONGEST {
            return None;
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let body: String = digits.chars().map(unify).collect::<Option<_>>()?;
        let mut signs = Vec::new();
        let mut parts = vec![0_usize];
        for c in body.chars() {
            match (c.is_ascii_digit(), parts.last_mut()) {
                (true, Some(part)) => *part += 1,
                _ => {
                    signs.push(c);
                    parts.push(0);
                }
            }
        }
        if parts.contains(&0) {
            return None;
        }
        let shape = shape(&body, &signs, &parts)?;
        Some(Written { negative, body, shape })
    }

    fn number(&self, decimal: Option<char>) -> Value {
        let plain: String = self
            .body
            .chars()
            .filter_map(|c| if Some(c) == decimal { Some('.') } else { c.is_ascii_digit().then_some(c) })
            .collect();
        match plain.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Number(if self.negative { -number } else { number }),
            _ => Value::Text,
        }
    }
}

/// Blanks as one sign, apostrophes as one; `None` for what stands in no number.
fn unify(c: char) -> Option<char> {
    match c {
        '0'..='9' | '.' | ',' | '\'' => Some(c),
        '\u{2019}' => Some('\''),
        ' ' | '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{2009}' | 'ÿ' | '\u{fffd}' => Some(BLANK),
        _ => None,
    }
}

fn shape(body: &str, signs: &[char], parts: &[usize]) -> Option<Shape> {
    let can_be_decimal = |sign: char| matches!(sign, '.' | ',');
    let (&last, before) = match signs.split_last() {
        None => return Some(Shape::Plain),
        Some(split) => split,
    };
    let Some(&first) = before.first() else {
        let zero = body.starts_with('0');
        return match (parts, can_be_decimal(last)) {
            ([1..=3, 3], false) if !zero => Some(Shape::Grouped(last)),
            ([1..=3, 3], true) if !zero => Some(Shape::Either(last)),
            (_, true) => Some(Shape::Fraction(last)),
            _ => None,
        };
    };
    if body.starts_with('0') || before.iter().any(|sign| *sign != first) {
        return None;
    }
    if last == first {
        return (grouped(parts) && !address(body, parts)).then_some(Shape::Grouped(first));
    }
    (grouped(&parts[..parts.len() - 1]) && can_be_decimal(last)).then_some(Shape::Both { group: first, decimal: last })
}

/// Thousands, or in India hundreds above the first thousand.
fn grouped(parts: &[usize]) -> bool {
    match parts {
        [1..=3, rest @ ..] if rest.iter().all(|part| *part == 3) => true,
        [1..=2, middle @ .., 3] => middle.iter().all(|part| *part == 2),
        _ => false,
    }
}

/// `192.168.100.200` looks grouped, and is an address.
fn address(body: &str, parts: &[usize]) -> bool {
    parts.len() == 4 && body.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// A sign, how many values speak for it, and the first of them.
type Vote = (char, u32, String);

/// What the values of a listing tell about signs.
#[derive(Debug, Default)]
struct Votes {
    group: Vec<Vote>,
    decimal: Vec<Vote>,
    either: Vec<Vote>,
    stated: Profile,
}

impl Votes {
    fn hear(&mut self, name: &str, value: &str) {
        // A task that knows the system's signs publishes them.
        for (stat, sign) in [
            ("DominoHealth.Intl.ThousandString", &mut self.stated.group),
            ("DominoHealth.Intl.DecimalString", &mut self.stated.decimal),
        ] {
            if name.eq_ignore_ascii_case(stat) {
                let mut signs = value.chars();
                *sign = signs.next().and_then(unify).filter(|c| !c.is_ascii_digit() && signs.next().is_none());
                return;
            }
        }
        // `14.5` is a release in every locale.
        if name.to_ascii_lowercase().contains("version") {
            return;
        }
        let Some(written) = Written::of(value.trim()) else { return };
        let mut vote = |on: fn(&mut Votes) -> &mut Vec<Vote>, sign: char| {
            let votes = on(self);
            match votes.iter_mut().find(|(of, ..)| *of == sign) {
                Some((_, count, _)) => *count += 1,
                None => votes.push((sign, 1, value.to_owned())),
            }
        };
        match written.shape {
            Shape::Plain => {}
            Shape::Grouped(sign) => vote(|votes| &mut votes.group, sign),
            Shape::Fraction(sign) => vote(|votes| &mut votes.decimal, sign),
            Shape::Either(sign) => vote(|votes| &mut votes.either, sign),
            Shape::Both { group, decimal } => {
                vote(|votes| &mut votes.group, group);
                vote(|votes| &mut votes.decimal, decimal);
            }
        }
    }

    fn decide(mut self) -> Result<Profile, Conflict> {
        self.separate()?;
        let (group, decimal) = (winner(&mut self.group)?, winner(&mut self.decimal)?);
        let seen = Profile { group: group.as_ref().map(|vote| vote.0), decimal: decimal.as_ref().map(|vote| vote.0) };
        let profile = Profile { group: seen.group.or(self.stated.group), decimal: seen.decimal.or(self.stated.decimal) };
        for (vote, stated) in [(&group, self.stated.group), (&decimal, self.stated.decimal)] {
            if let (Some((sign, _, value)), Some(stated)) = (vote, stated)
                && *sign != stated
            {
                return Err(Conflict { first: format!("sign {stated}"), second: value.clone() });
            }
        }
        if let Some((_, _, value)) = group.or(decimal).filter(|_| profile.group.is_some() && profile.group == profile.decimal) {
            return Err(Conflict { first: "sign of the system".to_owned(), second: value });
        }
        self.complete(profile)
    }

    /// Each sign is a group's or a decimal: the votes of strays for the other are dropped.
    fn separate(&mut self) -> Result<(), Conflict> {
        for sign in ['.', ','] {
            let of = |votes: &[Vote]| votes.iter().find(|vote| vote.0 == sign).cloned();
            let (Some(as_group), Some(as_decimal)) = (of(&self.group), of(&self.decimal)) else { continue };
            let (more, less, strays) = if as_group.1 >= as_decimal.1 {
                (as_group, as_decimal, &mut self.decimal)
            } else {
                (as_decimal, as_group, &mut self.group)
            };
            if !outnumbered(more.1, less.1) {
                return Err(Conflict { first: more.2, second: less.2 });
            }
            strays.retain(|vote| vote.0 != sign);
        }
        Ok(())
    }

    /// Where one sign is known, a number with one sign and three digits behind it tells the other.
    fn complete(mut self, profile: Profile) -> Result<Profile, Conflict> {
        match profile {
            Profile { group: None, decimal: Some(decimal) } => {
                self.either.retain(|(sign, ..)| *sign != decimal);
                Ok(Profile { group: winner(&mut self.either)?.map(|vote| vote.0), ..profile })
            }
            Profile { group: Some(group), decimal: None } => {
                self.either.retain(|(sign, ..)| *sign != group);
                Ok(Profile { decimal: winner(&mut self.either)?.map(|vote| vote.0), ..profile })
            }
            Profile { group: Some(group), decimal: Some(decimal) } => {
                // A third sign: a listing of two servers.
                let known: u32 = self.either.iter().filter(|(sign, ..)| [group, decimal].contains(sign)).map(|vote| vote.1).sum();
                self.either.retain(|(sign, ..)| ![group, decimal].contains(sign));
                match winner(&mut self.either)? {
                    Some((_, count, value)) if !outnumbered(known, count) => {
                        Err(Conflict { first: format!("signs {group} and {decimal}"), second: value })
                    }
                    _ => Ok(profile),
                }
            }
            Profile { group: None, decimal: None } => Ok(profile),
        }
    }
}

/// Whether so few values against so many are strays.
fn outnumbered(more: u32, less: u32) -> bool {
    less <= 2 && more >= 10 * less
}

/// The sign that most values speak for, unless others do too.
fn winner(votes: &mut Vec<Vote>) -> Result<Option<Vote>, Conflict> {
    votes.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
    let against: u32 = votes.iter().skip(1).map(|vote| vote.1).sum();
    match votes.as_slice() {
        [first, second, ..] if !outnumbered(first.1, against) => {
            Err(Conflict { first: first.2.clone(), second: second.2.clone() })
        }
        _ => Ok(votes.first().cloned()),
    }
}

/// `00:34:03`, `1 day(s) 04:15:00`, `1 Tag(e) 04:15:00`, in seconds.
pub fn duration(text: &str) -> Option<f64> {
    let (before, clock) = text.rsplit_once(' ').unwrap_or(("", text));
    let days = match before.trim_end() {
        "" => 0,
        before => {
            let (days, words) = leading_number(before)?;
            let word = |c: char| c.is_alphabetic() || matches!(c, '(' | ')' | ' ' | '.' | ',' | '\u{a0}');
            if !(words.chars().any(char::is_alphabetic) && words.chars().all(word)) || days > 100_000 {
                return None;
            }
            days
        }
    };
    let mut parts = clock.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        let whole = lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        if whole { part.parse::<u64>().ok() } else { None }
    };
    let (hours, minutes, seconds) = (digits(hours, 1..=6)?, digits(minutes, 2..=2)?, digits(seconds, 2..=2)?);
    if parts.next().is_some() || minutes > 59 || seconds > 59 {
        return None;
    }
    Some((days * 86_400 + hours * 3600 + minutes * 60 + seconds) as f64)
}
