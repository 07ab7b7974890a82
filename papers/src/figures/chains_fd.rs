//! Derivatives of forward dynamics on chains and trees.

use super::chains_id::{against_rneacr, own_note, rneacr_plots};
use super::{add_opponent_trees, faster_everywhere, product_fd};
use crate::figure::titled;
use crate::figure::{Content, Verdict, deciding, limits_of};
use crate::lab::Lab;
use crate::plot::Plot;
use crate::sweep::{Crossover, Curve, Measured, Row, Sweep, log_log_fit, method, sweep};
use crate::work::{Work, fd_by};
use dtau::FdWay;
use dtau_cli::clock::Timing;
use dtau_cli::product::Instructions;
use dtau_methods::list::Quantity::{FdDerivatives, IdDerivatives, MassInverse};

/// The two ways to apply −M⁻¹ to ∂ID, without the rest.
const DMM: &str = "DMM";
const AZA: &str = "AZA";

/// [Singh21] Fig. 2.
pub fn dmm_or_aza(lab: &mut Lab<'_>) -> Result<Content, String> {
    let sweep = sweep(lab, &[Curve::new(DMM, Work::ApplyDmm, 0), Curve::new(AZA, Work::ApplyAza, 1)])?;
    let crossover = sweep.crossover(DMM, AZA, 1)?;
    let mut content = Content::default();
    content.claim(
        "DMM, O(N³), outperforms AZA, O(N²), below a crossover N that depends on hardware and compiler; above it AZA wins.",
        format!("The crossover is {crossover}."),
        crossover.judge(|at| match at {
            Crossover::At(_) => Verdict::Reproduced,
            Crossover::Always(_) => Verdict::Differs,
            Crossover::Never(_) => Verdict::Undecided, // larger sizes may have one
        }),
    );
    content.plots = [
        sweep.times("−M⁻¹ times ∂ID: DMM and AZA", &[DMM, AZA]),
        sweep.ratios("Speedup of AZA over DMM", &[(DMM, AZA)], crossover.at.marks())?,
    ]
    .concat();
    content.note(application_note());
    Ok(content)
}

fn application_note() -> &'static str {
    "DMM multiplies two N × N matrices by a given M⁻¹ in plain Rust, not BLAS; AZA includes its articulated inertias. Both \
     compute −M⁻¹ ∂ID/∂q and −M⁻¹ ∂ID/∂q̇."
}

/// [Singh21] Fig. 6.
pub fn composition(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [&str; 5] = ["IDSVA", "IPR by DMM", "IPR by AZA", "M⁻¹ by AZA", "FDSVA"];
    let curves = [
        Curve::new(NAMES[0], method(IdDerivatives, "idsva-single-dof")?, 2),
        Curve::new(NAMES[1], Work::ApplyDmm, 5),
        Curve::new(NAMES[2], Work::ApplyAza, 0),
        Curve::new(NAMES[3], method(MassInverse, "aza")?, 4),
    ];
    let mut sweep = sweep(lab, &curves)?;
    sweep.rows.push(total(&sweep, &NAMES)?);
    // Above the switch DMM is the more expensive one.
    let order = sweep.crossover(NAMES[1], NAMES[0], 1)?;
    let crossover = sweep.crossover(NAMES[1], NAMES[2], 1)?;
    let mut content = Content::default();
    content.claim(
        "Below the \"order switch\" N, O(Nd) IDSVA dominates; above it the O(N³) product by DMM does, until the crossover to AZA.",
        format!("The order switch is {order}, the crossover to AZA {crossover}."),
        order.judge(|order| {
            let begins_below = Verdict::of(order.value() > 2.0);
            crossover.judge(|crossover| order.before(crossover)).agreed(begins_below)
        }),
    );
    let mut marks = order.at.marks();
    marks.iter_mut().for_each(|mark| mark.name = format!("order switch, {}", mark.name));
    marks.extend(crossover.at.marks().into_iter().map(|mut mark| {
        mark.name = format!("crossover, {}", mark.name);
        mark
    }));
    content.plots = sweep.times("What FDSVA is made of", &NAMES);
    if let Some(Plot::Lines(lines)) = content.plots.first_mut() {
        lines.marks = marks;
    }
    content.note(
        "FDSVA is the sum of IDSVA, the faster of both ways to apply −M⁻¹, and M⁻¹ by AZA, as in the paper's caption.",
    );
    content.note(application_note());
    Ok(content)
}

