//! Tables of text with aligned columns.

use crate::escape::line;
use crate::style::Style;
use std::io::{self, Write};

/// Where the text of a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A piece of text in a style, all of it on one line.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: line(&text.into()).into_owned(), style: Style::Plain }
    }

    pub fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    pub fn bold(self) -> Self {
        self.styled(Style::Bold)
    }

    pub fn dim(self) -> Self {
        self.styled(Style::Dim)
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Rows of cells; columns are as wide as their widest cell, two spaces apart.
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<Cell>>,
    indent: String,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new(), indent: String::new() }
    }

    /// Every line starts with this.
    pub fn indent(self, indent: &str) -> Self {
        Self { indent: indent.into(), ..self }
    }

    /// The names of the columns.
    pub fn head<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(|cell| cell.into().dim()).collect());
    }

    pub fn row<T: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let widest = |k: usize| self.rows.iter().filter_map(|row| row.get(k)).map(|cell| width(&cell.text)).max();
        let widths: Vec<_> = (0..self.columns.len()).map(|k| widest(k).unwrap_or(0)).collect();
        for row in &self.rows {
            let mut line = self.indent.clone();
            let last = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |k| k + 1);
            for (k, cell) in row[..last].iter().enumerate() {
                let gap = if k == 0 { "" } else { "  " };
                let space = " ".repeat(widths[k] - width(&cell.text));
                let text = cell.style.paint(&cell.text);
                line += gap;
                line += &match self.columns[k] {
                    Align::Left if k + 1 == last => text,
                    Align::Left => text + &space,
                    Align::Right => space + &text,
                };
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// How many columns of a terminal a text takes: its characters, but for the dots of q̇ and q̈.
pub fn width(text: &str) -> usize {
    text.chars().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).count()
}
