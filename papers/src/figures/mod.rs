//! The figures, one file per family. Each function takes the lab and returns the content.

pub mod accuracy;
pub mod chains_fd;
pub mod chains_id;
pub mod many;
pub mod methods_tables;
pub mod noise;
pub mod ours;
pub mod robots;

use super::figure::Content;
use super::lab::Lab;
use super::sweep::{Ratio, Sweep};
use crate::plot::{Plot, Point, Series, Stroke};
use crate::work::{Work, product};
use dtau_cli::product::Instructions;

/// The library's ∂ID with the best instructions.
pub fn product_id() -> Work {
    Work::Product(product("id_derivatives"), Instructions::Best)
}

/// The library's ∂FD with the best instructions.
pub fn product_fd() -> Work {
    Work::Product(product("fd_derivatives"), Instructions::Best)
}

/// The claim that one curve is below another at all sizes.
fn faster_everywhere(
    content: &mut Content,
    sweep: &Sweep,
    slow: &str,
    fast: &str,
    factors: &[usize],
    words: &str,
) -> Result<(), String> {
    let mut least: Option<(f64, usize, Ratio)> = None;
    for &bf in factors {
        for (n, ratio) in sweep.all_ratios(slow, fast, bf)? {
            if least.is_none_or(|(_, _, so_far)| ratio.least.value < so_far.least.value) {
                least = Some((n, bf, ratio));
            }
        }
    }
    if let Some((n, bf, ratio)) = least {
        let branching = if factors.len() > 1 { format!(", bf {bf}") } else { String::new() };
        let ours = format!("At least {ratio}, at N = {n:.0}{branching}.");
        content.claim(words, ours, ratio.faster());
    }
    Ok(())
}

/// Draws Pinocchio's times on trees, if a run of bench/ is given.
fn add_opponent_trees(lab: &Lab<'_>, content: &mut Content, quantity: &str) {
    let Some(opponent) = &lab.settings.opponent else { return };
    let mut builds = Vec::new();
    // The first three plots are the times, by branching factor.
    for (plot, bf) in content.plots.iter_mut().zip([1, 2, 5]) {
        let Plot::Lines(lines) = plot else { return };
        let mut points = Vec::new();
        for n in 1..=2000 {
            if let Some((time, build)) = opponent.time_of_tree(n, bf, quantity) {
                points.push(Point::new(n as f64, time));
                builds.push(build.to_string());
            }
        }
        let largest = lab.settings.sizes.last().map_or(0.0, |n| *n as f64);
        points.retain(|point| point.x <= largest);
        if !points.is_empty() {
            lines.series.push(Series { name: "Pinocchio".into(), hue: 3, dash: Stroke::Points, points });
        }
    }
    builds.sort();
    builds.dedup();
    if !builds.is_empty() {
        content.note(format!("Points: {}, least times of a run of bench/ ({}).", builds.join("; "), opponent.label()));
    }
}
