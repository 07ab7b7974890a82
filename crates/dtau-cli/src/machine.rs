//! The machine and the time of a measurement.

use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The system's name of its processor.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    name_in(&info).unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// Name, family and model of the first processor of `/proc/cpuinfo`.
fn name_in(info: &str) -> Option<String> {
    let field = |name: &str| {
        let is_it = |line: &&str| line.split(':').next().is_some_and(|key| key.trim() == name);
        Some(info.lines().find(is_it)?.split_once(':')?.1.trim().to_string())
    };
    let detail = match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!(" (family {family}, model {model})"),
        _ => String::new(),
    };
    Some(field("model name")? + &detail)
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The current time as `2026-11-17 01:58 UTC`.
pub fn now() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Formats seconds since 1970. The year begins in March, so that the leap day is its last (H. Hinnant,
/// "chrono-compatible low-level date algorithms").
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

static GIVEN: OnceLock<(&str, Vec<OsString>)> = OnceLock::new();

/// Keeps the name and the arguments of the program for [`command`].
pub fn remember(program: &'static str, arguments: &[OsString]) {
    let _ = GIVEN.set((program, arguments.to_vec())); // a second command of a process is shown as the first; Python runs one
}

/// The command line as given, quoted for a shell.
pub fn command() -> String {
    let (program, given) = GIVEN.get().map_or(("dtau", &[][..]), |(program, given)| (program, given));
    let given = given.iter().skip(1).map(|arg| quoted(&arg.to_string_lossy()));
    std::iter::once(program.to_string()).chain(given).collect::<Vec<_>>().join(" ")
}

/// A word of a command line, quoted for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,=:+@%".contains(c);
    match word.chars().all(plain) && !word.is_empty() {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Time that this thread has waited for a processor, if the system reports it.
pub fn waited() -> Option<Duration> {
    // Time on a processor, time waiting for one, number of turns: man 5 proc.
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_read_from_cpuinfo() {
        let text = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n";
        assert_eq!(name_in(text).as_deref(), Some("AMD EPYC (family 25, model 1)"));
        assert_eq!(name_in(""), None);
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
