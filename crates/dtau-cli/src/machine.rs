//! The machine that times are measured on, and when.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the system calls its processor.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    field("model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `2026-11-17 01:58 UTC`.
pub fn now() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Of seconds since 1970. The year begins in March, so that the odd day is its last (H. Hinnant, "chrono-compatible low-level date
/// algorithms").
fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", seconds / 3600 % 24, seconds / 60 % 60)
}

static GIVEN: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the arguments of the command for [`command`].
pub fn remember(arguments: &[OsString]) {
    let _ = GIVEN.set(arguments.to_vec()); // a second command of one process is shown as the first; Python runs one
}

/// The command as it was given, such that a shell takes it again.
pub fn command() -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,=:+@%".contains(c);
    let word = |word: String| match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let given = GIVEN.get().into_iter().flatten().skip(1).map(|arg| word(arg.to_string_lossy().into_owned()));
    std::iter::once("dtau".to_string()).chain(given).collect::<Vec<_>>().join(" ")
}

/// How long this thread has waited for a processor that others had, where the system says.
pub fn waited() -> Option<Duration> {
    // Time on a processor, time waiting for one, number of turns: man 5 proc.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// Processor time since the system started, in its ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// Of all processors, busy or not.
    all: u64,
    busy: u64,
    /// By this program.
    own: u64,
}

impl Used {
    /// None where the system does not say.
    pub fn now() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let own = std::fs::read_to_string("/proc/self/stat").ok()?;
        Self::of(&stat, &own)
    }

    /// `cpu user nice system idle iowait irq softirq steal …`, and of the program, after its name in parentheses, user and system as
    /// the 12th and the 13th: man 5 proc.
    fn of(stat: &str, own: &str) -> Option<Self> {
        let ticks: Vec<u64> =
            stat.lines().next()?.split_whitespace().skip(1).take(8).filter_map(|x| x.parse().ok()).collect();
        let all: u64 = ticks.iter().sum();
        let idle = ticks.get(3)? + ticks.get(4)?;
        let mut after = own.rsplit_once(')')?.1.split_whitespace().skip(11);
        let (user, system): (u64, u64) = (after.next()?.parse().ok()?, after.next()?.parse().ok()?);
        Some(Self { all, busy: all - idle, own: user + system })
    }

    /// The share of the machine that other programs have had since.
    pub fn others_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        let busy = self.busy.saturating_sub(before.busy);
        busy.saturating_sub(self.own.saturating_sub(before.own)) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 ticks on two processors: 150 of them busy, 60 by us, whose name is no help.
    #[test]
    fn others_are_what_is_busy_and_not_ours() {
        let of = |stat: &str, own: &str| Used::of(stat, own).unwrap();
        let before = of("cpu  100 10 20 1000 5 0 0 0 0 0\ncpu0 1", "7 (a) b) R 1 1 1 0 -1 4 1 0 0 0 30 10 0 0");
        let after = of("cpu  220 20 30 1045 10 5 5 0 0 0\ncpu0 1", "7 (a) b) R 1 1 1 0 -1 4 1 0 0 0 80 20 0 0");
        assert_eq!(after.others_since(before), 90.0 / 200.0);
        assert!(Used::of("", "").is_none());
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(date(4_107_542_400), "2100-03-01 00:00 UTC");
        assert_eq!(date(1_794_880_740), "2026-11-17 01:59 UTC");
    }
}