/// Runtime (FDSVA) = runtime (IDSVA) + runtime (IPR) + runtime (M⁻¹).
fn total(sweep: &Sweep, names: &[&str; 5]) -> Result<Row, String> {
    let rows = [0, 1, 2, 3].map(|k| sweep.row(names[k], 1));
    let [idsva, dmm, aza, inverse] = rows;
    let (idsva, dmm, aza, inverse) = (idsva?, dmm?, aza?, inverse?);
    let sum = |a: Timing, b: Timing| Timing {
        min: a.min + b.min,
        median: a.median + b.median,
        mean: a.mean + b.mean,
        low: a.low + b.low,
        high: a.high + b.high,
        doubt: a.doubt.max(b.doubt),
        calls: a.calls.min(b.calls),
    };
    let points = (0..idsva.points.len()).map(|k| {
        let (dmm, aza) = (dmm.points[k].time, aza.points[k].time);
        let ipr = if dmm.min <= aza.min { dmm } else { aza };
        let time = sum(sum(idsva.points[k].time, ipr), inverse.points[k].time);
        Measured { n: idsva.points[k].n, time, operations: None }
    });
    Ok(Row { name: names[4].into(), bf: 1, hue: 1, points: points.collect() })
}

const FD: [&str; 6] = ["ABACR", "FDCR", "FDSVA", "dtau", "FDSVA by DMM", "FDSVA by AZA"];

/// ABACR, FDCR and FDSVA on chains.
fn three_methods(lab: &mut Lab<'_>) -> Result<Sweep, String> {
    let curves = [
        Curve::new(FD[0], method(FdDerivatives, "abacr")?, 0),
        Curve::new(FD[1], method(FdDerivatives, "fdcr")?, 3),
        Curve::new(FD[4], method(FdDerivatives, "fdsva-dmm")?, 1),
        Curve::new(FD[5], method(FdDerivatives, "fdsva-aza")?, 1),
        Curve::new(FD[3], product_fd(), 2),
    ];
    let mut sweep = sweep(lab, &curves)?;
    sweep.add_better(FD[2], FD[4], FD[5], 1)?;
    Ok(sweep)
}

fn fd_plots(sweep: &Sweep) -> Result<Vec<Plot>, String> {
    let pairs = [(FD[0], FD[2]), (FD[1], FD[2])];
    let plots = [
        sweep.times("∂FD on chains: ABACR, FDCR, FDSVA", &FD[..4]),
        sweep.ratios("Speedup of FDSVA", &pairs, vec![])?,
        sweep.operations("The same in operations", &FD[..4]),
    ];
    Ok(plots.concat())
}

/// [Singh21] Fig. 7.
pub fn abacr_fdcr_fdsva(lab: &mut Lab<'_>) -> Result<Content, String> {
    let sweep = three_methods(lab)?;
    let mut content = Content::default();
    for (n, paper) in [(10, 3.0), (100, 7.0)] {
        let Some(ratio) = sweep.ratio(FD[1], FD[2], 1, n)? else { continue };
        content.claim(
            &format!("{paper:.0}× speedup of FDSVA over FDCR at N = {n}."),
            format!("{} at N = {n}.", ratio.beside(&limits_of(paper))),
            Verdict::of_ratio(paper, ratio.least),
        );
    }
    faster_everywhere(&mut content, &sweep, FD[1], FD[2], &[1], "FDSVA outperforms FDCR for all N ≥ 2.")?;
    faster_everywhere(&mut content, &sweep, FD[0], FD[2], &[1], "FDSVA outperforms ABACR for all N ≥ 2.")?;
    content.plots = fd_plots(&sweep)?;
    content.note("FDSVA is the faster of DMM and AZA at every N, as the paper switches between them.");
    content.note(own_note());
    Ok(content)
}

/// [Singh22] Fig. 2.
pub fn fortran(lab: &mut Lab<'_>) -> Result<Content, String> {
    let (id, mut content) = against_rneacr(lab, "idsva-printed")?;
    let fd = three_methods(lab)?;
    faster_everywhere(&mut content, &fd, FD[1], FD[2], &[1], "FDSVA outperforms FDCR for all N ≥ 2.")?;
    content.plots = rneacr_plots(&id)?;
    content.plots.extend(fd_plots(&fd)?);
    content.note("FDSVA is the faster of DMM and AZA at every N.");
    content.note(own_note());
    Ok(content)
}

/// [Singh22] Fig. 6.
pub fn fdsva_or_pinocchio(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [&str; 5] = ["Pinocchio's way", "FDSVA", "dtau", "FDSVA by DMM", "FDSVA by AZA"];
    let curves = Curve::branching(&[
        Curve::new(NAMES[0], method(FdDerivatives, "pinocchio-style")?, 0),
        Curve::new(NAMES[3], method(FdDerivatives, "fdsva-dmm")?, 1),
        Curve::new(NAMES[4], method(FdDerivatives, "fdsva-aza")?, 1),
        Curve::new(NAMES[2], product_fd(), 2),
    ]);
    let mut sweep = sweep(lab, &curves)?;
    sweep.add_better(NAMES[1], NAMES[3], NAMES[4], 1)?;
    let mut content = Content::default();
    let words = "FDSVA outperforms Pinocchio's derivatives of FD for all N, serial and branched.";
    faster_everywhere(&mut content, &sweep, NAMES[0], NAMES[1], &[1, 2, 5], words)?;
    content.plots = [
        sweep.times("∂FD", &NAMES[..3]),
        sweep.operations("∂FD in operations", &NAMES[..3]),
        sweep.ratios("Speedup of FDSVA over Pinocchio's way", &[(NAMES[0], NAMES[1])], vec![])?,
    ]
    .concat();
    add_opponent_trees(lab, &mut content, "fd_derivatives");
    content.note("FDSVA is the faster of DMM and AZA at every N; the change from O(N³) to O(N²) is where it switches.");
    content.note(own_note());
    Ok(content)
}

