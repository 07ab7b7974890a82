//! Number formats of BENCHMARKS.md.

/// Formats a number with thousands separators. Small numbers have few digits.
pub fn thousands(x: f64) -> String {
    if x < 100.0 {
        return format!("{x:.1}");
    }
    whole(x.round() as u64)
}

/// Formats an integer with thousands separators.
pub fn whole(x: u64) -> String {
    let digits = x.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Formats a fraction as a percentage.
pub fn percent(x: f64) -> String {
    format!("{:.0} %", 100.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!(thousands(1234567.8), "1,234,568");
        assert_eq!(thousands(123.4), "123");
        assert_eq!(whole(64), "64");
        assert_eq!(thousands(12.34), "12.3");
        assert_eq!(percent(0.333), "33 %");
    }
}
