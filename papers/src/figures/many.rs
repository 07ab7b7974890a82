//! Many states at once: SIMD lanes and threads.

use crate::figure::titled;
use crate::figure::{Content, Known, Verdict};
use crate::lab::Lab;
use crate::plot::{Axis, Lines, Plot, Point, Series, Stroke, Unit};
use crate::robots::Named;
use crate::sweep::{Curve, Ratio, short, sweep_up_to};
use crate::work::{self, Work};
use dtau_cli::clock::text;
use dtau_cli::product::Instructions;
use dtau_cli::product::{STATES, Side};
use dtau_cli::table::Cell;

/// The library's derivatives, by name.
const DERIVATIVES: [(&str, &str); 2] = [("∂ID", "id_derivatives"), ("∂FD", "fd_derivatives")];

/// Share of the machine that other programs may use without invalidating the times of threads.
const FREE: f64 = 0.05;

/// One state at a time against states side by side.
pub fn lanes(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [[&str; 3]; 2] =
        [["∂ID, one by one", "∂ID, lanes", "∂ID, lanes, f32"], ["∂FD, one by one", "∂FD, lanes", "∂FD, lanes, f32"]];
    let mut curves = Vec::new();
    for ((_, function), names) in DERIVATIVES.into_iter().zip(NAMES) {
        let product = work::product(function);
        curves.push(Curve::new(names[0], Work::Product(product, Instructions::Best), 0));
        curves.push(Curve::new(names[1], Work::Many(product, Side::Lanes), 2));
        curves.push(Curve::new(names[2], Work::Many(product, Side::Lanes32), 4));
    }
    // A batch stores all its results: at 500 links, 256 states need more than a gigabyte.
    let sweep = sweep_up_to(lab, &curves, 100)?;
    let mut content = Content::default();
    for ((what, _), names) in DERIVATIVES.into_iter().zip(NAMES) {
        let ratios = sweep.all_ratios(names[0], names[1], 1)?;
        let all = || ratios.iter().map(|(_, ratio)| ratio.least);
        let (Some(low), Some(high)) = (all().reduce(Known::min), all().reduce(Known::max)) else { continue };
        content.claim(
            &format!("{what}: four states side by side in SIMD lanes take less time a state than one after the other."),
            format!("{} to {} times faster a state on chains.", low.beside(&[1.0]), short(high.value)),
            low.judge(|low| Verdict::of(low > 1.0)),
        );
    }
    content.plots = [
        sweep.times("∂ID a state, chains", &NAMES[0]),
        sweep.times("∂FD a state, chains", &NAMES[1]),
        sweep.ratios(
            "How much faster lanes are, double precision",
            &[(NAMES[0][0], NAMES[0][1]), (NAMES[1][0], NAMES[1][1])],
            vec![],
        )?,
    ]
    .concat();
    content.note(format!("A batch is {STATES} states, packed and unpacked in the time; one by one is a workspace on the best instructions."));
    content.note(
        "A batch keeps the results of all its states, some N² numbers each, which leave the caches as N grows; one by one writes \
         into the same matrices again and again. And IDSVA one by one fills the lanes too, with bodies.",
    );
    Ok(content)
}

/// Times by number of threads.
pub fn threads(lab: &mut Lab<'_>) -> Result<Content, String> {
    let cores = dtau_cli::machine::cores();
    let mut counts: Vec<usize> =
        [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].into_iter().filter(|n| *n <= cores).collect();
    if !counts.contains(&cores) {
        counts.push(cores);
    }
    let (mut content, mut series, mut hue) = (Content::default(), Vec::new(), 0);
    let mut table = titled("Time a state, least", &["of", "time", "threads", "× one thread", "states a second"]);
    for named in [Named::Hyq, Named::Atlas] {
        let subject = lab.robot(named)?;
        for (what, function) in DERIVATIVES {
            let product = work::product(function);
            lab.at(&format!("{what} of {}", subject.name), hue as f64 / 4.0);
            let works: Vec<Work> = counts.iter().map(|&n| Work::Many(product, Side::Threads(n))).collect();
            let times = lab.times(&subject, &works)?;
            let points = counts.iter().zip(&times).map(|(&n, time)| Point::time(n as f64, time)).collect();
            series.push(Series { name: format!("{what}, {}", subject.name), hue, dash: Stroke::Solid, points });
            hue += 1;
            for (&n, time) in counts.iter().zip(&times) {
                let gain = times[0].min / time.min;
                table.row([
                    format!("{what}, {}", subject.name).into(),
                    Cell::number(text(time.min), time.min),
                    Cell::number(n.to_string(), n as f64),
                    Cell::number(short(gain), gain),
                    Cell::number(format!("{:.0}k", 1e6 / time.min), 1e9 / time.min),
                ]);
            }
            if let (Some(last), Some(&most)) = (times.last(), counts.last()) {
                let gain = Ratio::of(&times[0], last).least;
                let enough = 0.75 * most as f64;
                let mut verdict = gain.judge(|gain| Verdict::of(gain >= enough));
                let mut said = format!("{} times faster a state on {most} threads", gain.beside(&[enough]));
                // If threads wait for other programs, their times have no meaning, and neither has that of a
                // single thread.
                let others = lab.others();
                if others > FREE {
                    verdict = Verdict::Undecided;
                    said += &format!(", while other programs had {:.0} % of the machine", 100.0 * others);
                }
                content.claim(
                    &format!(
                        "{what} of {}: threads share nothing, so {most} of them should be nearly {most} times faster.",
                        subject.name
                    ),
                    said + ".",
                    verdict,
                );
            }
        }
        subject.note.iter().for_each(|note| content.note(note.clone()));
    }
    content.plots = vec![Plot::Lines(Lines {
        title: "Time a state".into(),
        x: Axis::log("threads", Unit::Number),
        y: Axis::log("least time a state; band: 10–90 % of the runs", Unit::Time),
        series,
        marks: vec![],
        reach: None,
    })];
    content.tables = vec![table];
    content.note(format!("Batches of {STATES} states, on as many threads as this machine has cores. Holds if at least three quarters of the ideal."));
    Ok(content)
}
