//! Figures beyond the papers.

use super::{faster_everywhere, product_fd, product_id};
use crate::figure::{Content, Verdict};
use crate::lab::Lab;
use crate::sweep::{Curve, method, short, sweep};
use crate::work::{Work, fd_by, product};
use dtau::FdWay;
use dtau_cli::product::Instructions;
use dtau_methods::list::Quantity::{FdDerivatives, IdDerivatives};

/// B stored as 12 numbers against 36.
pub fn lean_b(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [&str; 3] = ["6×6 B, as printed", "12-number B", "12-number B, SIMD"];
    let plain = Work::Product(product("id_derivatives"), Instructions::Plain);
    let curves = Curve::branching(&[
        Curve::new(NAMES[0], method(IdDerivatives, "idsva-printed")?, 0),
        Curve::new(NAMES[1], plain, 1),
        Curve::new(NAMES[2], product_id(), 2),
    ]);
    let sweep = sweep(lab, &curves)?;
    let mut content = Content::default();
    let words = "B has 12 numbers, not 36, and t₄ no linear part; that should save time at every size.";
    faster_everywhere(&mut content, &sweep, NAMES[0], NAMES[1], &[1, 2, 5], words)?;
    let last = lab.settings.sizes.last().copied().unwrap_or(2);
    let (printed, lean) = (sweep.row(NAMES[0], 1)?, sweep.row(NAMES[1], 1)?);
    let counts = |n: usize| Some(printed.at(n)?.operations? / lean.at(n)?.operations?);
    if let (Some(few), Some(many)) = (counts(10).or(counts(5)), counts(last)) {
        let ours = format!("{}× fewer operations for a few links, {}× for {last}.", short(few), short(many));
        content.claim("It saves operations too.", ours, Verdict::of(few > 1.0 && many > 1.0));
    }
    content.plots = [
        sweep.times("∂ID", &NAMES),
        sweep.operations("∂ID in operations", &NAMES[..2]),
        sweep.ratios("Speedup by the lean B, same instructions", &[(NAMES[0], NAMES[1])], vec![])?,
    ]
    .concat();
    content.note("The library's IDSVA has other savings too, such as filling columns in contiguous runs; docs/lean-b.md derives B.");
    Ok(content)
}

/// The response form against AZA.
pub fn response(lab: &mut Lab<'_>) -> Result<Content, String> {
    const NAMES: [&str; 4] = ["AZA, method", "response, method", "AZA, library", "response, library"];
    let by = |way| Work::Product(fd_by(way), Instructions::Best);
    let curves = [
        Curve::new(NAMES[0], method(FdDerivatives, "fdsva-aza")?, 0),
        Curve::new(NAMES[1], method(FdDerivatives, "response")?, 1),
        Curve::new(NAMES[2], by(FdWay::Aza), 3),
        Curve::new(NAMES[3], by(FdWay::Response), 2),
    ];
    let sweep = sweep(lab, &curves)?;
    let mut content = Content::default();
    let words = "The response form never forms ∂ID and halves the work a column; it should beat AZA at every size.";
    faster_everywhere(&mut content, &sweep, NAMES[0], NAMES[1], &[1], words)?;
    let words = "The same in the library, with columns in SIMD lanes.";
    faster_everywhere(&mut content, &sweep, NAMES[2], NAMES[3], &[1], words)?;
    content.plots = [
        sweep.times("∂FD by AZA and by the response form, chains", &NAMES),
        sweep.ratios("Speedup of the response form", &[(NAMES[0], NAMES[1]), (NAMES[2], NAMES[3])], vec![])?,
        sweep.operations("The same in operations", &NAMES),
    ]
    .concat();
    Ok(content)
}

/// Operations of every method, and the time per operation.
pub fn operations(lab: &mut Lab<'_>) -> Result<Content, String> {
    const ID: [&str; 6] = ["RNEACR", "IDSVA, body", "IDSVA, ground", "Pinocchio's way", "dtau ∂ID", "dtau ∂ID, plain"];
    const FD: [&str; 5] = ["ABACR", "FDCR", "FDSVA by DMM", "FDSVA by AZA", "dtau ∂FD"];
    let curves = [
        Curve::new(ID[0], method(IdDerivatives, "rneacr")?, 0),
        Curve::new(ID[1], method(IdDerivatives, "idsva-body")?, 3),
        Curve::new(ID[2], method(IdDerivatives, "idsva-printed")?, 1),
        Curve::new(ID[3], method(IdDerivatives, "pinocchio-style")?, 4),
        Curve::new(ID[4], product_id(), 2),
        Curve::new(ID[5], Work::Product(product("id_derivatives"), Instructions::Plain), 6),
        Curve::new(FD[0], method(FdDerivatives, "abacr")?, 0),
        Curve::new(FD[1], method(FdDerivatives, "fdcr")?, 3),
        Curve::new(FD[2], method(FdDerivatives, "fdsva-dmm")?, 1),
        Curve::new(FD[3], method(FdDerivatives, "fdsva-aza")?, 4),
        Curve::new(FD[4], product_fd(), 2),
    ];
    let sweep = sweep(lab, &curves)?;
    let mut content = Content::default();
    let last = lab.settings.sizes.last().copied().unwrap_or(2);
    let at = |name: &str| -> Result<Option<f64>, String> {
        Ok(sweep.row(name, 1)?.at(last).and_then(|m| Some(m.time.min / m.operations?)))
    };
    if let (Some(best), Some(plain)) = (at(ID[4])?, at(ID[5])?) {
        content.claim(
            "Operations do not depend on the machine; the time of one shows how well a program uses it.",
            format!("∂ID at N = {last}: {best:.2} ns an operation with SIMD, {plain:.2} ns without."),
            Verdict::Noted,
        );
    }
    content.plots = [
        sweep.operations("∂ID on chains, in operations", &ID[..5]),
        sweep.operations("∂FD on chains, in operations", &FD),
        sweep.pace("Time of one operation, ∂ID", &ID),
        sweep.pace("Time of one operation, ∂FD", &FD),
    ]
    .concat();
    content.note("Counted by running the same source on a scalar that counts. A multiply-add counts as one, sine and cosine not at all.");
    Ok(content)
}
