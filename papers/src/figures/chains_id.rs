//! Derivatives of inverse dynamics on chains and trees.

use super::{add_opponent_trees, faster_everywhere, product_id};
use crate::figure::{Content, Known, NEAR, Verdict, limits_of};
use crate::lab::Lab;
use crate::sweep::{Curve, Ratio, Sweep, method, short, sweep};
use dtau_methods::list::Quantity::IdDerivatives;

/// [Singh21] Fig. 3.
pub fn ground_or_body_singh21(lab: &mut Lab<'_>) -> Result<Content, String> {
    ground_or_body(lab, "idsva-single-dof")
}

/// [Singh22] Fig. 3.
pub fn ground_or_body_singh22(lab: &mut Lab<'_>) -> Result<Content, String> {
    ground_or_body(lab, "idsva-printed")
}

fn ground_or_body(lab: &mut Lab<'_>, ground: &'static str) -> Result<Content, String> {
    const NAMES: [&str; 3] = ["IDSVA, body", "IDSVA, ground", "dtau"];
    let curves = [
        Curve::new(NAMES[0], method(IdDerivatives, "idsva-body")?, 0),
        Curve::new(NAMES[1], method(IdDerivatives, ground)?, 1),
        Curve::new(NAMES[2], product_id(), 2),
    ];
    let sweep = sweep(lab, &curves)?;
    let ratios = sweep.all_ratios(NAMES[0], NAMES[1], 1)?;
    let all = || ratios.iter().map(|(_, ratio)| ratio.least);
    let (Some(low), Some(high)) = (all().reduce(Known::min), all().reduce(Known::max)) else {
        return Err("no sizes".into());
    };
    let most = 1.9 * NEAR;
    let factor = high.judge(|high| if high <= most { Verdict::Reproduced } else { Verdict::Direction });
    // It is slower at any size, regardless of the speed-up in the paper.
    let verdict = match low.judge(|low| Verdict::of(low > 1.0)) {
        Verdict::Reproduced => factor,
        other => other,
    };
    let mut content = Content::default();
    content.claim(
        "In ground coordinates 1.3 to 1.9 times faster than in body coordinates, for N = 2 to 500.",
        format!("{} to {} times, for N = {}.", low.beside(&[1.0]), high.beside(&[1.0, most]), sizes(lab)),
        verdict,
    );
    content.plots = [
        sweep.times("IDSVA in body and in ground coordinates", &NAMES),
        sweep.ratios("Ground coordinates against body coordinates", &[(NAMES[0], NAMES[1])], vec![])?,
        sweep.operations("The same in operations", &NAMES),
    ]
    .concat();
    content.note(own_note());
    Ok(content)
}

/// [Singh21] Fig. 4.
pub fn idsva_or_rneacr(lab: &mut Lab<'_>) -> Result<Content, String> {
    let (sweep, mut content) = against_rneacr(lab, "idsva-single-dof")?;
    content.plots = rneacr_plots(&sweep)?;
    content.note(own_note());
    Ok(content)
}

const RNEACR: [&str; 3] = ["RNEACR", "IDSVA", "dtau"];

/// Also the first half of [Singh22] Fig. 2.
pub fn against_rneacr(lab: &mut Lab<'_>, idsva: &'static str) -> Result<(Sweep, Content), String> {
    let curves = [
        Curve::new(RNEACR[0], method(IdDerivatives, "rneacr")?, 0),
        Curve::new(RNEACR[1], method(IdDerivatives, idsva)?, 1),
        Curve::new(RNEACR[2], product_id(), 2),
    ];
    let sweep = sweep(lab, &curves)?;
    let mut content = Content::default();
    if let Some(ratio) = sweep.ratio(RNEACR[0], RNEACR[1], 1, 100)? {
        let own = sweep
            .ratio(RNEACR[0], RNEACR[2], 1, 100)?
            .map_or_else(String::new, |r| format!("; dtau {}×", short(r.least.value)));
        content.claim(
            "15× speedup of IDSVA over RNEACR at N = 100.",
            format!("{} at N = 100{own}.", ratio.beside(&limits_of(15.0))),
            Verdict::of_ratio(15.0, ratio.least),
        );
    }
    faster_everywhere(&mut content, &sweep, RNEACR[0], RNEACR[1], &[1], "IDSVA outperforms RNEACR for all N ≥ 2.")?;
    Ok((sweep, content))
}

pub fn rneacr_plots(sweep: &Sweep) -> Result<Vec<crate::plot::Plot>, String> {
    let pairs = [(RNEACR[0], RNEACR[1]), (RNEACR[0], RNEACR[2])];
    let plots = [
        sweep.times("∂ID on chains: IDSVA and RNEACR", &RNEACR),
        sweep.ratios("Speedup over RNEACR", &pairs, vec![])?,
        sweep.operations("The same in operations", &RNEACR),
    ];
    Ok(plots.concat())
}

/// [Singh22] Fig. 4.
pub fn idsva_or_pinocchio(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [&str; 3] = ["Pinocchio's way", "IDSVA", "dtau"];
    let curves = Curve::branching(&[
        Curve::new(NAMES[0], method(IdDerivatives, "pinocchio-style")?, 0),
        Curve::new(NAMES[1], method(IdDerivatives, "idsva-printed")?, 1),
        Curve::new(NAMES[2], product_id(), 2),
    ]);
    let sweep = sweep(lab, &curves)?;
    let mut content = Content::default();
    if let Some(ratio) = sweep.ratio(NAMES[0], NAMES[1], 1, 100)? {
        let verdict = Verdict::of_ratio(2.0, ratio.least);
        content.claim(
            "2× speedup of IDSVA over Pinocchio's derivatives of ID for a chain of N = 100 (gcc-9.0).",
            format!(
                "{} at N = 100 for the two algorithms alike in Rust{}.",
                ratio.beside(&limits_of(2.0)),
                own_ratio(&sweep, &NAMES)?
            ),
            verdict,
        );
    }
    let words = "IDSVA improves on Pinocchio's derivatives of ID for all N ≥ 2, serial and branched.";
    faster_everywhere(&mut content, &sweep, NAMES[0], NAMES[1], &[1, 2, 5], words)?;
    content.plots = [
        sweep.times("∂ID", &NAMES),
        sweep.operations("∂ID in operations", &NAMES),
        sweep.ratios("Speedup of IDSVA over Pinocchio's way", &[(NAMES[0], NAMES[1])], vec![])?,
    ]
    .concat();
    add_opponent_trees(lab, &mut content, "id_derivatives");
    content.note(own_note());
    Ok(content)
}

fn own_ratio(sweep: &Sweep, names: &[&str; 3]) -> Result<String, String> {
    let ratio: Option<Ratio> = sweep.ratio(names[0], names[2], 1, 100)?;
    Ok(ratio.map_or_else(String::new, |ratio| format!("; dtau {}×", short(ratio.least.value))))
}

pub fn sizes(lab: &Lab<'_>) -> String {
    let sizes = &lab.settings.sizes;
    format!("{} to {}", sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0))
}

/// Note for every figure with the library in it.
pub fn own_note() -> &'static str {
    "Methods of the papers run in one style, from their own files, on the instructions every CPU has; \"dtau\" is the library \
     on the best instructions of this CPU. Compare the methods with each other; the library shows what is left to gain."
}
