//! `dtau eval --format table`: results as readable tables.

use crate::names::{coordinate_names, dof_names};
use crate::quantity::{Over, Quantity};
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use dtau::model::Model;
use dtau::{Constraints, Matrix};
use std::io::{self, Write};

/// Writes the results of all states as tables; a list of states gets headings.
pub fn write(
    out: &mut impl Write,
    model: &Model,
    held: Option<&Constraints>,
    answers: &[Quantity],
    is_list: bool,
) -> io::Result<()> {
    let mut report = Report {
        out,
        dofs: dof_names(model),
        rows: held.map(dtau::Constraints::row_names).unwrap_or_default(),
        coordinates: coordinate_names(model),
        width: line_width(),
    };
    for (k, answer) in answers.iter().enumerate() {
        if k > 0 {
            writeln!(report.out)?;
        }
        if is_list {
            writeln!(report.out, "{}", Style::Bold.paint(&format!("state {k}")))?;
        }
        report.member("", "", answer)?;
    }
    Ok(())
}

struct Report<'a, W> {
    out: &'a mut W,
    /// The names of the degrees of freedom.
    dofs: Vec<String>,
    /// The names of the rows of constraints.
    rows: Vec<String>,
    /// The names of the coordinates.
    coordinates: Vec<String>,
    /// Number of characters of a line.
    width: usize,
}

impl<W: Write> Report<'_, W> {
    /// Writes vectors over the degrees of freedom side by side, then results that fit on one line, then the
    /// rest.
    fn group(&mut self, indent: &str, members: &[(String, Quantity)]) -> io::Result<()> {
        let dofs: Vec<_> = members.iter().filter(|(_, x)| matches!(x, Quantity::Dofs(_))).collect();
        let rows: Vec<_> = members.iter().filter(|(_, x)| matches!(x, Quantity::Rows(_))).collect();
        let coordinates: Vec<_> = members.iter().filter(|(_, x)| matches!(x, Quantity::Coordinates(_))).collect();
        let is_line = |x: &Quantity| matches!(x, Quantity::Number(_) | Quantity::Spatial(_));
        let lines: Vec<_> = members.iter().filter(|(_, x)| is_line(x)).collect();
        let rest = members
            .iter()
            .filter(|(_, x)| matches!(x, Quantity::Matrix(..) | Quantity::Tensor(_) | Quantity::Group(_)));
        let mut first = true;
        if !dofs.is_empty() {
            self.vectors(indent, &self.dofs.clone(), &dofs)?;
            first = false;
        }
        if !rows.is_empty() {
            self.gap(&mut first)?;
            self.vectors(indent, &self.rows.clone(), &rows)?;
        }
        if !coordinates.is_empty() {
            self.gap(&mut first)?;
            self.vectors(indent, &self.coordinates.clone(), &coordinates)?;
        }
        if !lines.is_empty() {
            self.gap(&mut first)?;
            self.lines(indent, &lines)?;
        }
        for (name, member) in rest {
            self.gap(&mut first)?;
            self.member(indent, name, member)?;
        }
        Ok(())
    }

    /// Writes an empty line, except before the first item.
    fn gap(&mut self, first: &mut bool) -> io::Result<()> {
        if std::mem::take(first) { Ok(()) } else { writeln!(self.out) }
    }

    fn vectors(&mut self, indent: &str, names: &[String], members: &[&(String, Quantity)]) -> io::Result<()> {
        let columns: Vec<_> = members.iter().map(|(_, x)| digits(numbers(x))).collect();
        let mut table = Table::new([Align::Right, Align::Left].into_iter().chain(columns.iter().map(|_| Align::Right)));
        table.head(["", ""].into_iter().chain(members.iter().map(|(name, _)| name.as_str())));
        for (k, name) in names.iter().enumerate() {
            let mut row = vec![Cell::new(k.to_string()).dim(), Cell::new(name.as_str())];
            row.extend(columns.iter().map(|column| Cell::new(column[k].as_str())));
            table.row(row);
        }
        table.indent(indent).write(self.out)
    }

    fn lines(&mut self, indent: &str, members: &[&(String, Quantity)]) -> io::Result<()> {
        let longest = members.iter().map(|(_, x)| numbers(x).len()).max().unwrap_or(0);
        let mut table = Table::new([Align::Left].into_iter().chain((0..longest).map(|_| Align::Right)));
        for (name, member) in members {
            let cells = digits(numbers(member)).into_iter().map(Cell::new);
            table.row([Cell::new(name.as_str()).bold()].into_iter().chain(cells));
        }
        table.indent(indent).write(self.out)
    }

    fn member(&mut self, indent: &str, name: &str, member: &Quantity) -> io::Result<()> {
        if !name.is_empty() {
            let size = match member {
                Quantity::Matrix(_, m) => format!("  {} × {}", m.rows(), m.columns()),
                Quantity::Tensor(m) => format!("  {0} × {0} × {0}", m.rows()),
                _ => String::new(),
            };
            writeln!(self.out, "{indent}{}{}", Style::Bold.paint(name), Style::Dim.paint(&size))?;
        }
        let indent = if name.is_empty() { indent.to_string() } else { format!("{indent}  ") };
        match member {
            Quantity::Group(members) => self.group(&indent, members),
            Quantity::Matrix(over, m) => self.matrix(&indent, *over, m),
            Quantity::Tensor(m) => self.tensor(&indent, m),
            Quantity::Number(_)
            | Quantity::Dofs(_)
            | Quantity::Rows(_)
            | Quantity::Coordinates(_)
            | Quantity::Spatial(_) => Ok(()), // written by `group`
        }
    }

    /// Writes a matrix for each value of the first index.
    fn tensor(&mut self, indent: &str, m: &Matrix<f64>) -> io::Result<()> {
        let n = m.rows();
        for i in 0..n {
            let mut of_row = Matrix::zeros(n, n);
            for k in 0..n * n {
                of_row[(k % n, k / n)] = m[(i, k)];
            }
            writeln!(self.out, "{indent}{}", Style::Dim.paint(&format!("{i} {}", self.dofs[i])))?;
            self.matrix(indent, Over::Dofs, &of_row)?;
        }
        Ok(())
    }

    /// Writes blocks of as many columns as fit on a line.
    fn matrix(&mut self, indent: &str, over: Over, m: &Matrix<f64>) -> io::Result<()> {
        let text = digits(m);
        let row_names: Vec<Vec<Cell>> = (0..m.rows())
            .map(|i| match over {
                Over::Dofs => vec![Cell::new(i.to_string()).dim(), Cell::new(self.dofs[i].as_str())],
                Over::Rows => vec![Cell::new(i.to_string()).dim(), Cell::new(self.rows[i].as_str())],
                Over::SpaceDofs => vec![direction(i, m.rows()).into()],
                Over::Space => vec![],
            })
            .collect();
        let (names, widest_name) = match over {
            Over::Dofs => (2, widest(&self.dofs)),
            Over::Rows => (2, widest(&self.rows)),
            Over::SpaceDofs => (1, 0),
            Over::Space => (0, 0),
        };
        let taken = indent.len() + widest_name + 6;
        let column = 2 + text.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        let per_block = (self.width.saturating_sub(taken) / column).max(1);
        for (block, start) in (0..m.columns()).step_by(per_block).enumerate() {
            if block > 0 {
                writeln!(self.out)?;
            }
            let columns = start..(start + per_block).min(m.columns());
            let aligns = [Align::Right, Align::Left];
            let aligns = aligns[aligns.len() - names..].iter().copied();
            let mut table = Table::new(aligns.chain(columns.clone().map(|_| Align::Right)));
            if over != Over::Space {
                let blanks = std::iter::repeat_n(String::new(), names);
                table.head(blanks.chain(columns.clone().map(|j| j.to_string())));
            }
            for (i, name) in row_names.iter().enumerate() {
                let cells = columns.clone().map(|j| Cell::new(text[j * m.rows() + i].as_str()));
                table.row(name.iter().cloned().chain(cells));
            }
            table.indent(indent).write(self.out)?;
        }
        Ok(())
    }
}

