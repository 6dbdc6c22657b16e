//! Three clocks side by side tell a stepped clock from a suspended machine.

use std::fmt;

use nix::time::{ClockId, clock_gettime};

/// How far the clocks may lie apart, in seconds, before it is called a jump.
const TOLERANCE: f64 = 0.5;
/// How much faster or slower a time daemon may let a clock go: adjtime(3) slews by half of this.
const SLEW: f64 = 0.001;

/// A reading of the clocks, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clocks {
    /// What the wall clock says.
    pub(super) wall: f64,
    /// Time since boot, asleep or awake.
    pub(super) boot: f64,
    /// Time since boot, awake only.
    pub(super) awake: f64,
}

/// Something happened to time itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Jump {
    /// The wall clock was set, by this many seconds.
    Stepped(f64),
    /// The machine slept for this many seconds.
    Suspended(f64),
}

impl Clocks {
    /// Reads them; where the system lacks one of them, no jump is ever seen.
    pub(super) fn read() -> Clocks {
        let seconds = |clock| clock_gettime(clock).map_or(f64::NAN, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9);
        Clocks {
            wall: seconds(ClockId::CLOCK_REALTIME),
            boot: seconds(ClockId::CLOCK_BOOTTIME),
            awake: seconds(ClockId::CLOCK_MONOTONIC),
        }
    }

    /// What happened since `before`.
    pub(super) fn jump_since(&self, before: &Clocks) -> Option<Jump> {
        let passed = self.boot - before.boot;
        let stepped = (self.wall - before.wall) - passed;
        let slept = passed - (self.awake - before.awake);
        let tolerance = TOLERANCE + SLEW * passed;
        if stepped.abs() > tolerance {
            Some(Jump::Stepped(stepped))
        } else if slept > tolerance {
            Some(Jump::Suspended(slept))
        } else {
            None
        }
    }
}

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Jump::Stepped(by) => write!(f, "clock stepped by {by:+.1} s"),
            Jump::Suspended(time) => write!(f, "machine suspended for {time:.1} s"),
        }
    }
}

/// CPU seconds this thread has used.
pub(super) fn thread_cpu_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

/// CPU seconds this process has used.
pub(super) fn process_cpu_seconds() -> f64 {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(0.0, |time| time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_told_apart() {
        let before = Clocks { wall: 1000.0, boot: 100.0, awake: 90.0 };
        let after = |wall, boot, awake| Clocks { wall, boot, awake }.jump_since(&before);
        assert_eq!(after(1060.0, 160.0, 150.0), None);
        assert_eq!(after(1060.4, 160.0, 150.0), None);
        assert_eq!(after(4660.0, 160.0, 150.0), Some(Jump::Stepped(3600.0)));
        assert_eq!(after(1000.0, 160.0, 150.0), Some(Jump::Stepped(-60.0)));
        assert_eq!(after(4600.0, 3700.0, 150.0), Some(Jump::Suspended(3540.0)));
        assert_eq!(after(f64::NAN, 160.0, 150.0), None);
        // Slewed by 500 ppm over an hour: 1.8 s, and no jump.
        assert_eq!(after(4601.8, 3700.0, 3690.0), None);
        assert_eq!(Jump::Stepped(-60.0).to_string(), "clock stepped by -60.0 s");
    }
}
