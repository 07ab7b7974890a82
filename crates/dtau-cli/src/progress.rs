//! Progress of long work on standard error: the current task, the finished share, the time left.
//!
//! A terminal gets one line that is updated; other outputs get a plain line now and then.

use crate::escape;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Progress of work whose parts have weights.
pub struct Progress {
    total: f64,
    done: f64,
    /// Weight of the current part, and the share of it that is done.
    part: (f64, f64),
    start: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    /// `total` is the sum of the weights of all parts.
    pub fn new(total: f64) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { total, done: 0.0, part: (0.0, 0.0), start: Instant::now(), shown: None, terminal }
    }

    /// Reports the start of a task.
    pub fn at(&mut self, what: &str) {
        // An updated line may change often; permanent lines should be few.
        let pause = if self.terminal { Duration::from_millis(80) } else { Duration::from_secs(10) };
        if self.shown.is_none_or(|shown| shown.elapsed() >= pause) {
            self.shown = Some(Instant::now());
            self.show(what);
        }
    }

    /// Starts a part of this weight; [`part`](Self::part) sets its progress.
    pub fn begin(&mut self, weight: f64) {
        self.part = (weight, 0.0);
    }

    /// Sets the finished share of the part, 0 to 1.
    pub fn part(&mut self, share: f64) {
        self.part.1 = share;
    }

    /// Finishes a part.
    pub fn advance(&mut self, weight: f64) {
        self.done = (self.done + weight).min(self.total);
        self.part = (0.0, 0.0);
    }

    /// Writes a permanent line, for example that a part is finished.
    pub fn line(&mut self, text: &str) {
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        let _ = writeln!(io::stderr(), "{clear}{}", escape::line(text));
        self.shown = None;
    }

    /// Clears the updated line.
    pub fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn show(&self, what: &str) {
        let share = if self.total > 0.0 { self.so_far() / self.total } else { 1.0 };
        let left = self.left().map_or_else(String::new, |left| format!(", {} left", duration(left)));
        let line = format!("{:3.0} %{left}: {}", 100.0 * share, escape::line(what));
        let _ = if self.terminal {
            const WIDTH: usize = 24;
            let full = (share * WIDTH as f64).round() as usize;
            let bar = "━".repeat(full) + &"─".repeat(WIDTH - full.min(WIDTH));
            let mut err = io::stderr();
            write!(err, "\r\x1b[K{bar} {}", line.chars().take(90).collect::<String>()).and_then(|()| err.flush())
        } else {
            writeln!(io::stderr(), "{line}")
        };
    }

    fn so_far(&self) -> f64 {
        (self.done + self.part.0 * self.part.1).min(self.total)
    }

    /// Estimated time left at the pace so far; `None` if there is no pace yet.
    fn left(&self) -> Option<Duration> {
        let elapsed = self.start.elapsed();
        let done = self.so_far();
        let paced = done > 0.02 * self.total && elapsed > Duration::from_secs(1);
        paced.then(|| elapsed.mul_f64((self.total - done) / done))
    }
}

/// Formats a duration as `45 s` or `3 min 10 s`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
