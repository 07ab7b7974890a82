//! Accuracy of ∂FD in hard cases: long chains, large mass ratios, far from the world's origin.
//!
//! The reference is the response form in double-double, about 30 digits. `docs/accuracy.md` has the table
//! printed by `cargo test -p dtau-methods --test accuracy -- --nocapture --test-threads=1`, and its
//! interpretation.

use dtau::model::Root;
use dtau::model::generate::chain;
use dtau_fixtures::assertions::assert_rows_close;
use dtau_fixtures::double_double::DoubleDouble;
use dtau_fixtures::matrices::largest_in_rows;
use dtau_fixtures::methods::{Derivatives, TreeCase, fd_methods};
use dtau_fixtures::robots::{make_heavier, spatial_chain, with_base};

/// The reference does not depend on the method: all methods, run on 30 digits, agree in 26.
#[test]
fn in_thirty_digits_all_methods_agree() {
    let case = TreeCase::new(&spatial_chain(12), Root::Fixed, 1);
    let want = truth(&case);
    let scales: Vec<_> =
        want.named().map(|(_, want)| case.scales(&want.iter().map(|x| x.hi).collect::<Vec<_>>(), 0.0)).into();
    for (name, method) in fd_methods::<DoubleDouble>() {
        let got = case.derivatives(method);
        for (k, ((what, got), (_, want))) in got.named().into_iter().zip(want.named()).enumerate() {
            let differences: Vec<f64> = got.iter().zip(want).map(|(&got, &want)| (got - want).hi).collect();
            let zeros = vec![0.0; differences.len()];
            assert_rows_close(&format!("{what} by {name}"), &differences, &zeros, &scales[k], 1e-28);
        }
    }
}

/// Up to 200 links deep, every method is as accurate as rounding M once: the error is what the conditioning
/// of M allows, |M⁻¹||M||X| times a few ε. Longer chains are worse conditioned, κ ~ N³. ABACR is hardly
/// affected: it never solves with M in coordinates far from the joint.
#[test]
fn long_chains_lose_no_more_than_their_conditioning() {
    heading();
    for n in [10, 25, 50, 100, 200] {
        for (kind, robot) in [("planar", chain(n)), ("spatial", spatial_chain(n))] {
            let errors = measure(&format!("{kind} chain, {n}"), &TreeCase::new(&robot, Root::Fixed, 1));
            for Errors { name, by_scale, by_row, .. } in errors {
                assert!(by_scale <= 16.0 * f64::EPSILON, "{kind} {n}: {name} loses {by_scale:e} of its scale");
                if name == "abacr" {
                    assert!(by_row <= 1e-12, "{kind} {n}: {name} loses {by_row:e} of a row");
                }
            }
        }
    }
}

/// [Singh22] §V-A: for a chain of 100 links the rms relative error of ABACR is 1e-13, that of FDSVA and FDCR
/// about 1e-12.
///
/// Here relative to the row. Term by term the number has no meaning: derivatives with respect to far links
/// are up to 1e-30 of those with respect to near ones, and every method that subtracts, including complex
/// step, loses all digits of them.
#[test]
fn chain_of_100_links_is_as_accurate_as_the_papers() {
    heading();
    for Errors { name, rms, .. } in measure("spatial chain, 100", &TreeCase::new(&spatial_chain(100), Root::Fixed, 1)) {
        let paper = match name {
            "abacr" => 1e-13,
            "fdsva_aza" | "response" => 1e-12,
            _ => 1e-11,
        };
        assert!(rms <= paper, "{name}: rms {rms:e}");
    }
}

/// A heavy body below light ones is badly conditioned: the accelerations of the light ones are small
/// differences of large forces. The same ratio with the heavy body at the root is harmless.
#[test]
fn mass_ratio_of_a_million_costs_digits_only_at_the_tip() {
    heading();
    for (place, link) in [("root", 1), ("middle", 6), ("tip", 10)] {
        for ratio in [1e3, 1e6] {
            let mut robot = spatial_chain(10);
            make_heavier(&mut robot, link, ratio);
            let case = TreeCase::new(&robot, Root::Fixed, 1);
            for Errors { name, by_scale, by_row, .. } in measure(&format!("{ratio:e} at the {place}"), &case) {
                assert!(by_scale <= 16.0 * f64::EPSILON, "{place} {ratio:e}: {name} loses {by_scale:e} of its scale");
                assert!(place != "root" || by_row <= 1e-13, "root {ratio:e}: {name} loses {by_row:e} of a row");
            }
        }
    }
}

/// Ground coordinates measure every lever arm from their origin. About the world's origin, an inertia is m
/// r², of which a joint needs the m ℓ² about itself: (r/ℓ)² digits would be lost at once, 1e-9 of a row at 10
/// km. About the first body's origin, as here and in the product, the robot's position has no effect.
#[test]
fn distance_from_the_origin_costs_nothing() {
    heading();
    let robot = with_base(spatial_chain(10));
    for distance in [0.0, 1e1, 1e2, 1e3, 1e4] {
        let mut case = TreeCase::new(&robot, Root::Floating, 1);
        case.x.q[..7].copy_from_slice(&[distance, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        for Errors { name, by_row, .. } in measure(&format!("{distance} m away"), &case) {
            assert!(by_row <= 1e-12, "{distance} m: {name} loses {by_row:e} of a row");
        }
    }
}

/// Errors of a method, the worst of ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹.
struct Errors {
    name: &'static str,
    /// The largest error of an entry, in units of the largest entry of its row.
    by_row: f64,
    /// The root mean square of these errors.
    rms: f64,
    /// The largest error of an entry, in units of [`TreeCase::scales`].
    by_scale: f64,
}

fn truth(case: &TreeCase) -> Derivatives<DoubleDouble> {
    case.derivatives(dtau_methods::response::fd_derivatives)
}

fn heading() {
    println!("| robot | κ | method | largest | rms | largest, in ε of its scale |");
    println!("| --- | --- | --- | --- | --- | --- |");
}

/// Compares every method, and complex step, with the reference, and prints the errors.
fn measure(robot: &str, case: &TreeCase) -> Vec<Errors> {
    let want = truth(case).map(|x| x.hi);
    let methods = fd_methods().into_iter().map(|(name, method)| (name, case.derivatives(method)));
    let all: Vec<_> = methods.chain([("complex step", case.by_complex_step())]).collect();
    let (n, kappa) = (case.nv(), case.condition_number());
    let scales: Vec<_> = want.named()[1..].iter().map(|(_, want)| case.scales(want, 0.0)).collect();
    let mut out = Vec::new();
    for (name, got) in &all {
        let mut errors = Errors { name, by_row: 0.0, rms: 0.0, by_scale: 0.0 };
        for (k, ((_, got), (_, want))) in got.named().into_iter().zip(want.named()).skip(1).enumerate() {
            let rows = largest_in_rows(n, want);
            let mut squares = 0.0;
            for (at, (got, want)) in got.iter().zip(want).enumerate() {
                let difference = (got - want).abs();
                squares += (difference / rows[at % n]).powi(2);
                errors.by_row = errors.by_row.max(difference / rows[at % n]);
                errors.by_scale = errors.by_scale.max(difference / scales[k][at % n]);
            }
            errors.rms = errors.rms.max((squares / want.len() as f64).sqrt());
        }
        let Errors { by_row, rms, by_scale, .. } = errors;
        println!("| {robot} | {kappa:.0e} | {name} | {by_row:.0e} | {rms:.0e} | {:.2} |", by_scale / f64::EPSILON);
        if *name != "complex step" {
            out.push(errors);
        }
    }
    out
}
