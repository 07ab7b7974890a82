//! Tables: aligned columns in a terminal, sortable HTML in a page, Markdown in a file.

use crate::escape::{self, html, line};
use crate::style::Style;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Greatest length of a text in the first column that a page does not break into lines.
const LONG: usize = 40;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Align {
    /// At the left edge.
    Left,
    /// At the right edge, as numbers do.
    Right,
}

/// A piece of styled text, with its number, if any, for sorting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// The number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<f64>,
    #[serde(skip)]
    style: Style,
}

impl Cell {
    /// Plain text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: line(&text.into()).into_owned(), ..Self::default() }
    }

    /// A number with its text.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { value: Some(value), ..Self::new(text) }
    }

    /// Sets the style.
    pub fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Sets bold type.
    pub fn bold(self) -> Self {
        self.styled(Style::Bold)
    }

    /// Sets a weak colour.
    pub fn dim(self) -> Self {
        self.styled(Style::Dim)
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Rows of cells under the names of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Title above it in a page.
    #[serde(default)]
    pub title: String,
    columns: Vec<Align>,
    /// Names of the columns; they may be left out.
    pub head: Vec<Cell>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    #[serde(skip)]
    indent: String,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), ..Self::default() }
    }

    /// An empty table with these column names. Columns of numbers are aligned right.
    pub fn of<T: Into<Cell>>(names: impl IntoIterator<Item = T>) -> Self {
        let head: Vec<Cell> = names.into_iter().map(Into::into).collect();
        Self { columns: vec![Align::Left; head.len()], head, ..Self::default() }
    }

    /// Sets the title.
    pub fn titled(self, title: &str) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Sets the indentation of every line in the terminal.
    pub fn indent(self, indent: &str) -> Self {
        Self { indent: indent.into(), ..self }
    }

    /// Sets the names of the columns.
    pub fn head<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.head = cells.into_iter().map(Into::into).collect();
    }

    /// Adds a row.
    pub fn row<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn is_right(&self, column: usize) -> bool {
        let is_number = |row: &Vec<Cell>| row.get(column).is_some_and(|cell| cell.value.is_some());
        self.columns.get(column) == Some(&Align::Right) || self.rows.iter().any(is_number)
    }

    /// Writes the table to a terminal. Columns are as wide as their widest cell, two spaces apart.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let head: Vec<Cell> = self.head.iter().map(|cell| cell.clone().dim()).collect();
        let rows = || std::iter::once(&head).filter(|head| !head.is_empty()).chain(&self.rows);
        let columns = rows().map(Vec::len).max().unwrap_or(0);
        let widest = |k: usize| rows().filter_map(|row| row.get(k)).map(|cell| width(&cell.text)).max().unwrap_or(0);
        let layout: Vec<(usize, bool)> = (0..columns).map(|k| (widest(k), self.is_right(k))).collect();
        for row in rows() {
            let mut line = self.indent.clone();
            let last = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |k| k + 1);
            for (k, (cell, &(widest, right))) in row[..last].iter().zip(&layout).enumerate() {
                let (space, text) = (" ".repeat(widest - width(&cell.text)), cell.style.paint(&cell.text));
                line += if k == 0 { "" } else { "  " };
                line += &match right {
                    false if k + 1 == last => text,
                    false => text + &space,
                    true => space + &text,
                };
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// The table for a page. Columns without text are left out.
    pub fn html(&self) -> String {
        let mut out = String::new();
        // Not a <caption>: that would scroll with a wide table.
        if !self.title.is_empty() {
            let _ = write!(out, "<h4>{}</h4>", html(&self.title));
        }
        let shown: Vec<usize> = (0..self.head.len())
            .filter(|&k| self.rows.iter().any(|row| row.get(k).is_some_and(|cell| !cell.text.is_empty())))
            .collect();
        // On a phone, a table with many columns of words is shown as cards.
        let words = self.head.len() >= 4 && !(0..self.head.len()).any(|k| self.is_right(k));
        let class = |k: usize| if self.is_right(k) { " class=\"number\"" } else { "" };
        let stack = if words { " stack" } else { "" };
        let _ = write!(out, "<div class=\"scroll\"><table class=\"data{stack}\"><thead><tr>");
        for &k in &shown {
            let name = html(&self.head[k].text);
            let _ = write!(out, "<th{} scope=\"col\"><button>{name}</button></th>", class(k));
        }
        out += "</tr></thead><tbody>\n";
        for row in &self.rows {
            out += "<tr>";
            for (k, cell) in shown.iter().filter_map(|&k| Some((k, row.get(k)?))) {
                let value = cell.value.map_or_else(String::new, |value| format!(" data-value=\"{value:e}\""));
                // Allow line breaks after underscores in names such as `frame_jacobian_rate`.
                let text = html(&cell.text);
                let text = if k == 0 { text.replace('_', "_<wbr>") } else { text };
                let is_long = k == 0 && width(&cell.text) > LONG;
                let style = cell.style.class();
                let text = if style.is_empty() { text } else { format!("<span class=\"{style}\">{text}</span>") };
                let class = if is_long { " class=\"long\"" } else { class(k) };
                let _ = write!(out, "<td{class}{value}>{text}</td>");
            }
            out += "</tr>\n";
        }
        out + "</tbody></table></div>\n"
    }

    /// The table in Markdown; empty if it has no rows.
    pub fn markdown(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        let cells = |row: &[Cell]| line(&mut row.iter().map(|cell| escape::markdown(&cell.text)));
        let rule = |k: usize| if self.is_right(k) { "---:".to_string() } else { "---".into() };
        let mut out = cells(&self.head) + &line(&mut (0..self.head.len()).map(rule));
        out.extend(self.rows.iter().map(|row| cells(row)));
        out
    }
}

/// Width of a text in a terminal: its characters, except the dots of q̇ and q̈.
pub fn width(text: &str) -> usize {
    text.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_anything_are_left_out_of_a_page() {
        let mut table = Table::of(["name", "nothing", "time"]);
        table.row(["a".into(), Cell::default(), Cell::number("3 µs", 3000.0)]);
        let html = table.html();
        assert!(!html.contains("nothing") && html.matches("<td").count() == 2, "{html}");
    }

    #[test]
    fn tables_are_escaped_and_aligned() {
        let mut table = Table::of(["name", "time"]);
        table.row(["<a|b>".into(), Cell::number("3 µs", 3000.0)]);
        table.row(["c".into(), Cell::number("12 µs", 12000.0)]);
        let html = table.html();
        assert!(
            html.contains("&lt;a|b&gt;") && html.contains("data-value=\"3e3\"") && html.contains("class=\"number\"")
        );
        let markdown = table.markdown();
        assert!(markdown.contains("| --- | ---: |") && markdown.contains("a\\|b"), "{markdown}");
        let mut text = Vec::new();
        table.write(&mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "name    time\n<a|b>   3 µs\nc      12 µs\n");
    }
}
