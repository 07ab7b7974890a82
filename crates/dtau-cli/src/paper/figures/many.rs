//! Many states at once: SIMD lanes and threads.

use crate::many::{STATES, Side};
use crate::page::{DataCell, DataTable};
use crate::paper::figure::{Content, Verdict};
use crate::paper::lab::Lab;
use crate::paper::robots::Named;
use crate::paper::sweep::{Curve, short, sweep_up_to};
use crate::plot::{Axis, Lines, Plot, Point, Series, Stroke, Unit};
use crate::product::{Instructions, Product};
use crate::timing::{Timing, text};
use crate::work::Work;

/// The library's derivatives, by name.
const DERIVATIVES: [(&str, &str); 2] = [("∂ID", "id_derivatives"), ("∂FD", "fd_derivatives")];

/// One state after the other against states side by side.
pub fn lanes(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [[&str; 3]; 2] =
        [["∂ID, one by one", "∂ID, lanes", "∂ID, lanes, f32"], ["∂FD, one by one", "∂FD, lanes", "∂FD, lanes, f32"]];
    let mut curves = Vec::new();
    for ((_, function), names) in DERIVATIVES.into_iter().zip(NAMES) {
        let product = Product::named(function);
        curves.push(Curve::new(names[0], Work::Product(product, Instructions::Best), 0));
        curves.push(Curve::new(names[1], Work::Many(product, Side::Lanes), 2));
        curves.push(Curve::new(names[2], Work::Many(product, Side::Lanes32), 4));
    }
    // A batch keeps all its results: at 500 links 256 states are a gigabyte and more.
    let sweep = sweep_up_to(lab, &curves, 100)?;
    let mut content = Content::default();
    for ((what, _), names) in DERIVATIVES.into_iter().zip(NAMES) {
        let ratios = sweep.all_ratios(names[0], names[1], 1)?;
        let (low, high) = ratios.iter().fold((f64::MAX, 0.0f64), |(l, h), (_, r)| (l.min(r.least), h.max(r.least)));
        content.claim(
            &format!("{what}: four states side by side in SIMD lanes take less time a state than one after the other."),
            format!("{} to {} times faster a state on chains.", short(low), short(high)),
            Verdict::of(low > 1.0),
        );
    }
    content.plots = vec![
        sweep.times("∂ID a state, chains", &NAMES[0]),
        sweep.times("∂FD a state, chains", &NAMES[1]),
        sweep.ratios(
            "How much faster lanes are, double precision",
            &[(NAMES[0][0], NAMES[0][1]), (NAMES[1][0], NAMES[1][1])],
            vec![],
        )?,
    ];
    content.note(format!("A batch is {STATES} states, packed and unpacked in the time; one by one is a workspace on the best instructions."));
    content.note(
        "A batch keeps the results of all its states, some N² numbers each, which leave the caches as N grows; one by one writes \
         into the same matrices again and again. And IDSVA one by one fills the lanes too, with bodies.",
    );
    Ok(content)
}

/// How times fall with threads.
pub fn threads(lab: &mut Lab<'_>) -> Result<Content, String> {
    let cores = crate::machine::cores();
    let mut counts: Vec<usize> =
        [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].into_iter().filter(|n| *n <= cores).collect();
    if !counts.contains(&cores) {
        counts.push(cores);
    }
    let (mut content, mut series, mut hue) = (Content::default(), Vec::new(), 0);
    let mut table =
        DataTable::new("Time a state, least", &["robot", "", "threads", "time", "× one thread", "states a second"]);
    for named in [Named::Hyq, Named::Atlas] {
        let subject = lab.robot(named)?;
        for (what, function) in DERIVATIVES {
            let product = Product::named(function);
            lab.at(&format!("{what} of {}", subject.name), hue as f64 / 4.0);
            let works: Vec<Work> = counts.iter().map(|&n| Work::Many(product, Side::Threads(n))).collect();
            let times = lab.times(&subject, &works)?;
            let point = |(&n, t): (&usize, &Timing)| Point {
                x: n as f64,
                y: t.mean,
                min: Some(t.min),
                low: Some(t.low),
                high: Some(t.high),
            };
            let points = counts.iter().zip(&times).map(point).collect();
            series.push(Series { name: format!("{what}, {}", subject.name), hue, dash: Stroke::Solid, points });
            hue += 1;
            for (&n, time) in counts.iter().zip(&times) {
                let gain = times[0].min / time.min;
                table.row([
                    subject.name.as_str().into(),
                    what.into(),
                    DataCell::number(n.to_string(), n as f64),
                    DataCell::number(text(time.min), time.min),
                    DataCell::number(short(gain), gain),
                    DataCell::number(format!("{:.0}k", 1e6 / time.min), 1e9 / time.min),
                ]);
            }
            if let (Some(last), Some(&most)) = (times.last(), counts.last()) {
                let gain = times[0].min / last.min;
                content.claim(
                    &format!(
                        "{what} of {}: threads share nothing, so {most} of them should be nearly {most} times faster.",
                        subject.name
                    ),
                    format!("{} times faster a state on {most} threads.", short(gain)),
                    Verdict::of(gain >= 0.75 * most as f64),
                );
            }
        }
        subject.note.iter().for_each(|note| content.note(note.clone()));
    }
    content.plots = vec![Plot::Lines(Lines {
        title: "Time a state".into(),
        x: Axis::log("threads", Unit::Number),
        y: Axis::log("time a state, mean; band: 10–90 %", Unit::Time),
        series,
        marks: vec![],
    })];
    content.tables = vec![table];
    content.note(format!("Batches of {STATES} states, on as many threads as this machine has cores. Holds if at least three quarters of the ideal."));
    Ok(content)
}