fn widest(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0)
}

/// The numbers of a result that is not a matrix or a group.
fn numbers(quantity: &Quantity) -> &[f64] {
    match quantity {
        Quantity::Number(x) => std::slice::from_ref(x),
        Quantity::Dofs(x) | Quantity::Rows(x) | Quantity::Coordinates(x) | Quantity::Spatial(x) => x,
        Quantity::Matrix(..) | Quantity::Tensor(_) | Quantity::Group(_) => &[],
    }
}

/// Formats numbers that belong together, with enough decimals for six digits of the largest; `0` means
/// exactly zero.
fn digits(numbers: &[f64]) -> Vec<String> {
    let largest = numbers.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let magnitude = largest.log10().floor();
    let text = |x: &f64| match *x {
        0.0 => "0".into(),
        x if (-4.0..6.0).contains(&magnitude) => format!("{x:.*}", (5.0 - magnitude) as usize),
        x => format!("{x:.5e}"),
    };
    numbers.iter().map(text).collect()
}

fn direction(i: usize, rows: usize) -> &'static str {
    match (rows, i) {
        (3, i) => ["x", "y", "z"][i],
        (_, i) => ["lin x", "lin y", "lin z", "ang x", "ang y", "ang z"][i],
    }
}

/// Returns the width of the terminal, or 120 characters if it is unknown.
fn line_width() -> usize {
    let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    width.unwrap_or(120)
}
