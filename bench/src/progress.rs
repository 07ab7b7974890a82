//! What is running, how far it is, and how long it will still take; on standard error.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Progress over a known number of steps.
pub struct Progress {
    total: usize,
    done: usize,
    start: Instant,
    live: bool,
}

impl Progress {
    /// Nothing of `total` is done.
    pub fn new(total: usize) -> Self {
        Self { total, done: 0, start: Instant::now(), live: stderr().is_terminal() }
    }

    /// A step begins. Shown only where the line can be overwritten.
    pub fn begin(&self, what: &str) {
        if self.live {
            eprint!("\r\x1b[K{} {what}", self.place());
            let _ = stderr().flush();
        }
    }

    /// A step is over.
    pub fn end(&mut self) {
        self.done += 1;
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        let clear = if self.live { "\r\x1b[K" } else { "" };
        eprintln!("{clear}{} {line}", self.place());
    }

    fn place(&self) -> String {
        let width = self.total.to_string().len();
        let left = match remaining(self.start.elapsed(), self.done, self.total) {
            Some(left) => format!("{} left", minutes(left)),
            None => "…".into(),
        };
        format!("[{:>width$}/{} {left:>14}]", self.done, self.total)
    }
}

/// The time left if the rest goes as the part that is done.
fn remaining(elapsed: Duration, done: usize, total: usize) -> Option<Duration> {
    (done > 0).then(|| elapsed.mul_f64((total - done.min(total)) as f64 / done as f64))
}

fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_expected_to_go_like_the_part_that_is_done() {
        assert_eq!(remaining(Duration::from_secs(30), 3, 12), Some(Duration::from_secs(90)));
        assert_eq!(remaining(Duration::from_secs(30), 0, 12), None);
        assert_eq!(minutes(Duration::from_secs(95)), "1 min 35 s");
        assert_eq!(minutes(Duration::from_secs(5)), "5 s");
    }
}
