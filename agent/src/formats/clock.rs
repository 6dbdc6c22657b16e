//! Civil times of files as instants.
//!
//! The rule for the hour that a zone has twice in autumn stands here and nowhere else: the earlier one,
//! unless the file has been later already. An hour that a zone leaves out in spring is no time at all.

use chrono::{Datelike, MappedLocalTime, NaiveDate, NaiveDateTime, TimeZone};
use chrono_tz::Tz;

use crate::time::Timestamp;

/// Local times in the order in which a file gives them.
pub(super) struct LocalClock {
    zone: Tz,
    last: Option<Timestamp>,
}

impl LocalClock {
    pub(super) fn new(zone: Tz) -> LocalClock {
        LocalClock { zone, last: None }
    }

    /// A clock of a file that was at this instant before.
    pub(super) fn since(zone: Tz, last: Option<Timestamp>) -> LocalClock {
        LocalClock { zone, last }
    }

    /// The instant of a local time, which comes after those asked for before; `None` where the zone leaves it out.
    pub(super) fn instant(&mut self, local: NaiveDateTime) -> Option<Timestamp> {
        let at = match self.zone.from_local_datetime(&local) {
            MappedLocalTime::Single(at) => at.to_utc(),
            MappedLocalTime::Ambiguous(earlier, later) => {
                let earlier = earlier.to_utc();
                if self.last.is_some_and(|last| earlier < last) { later.to_utc() } else { earlier }
            }
            MappedLocalTime::None => return None,
        };
        self.last = Some(at);
        Some(at)
    }

    /// Forgets what came before: the file starts again at an earlier time.
    pub(super) fn restart(&mut self) {
        self.last = None;
    }

    /// The zone the times are in.
    pub(super) fn zone(&self) -> Tz {
        self.zone
    }
}

/// `2026-11-30` and `19:15:52`; by hand, because a general parser would be most of what reading a file costs.
pub(super) fn stamp(date: &str, time: &str) -> Option<NaiveDateTime> {
    let two = |bytes: &[u8]| match bytes {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0')),
        _ => None,
    };
    let (&[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1], &[h0, h1, b':', n0, n1, b':', s0, s1]) =
        (date.as_bytes(), time.as_bytes())
    else {
        return None;
    };
    let year = two(&[y0, y1])? * 100 + two(&[y2, y3])?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, two(&[m0, m1])?, two(&[d0, d1])?)?.and_hms_opt(
        two(&[h0, h1])?,
        two(&[n0, n1])?,
        two(&[s0, s1])?,
    )
}

/// Whether a recording can be of that time: a clock that was never set says 1970, a damaged file the year 12858 (sysstat#202).
pub(super) fn plausible(at: &impl Datelike) -> bool {
    (1990..2200).contains(&at.year())
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    #[test]
    fn the_hour_that_comes_twice_goes_forward() {
        let mut clock = LocalClock::new(chrono_tz::Europe::Berlin);
        let mut utc = |time| clock.instant(stamp("2026-10-25", time).unwrap()).unwrap().format("%H:%M").to_string();
        let local = ["01:30:00", "02:00:00", "02:30:00", "02:30:00", "02:00:00", "02:30:00", "03:00:00"];
        assert_eq!(local.map(&mut utc), ["23:30", "00:00", "00:30", "00:30", "01:00", "01:30", "02:00"]);
    }

    #[test]
    fn the_hour_left_out_is_no_time() {
        let mut clock = LocalClock::new(chrono_tz::America::New_York);
        assert_eq!(clock.instant(stamp("2026-03-08", "02:30:00").unwrap()), None);
        let at = clock.instant(stamp("2026-03-08", "03:30:00").unwrap());
        assert_eq!(at, Utc.with_ymd_and_hms(2026, 3, 8, 7, 30, 0).single());
    }

    #[test]
    fn stamps() {
        assert_eq!(stamp("2024-02-29", "23:59:59").unwrap().to_string(), "2024-02-29 23:59:59");
        for (date, time) in [
            ("2026-02-29", "00:00:00"),
            ("2026-01-01", "24:00:00"),
            ("26-01-01", "00:00:00"),
            ("2026-01-01", "0:00:00"),
            ("2026/01/01", "00:00:00"),
            ("２026-01", "00:00:00"),
        ] {
            assert_eq!(stamp(date, time), None, "{date} {time}");
        }
    }
}