/// [Singh22] Fig. 7.
pub fn dmm_or_aza_branched(lab: &mut Lab<'_>) -> Result<Content, String> {
    let curves = Curve::branching(&[Curve::new(DMM, Work::ApplyDmm, 0), Curve::new(AZA, Work::ApplyAza, 1)]);
    let sweep = sweep(lab, &curves)?;
    let crossovers = [1, 2, 5].map(|bf| sweep.crossover(DMM, AZA, bf));
    let [serial, two, five] = crossovers;
    let (serial, two, five) = (serial?, two?, five?);
    let mut content = Content::default();
    content.claim(
        "The crossover N is 50 for chains and for trees of branching factor 2 and 5 (gcc-9.0, without AVX).",
        format!("{serial} (chain), {two} (bf 2), {five} (bf 5), without AVX."),
        serial.near(50.0),
    );
    // Without the smallest sizes, where constant costs dominate.
    let ratios: Vec<(f64, f64)> = sweep
        .all_ratios(DMM, AZA, 1)?
        .into_iter()
        .filter(|(n, _)| *n >= 20.0)
        .map(|(n, r)| (n, r.least.value))
        .collect();
    if ratios.len() >= 3 {
        let (slope, correlation) = log_log_fit(&ratios);
        content.claim(
            "The speedup of AZA over DMM grows linearly with n on a log–log scale.",
            format!(
                "It grows as N^{slope:.2} for N ≥ 20 on chains (correlation {} on a log–log scale).",
                deciding(correlation, &[0.95, 1.0])
            ),
            Verdict::of(correlation >= 0.95 && slope > 0.0),
        );
    }
    content.plots = [
        sweep.times("−M⁻¹ times ∂ID: DMM and AZA", &[DMM, AZA]),
        sweep.ratios("Speedup of AZA over DMM", &[(DMM, AZA)], serial.at.marks())?,
    ]
    .concat();
    content.note(application_note());
    Ok(content)
}

/// [Singh22] Table III.
pub fn crossovers(lab: &mut Lab<'_>) -> Result<Content, String> {
    let both = |on, name: [&'static str; 2], hue| {
        [(FdWay::Dense, name[0], hue), (FdWay::Aza, name[1], hue + 1)]
            .map(|(way, name, hue)| Curve::new(name, Work::Product(fd_by(way), on), hue))
    };
    const PLAIN: [&str; 2] = ["DMM, plain", "AZA, plain"];
    const BEST: [&str; 2] = ["DMM, SIMD", "AZA, SIMD"];
    let curves = [both(Instructions::Plain, PLAIN, 0), both(Instructions::Best, BEST, 2)].concat();
    let sweep = sweep(lab, &Curve::branching(&curves))?;
    let mut table = titled("Crossover N: from here on AZA is faster than DMM", &["", "SIMD off", "SIMD on"]);
    table.row(["paper, gcc-9.0", "50", "450"]);
    table.row(["paper, clang-10", "80", "350"]);
    let mut chain = None;
    for bf in [1, 2, 5] {
        let (off, on) = (sweep.crossover(PLAIN[0], PLAIN[1], bf)?, sweep.crossover(BEST[0], BEST[1], bf)?);
        chain = chain.or(Some((off, on)));
        table.row([format!("dtau, bf {bf}"), off.cell(), on.cell()]);
    }
    let mut content = Content::default();
    if let Some((off, on)) = chain {
        content.claim(
            "SIMD moves the crossover N up: from 50 to 450 (gcc-9.0), from 80 to 350 (clang-10).",
            format!("From {off} to {on} on chains, in the library's own DMM and AZA."),
            on.judge(|on| off.judge(|off| off.before(on))),
        );
        content.claim(
            "The crossover is 50 (gcc-9.0) or 80 (clang-10) without SIMD.",
            format!("{off}."),
            off.near(63.0),
        );
        content.claim("The crossover is 450 (gcc-9.0) or 350 (clang-10) with SIMD.", format!("{on}."), on.near(397.0));
    }
    content.tables = vec![table];
    content.plots = [
        sweep.times("The library's ∂FD", &[PLAIN[0], PLAIN[1], BEST[0], BEST[1]]),
        sweep.ratios("AZA against DMM", &[(PLAIN[0], PLAIN[1]), (BEST[0], BEST[1])], vec![])?,
    ]
    .concat();
    content.note(
        "Whole derivatives of forward dynamics by the library, in two ways that differ in nothing but the product with −M⁻¹. \
         \"Plain\" is a workspace on the instructions every CPU has, \"SIMD\" one on the best of this CPU.",
    );
    Ok(content)
}
