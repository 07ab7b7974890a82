//! Tables as data, as HTML (sortable) and as Markdown.

use crate::escape::{self, html};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A table of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataTable {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<DataCell>>,
}

/// A cell: text, and the number it stands for, if any, to sort by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataCell {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<f64>,
}

impl DataCell {
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: text.into(), value: Some(value) }
    }
}

impl<T: Into<String>> From<T> for DataCell {
    fn from(text: T) -> Self {
        Self { text: text.into(), value: None }
    }
}

impl DataTable {
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| (*name).to_string()).collect();
        Self { title: title.into(), columns, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = DataCell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Numbers stand to the right.
    fn is_number(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.text.is_empty());
        cells.any(|cell| cell.value.is_some())
    }

    /// A column without anything in it is not shown.
    fn is_empty(&self, column: usize) -> bool {
        self.rows.iter().all(|row| row.get(column).is_none_or(|cell| cell.text.is_empty()))
    }

    pub fn html(&self) -> String {
        let mut out = String::new();
        // Not a <caption>: that would scroll with a wide table.
        if !self.title.is_empty() {
            let _ = write!(out, "<h4>{}</h4>", html(&self.title));
        }
        // Many columns of words become cards on a phone.
        let words = self.columns.len() >= 4 && !(0..self.columns.len()).any(|k| self.is_number(k));
        let class = if words { "data stack" } else { "data" };
        let _ = write!(out, "<div class=\"scroll\"><table class=\"{class}\"><thead><tr>");
        let shown: Vec<usize> = (0..self.columns.len()).filter(|&k| !self.is_empty(k)).collect();
        for (k, name) in shown.iter().map(|&k| (k, &self.columns[k])) {
            let class = if self.is_number(k) { " class=\"number\"" } else { "" };
            let _ = write!(out, "<th{class} scope=\"col\"><button>{}</button></th>", html(name));
        }
        out += "</tr></thead><tbody>\n";
        for row in &self.rows {
            out += "<tr>";
            for (k, cell) in shown.iter().filter_map(|&k| Some((k, row.get(k)?))) {
                let class = if self.is_number(k) { " class=\"number\"" } else { "" };
                let value = cell.value.map_or_else(String::new, |value| format!(" data-value=\"{value:e}\""));
                // Others stay on one line where the table is wider than the page.
                let text = if k == 0 { breakable(&cell.text) } else { html(&cell.text) };
                let _ = write!(out, "<td{class}{value}>{text}</td>");
            }
            out += "</tr>\n";
        }
        out + "</tbody></table></div>\n"
    }

    pub fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| -> String {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let mut out = if self.title.is_empty() { String::new() } else { format!("{}:\n\n", self.title) };
        out += &line(&mut self.columns.iter().cloned());
        out += &line(
            &mut (0..self.columns.len()).map(|k| if self.is_number(k) { "---:".into() } else { "---".to_string() }),
        );
        for row in &self.rows {
            out += &line(&mut row.iter().map(|cell| escape::markdown(&cell.text)));
        }
        out + "\n"
    }
}

/// A name such as `frame_jacobian_rate` may be broken after its underscores, and nowhere else.
fn breakable(text: &str) -> String {
    html(text).replace('_', "_<wbr>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_anything_are_left_out() {
        let mut table = DataTable::new("", &["name", "nothing", "time"]);
        table.row(["a".into(), DataCell::default(), DataCell::number("3 µs", 3000.0)]);
        let html = table.html();
        assert!(!html.contains("nothing") && html.matches("<td").count() == 2, "{html}");
    }

    #[test]
    fn tables_are_escaped_and_aligned() {
        let mut table = DataTable::new("t", &["name", "time"]);
        table.row(["<a|b>".into(), DataCell::number("3 µs", 3000.0)]);
        let html = table.html();
        assert!(
            html.contains("&lt;a|b&gt;") && html.contains("data-value=\"3e3\"") && html.contains("class=\"number\"")
        );
        let markdown = table.markdown();
        assert!(markdown.contains("| --- | ---: |") && markdown.contains("a\\|b"), "{markdown}");
    }
}
