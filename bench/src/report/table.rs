//! Tables in Markdown.

/// A table of text. The first column stands left, the others right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With these headings.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// One row more.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The Markdown, or nothing if there are no rows.
    pub fn render(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = (0..self.head.len()).map(|i| if i == 0 { "---" } else { "---:" }.to_string()).collect();
        let mut out = line(&self.head) + &line(&rule);
        self.rows.iter().for_each(|row| out += &line(row));
        out
    }
}

/// A number with commas between thousands, and with few digits if it is small.
pub fn thousands(x: f64) -> String {
    if x < 100.0 {
        return format!("{x:.1}");
    }
    whole(x.round() as u64)
}

/// A whole number with commas between thousands.
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

/// A share in percent.
pub fn percent(x: f64) -> String {
    format!("{:.0} %", 100.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["robot", "∂ID"]);
        assert_eq!(table.render(), "");
        table.row(["ur3", "2.50"]);
        assert_eq!(table.render(), "| robot | ∂ID |\n| --- | ---: |\n| ur3 | 2.50 |\n");
    }

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!(thousands(1234567.8), "1,234,568");
        assert_eq!(thousands(123.4), "123");
        assert_eq!(whole(64), "64");
        assert_eq!(thousands(12.34), "12.3");
        assert_eq!(percent(0.333), "33 %");
    }
}
