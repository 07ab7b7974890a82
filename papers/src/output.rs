//! Files of a figure: its numbers as JSON and CSV, its drawings as SVG.

use super::figure::Figure;
use super::list::Spec;
use crate::plot::{Plot, Point};
use dtau_cli::escape::csv as quoted;
use dtau_cli::failure::Failure;
use dtau_cli::files;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub struct Output {
    directory: PathBuf,
}

impl Output {
    /// Checks that all files can be written.
    pub fn new(directory: &Path) -> Result<Self, Failure> {
        files::require_writable_directory(directory)?;
        files::require_writable_directory(&directory.join("figures"))?;
        Ok(Self { directory: directory.into() })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join("figures").join(name)
    }

    /// Reads a figure of an earlier run with the same settings.
    pub fn read(&self, spec: &Spec, settings: &str) -> Option<Figure> {
        let text = std::fs::read_to_string(self.path(&format!("{}.json", spec.id))).ok()?;
        let figure: Figure = serde_json::from_str(&text).ok()?;
        (figure.settings == settings && figure.id == spec.id).then_some(figure)
    }

    /// Writes all files of a figure. The JSON file is the last one, so it exists only if the others do.
    pub fn write(&self, figure: &Figure) -> Result<(), Failure> {
        let id = &figure.id;
        for (name, plot) in names(figure) {
            files::write(&self.path(&format!("{name}.svg")), plot.file())?;
        }
        files::write(&self.path(&format!("{id}.csv")), csv(figure))?;
        let json = serde_json::to_string_pretty(figure).map_err(|error| Failure::input(format!("{id}: {error}")))?;
        files::write(&self.path(&format!("{id}.json")), json)
    }

    /// Writes a file next to the figures.
    pub fn write_beside(&self, name: &str, content: &str) -> Result<(), Failure> {
        files::write(&self.directory.join(name), content)
    }
}

/// The plots of a figure with the names of their files: `id`, or `id-1`, `id-2`, ….
pub fn names(figure: &Figure) -> impl Iterator<Item = (String, &Plot)> {
    let plots = &figure.content.plots;
    let name = |k: usize| if plots.len() == 1 { figure.id.clone() } else { format!("{}-{}", figure.id, k + 1) };
    plots.iter().enumerate().map(move |(k, plot)| (name(k), plot))
}

/// Every point of every plot, and every cell of every table.
fn csv(figure: &Figure) -> String {
    let mut out = String::from("plot,series,x,y,mean,p10,p90\n");
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:e}"));
    for plot in &figure.content.plots {
        let mut line = |series: &str, x: &str, p: &Point| {
            let cells = [quoted(plot.title()), quoted(series), quoted(x), format!("{:e}", p.y)];
            let _ = writeln!(out, "{},{},{},{}", cells.join(","), number(p.mean), number(p.low), number(p.high));
        };
        match plot {
            Plot::Lines(lines) => {
                for series in &lines.series {
                    series.points.iter().for_each(|p| line(&series.name, &p.x.to_string(), p));
                }
            }
            Plot::Dots(dots) => {
                for series in &dots.series {
                    series.points.iter().for_each(|p| line(&series.name, &dots.groups[p.x as usize], p));
                }
            }
            Plot::Heat(heat) => {
                for (k, &value) in heat.values.iter().enumerate() {
                    let (row, column) = (k / heat.columns.len(), k % heat.columns.len());
                    line(&heat.rows[row], &heat.columns[column], &Point::new(0.0, value));
                }
            }
        }
    }
    for table in &figure.content.tables {
        let _ = writeln!(out, "\n{}", table.head.iter().map(|cell| quoted(&cell.text)).collect::<Vec<_>>().join(","));
        for row in &table.rows {
            let cell =
                |cell: &dtau_cli::table::Cell| cell.value.map_or_else(|| quoted(&cell.text), |x| format!("{x:e}"));
            let _ = writeln!(out, "{}", row.iter().map(cell).collect::<Vec<_>>().join(","));
        }
    }
    out
}
