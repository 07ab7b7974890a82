//! Comparisons of matrices by columns, entry by entry, never by norm. A failure shows (i, j), the result, the
//! expected value, the difference, its scale and the seed.

use crate::matrices::largest;
use crate::random::seed_note;

/// An entry and its error.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    pub error: f64,
    pub at: String,
}

impl Worst {
    pub fn take(&mut self, other: Self) {
        if other.error.is_nan() || other.error > self.error {
            *self = other;
        }
    }
}

/// The entry with the largest difference in units of the `scale` of its row; NaN counts as the largest.
#[track_caller]
fn worst_by(what: &str, got: &[f64], want: &[f64], rows: usize, scale: &dyn Fn(usize) -> f64) -> Worst {
    assert_eq!(got.len(), want.len(), "{what}: lengths{}", seed_note());
    let (mut error, mut at) = (0.0f64, None);
    for (n, (got, want)) in got.iter().zip(want).enumerate() {
        let difference = (got - want).abs();
        // An exact entry is correct for any scale: a row of zeros must be exact.
        let this = if difference == 0.0 { 0.0 } else { difference / scale(n % rows) };
        if this.is_nan() || this > error {
            (error, at) = (this, Some(n));
            if this.is_nan() {
                break;
            }
        }
    }
    let Some(n) = at else { return Worst { error, at: format!("{what}: no difference") } };
    let (i, j, got, want, scale) = (n % rows, n / rows, got[n], want[n], scale(n % rows));
    let difference = (got - want).abs();
    let at =
        format!("{what} at ({i}, {j}): got {got:e}, want {want:e}, difference {difference:e} on a scale of {scale:e}");
    Worst { error, at: at + &seed_note() }
}

#[track_caller]
fn assert_within(worst: &Worst, tolerance: f64) {
    let Worst { error, at } = worst;
    assert!(*error <= tolerance, "{at}: {error:.1e} of it > {tolerance:.0e}");
}

/// Relative to the largest expected number, or to 1: for round-off due to different orders of summation.
#[track_caller]
pub fn assert_close(what: &str, got: &[f64], want: &[f64], rows: usize, tolerance: f64) {
    let scale = largest(want).max(1.0);
    assert_within(&worst_by(what, got, want, rows, &|_| scale), tolerance);
}

/// Relative to the scales of the rows. Returns the largest difference in units of its scale.
#[track_caller]
pub fn assert_rows_close(what: &str, got: &[f64], want: &[f64], scales: &[f64], tolerance: f64) -> f64 {
    let worst = worst_by(what, got, want, scales.len(), &|i| scales[i]);
    assert_within(&worst, tolerance);
    worst.error
}

/// The largest difference between entries, in units of the largest entry of the same row, or of `floor`.
///
/// Entries of a row are torques of one joint for unit steps of different joints: sums over the same bodies
/// and lever arms. So the row's largest entry is the magnitude of the summands, and rounding is about ε times
/// that and the depth of the tree. A single entry may be the result of cancellation.
#[track_caller]
pub fn worst(what: &str, got: &[f64], want: &[f64], rows: usize, floor: f64) -> Worst {
    let scales = crate::matrices::largest_in_rows(rows, want);
    worst_by(what, got, want, rows, &|i| scales[i].max(floor))
}

/// Checks that a matrix is square and exactly symmetric.
#[track_caller]
pub fn assert_symmetric(what: &str, m: &[f64], n: usize) {
    assert_eq!(m.len(), n * n, "{what}: lengths");
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        let (low, high) = (m[j * n + i], m[i * n + j]);
        assert!(
            low.to_bits() == high.to_bits(),
            "{what} at ({i}, {j}): {low:e}, and across the diagonal {high:e}, difference {:e}{}",
            low - high,
            seed_note()
        );
    }
}

/// Worst error of a test, printed at its end: `cargo test -- --nocapture`.
pub struct Report(&'static str, f64);

impl Report {
    pub fn of(what: &'static str) -> Self {
        Self(what, 0.0)
    }

    /// Relative to the largest of the row, or to 1.
    #[track_caller]
    pub fn check(&mut self, what: &str, got: &[f64], want: &[f64], rows: usize, tolerance: f64) {
        let worst = worst(what, got, want, rows, 1.0);
        self.1 = self.1.max(worst.error);
        assert_within(&worst, tolerance);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        println!("{}: worst error {:.1e}", self.0, self.1);
    }
}

/// Message of a failing assertion.
#[cfg(test)]
fn message<T: std::fmt::Debug>(assertion: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    *std::panic::catch_unwind(assertion).expect_err("a failure").downcast().expect("a message")
}

#[test]
fn failures_show_the_place_both_numbers_the_difference_and_the_seed() {
    crate::random::note_seed(7);
    let want = [1.0, 2.0, 3.0, 4.0];
    for (text, failure) in [
        ("close", message(move || assert_close("A", &[1.0, 2.0, 3.0, 4.5], &want, 2, 0.1))),
        ("rows", message(move || assert_rows_close("A", &[1.0, 2.0, 3.0, 4.5], &want, &[1.0, 1.0], 0.1))),
        ("report", message(move || Report::of("A").check("A", &[1.0, 2.0, 3.0, 4.5], &want, 2, 0.1))),
    ] {
        for part in ["A at (1, 1)", "got 4.5e0", "want 4e0", "difference 5e-1", "seed 7"] {
            assert!(failure.contains(part), "{text}: no {part:?} in {failure}");
        }
    }
    let failure = message(|| assert_symmetric("A", &[1.0, 2.0, 2.5, 1.0], 2));
    assert!(failure.contains("A at (1, 0): 2e0") && failure.contains("2.5e0"), "{failure}");
}

/// Comparisons with NaN are false, so an assertion must not search for values that are too large.
#[test]
fn what_is_not_a_number_is_close_to_nothing() {
    for (got, want) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::NAN), (f64::INFINITY, 1.0)] {
        message(move || assert_close("A", &[1.0, got], &[1.0, want], 2, 1.0));
        message(move || assert_rows_close("A", &[1.0, got], &[1.0, want], &[1.0, 1.0], 1.0));
        message(move || Report::of("A").check("A", &[1.0, got], &[1.0, want], 2, 1.0));
    }
    message(|| assert_symmetric("A", &[1.0, f64::NAN, 0.0, 1.0], 2));
    message(|| assert_close("lengths", &[1.0], &[1.0, 2.0], 1, 1.0));
}
