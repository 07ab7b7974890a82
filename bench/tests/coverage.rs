//! The functions of the head-to-head, for the table of claims (`crates/dtau/tests/coverage.rs`).

use dtau_bench::quantity::Quantity;
use dtau_fixtures::coverage::tried;

/// `measure` uses the same table, and times only quantities whose results agree.
#[test]
fn what_is_not_measured_is_excused() {
    tried("head-to-head", Quantity::all().map(Quantity::name));
}
