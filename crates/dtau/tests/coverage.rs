//! The table function × claim × engine, printed from the library's list:
//! `cargo test -p dtau --all-features --test this_cpu coverage:: -- --nocapture`.

use dtau::functions;
use dtau_fixtures::coverage::{claims, table};
use std::collections::BTreeSet;
use std::path::Path;

/// Each claim's test is where the table says, and records under the claim's name what it has tested. It
/// asserts that it has tested everything in the table (`dtau_fixtures::coverage`).
#[test]
fn every_claim_has_a_test() {
    println!("{}", table());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut names = BTreeSet::new();
    for claim in claims() {
        let text = std::fs::read_to_string(root.join(&claim.test)).unwrap_or_else(|e| panic!("{}: {e}", claim.test));
        let call = format!("tried(\"{}\"", claim.name);
        assert!(text.contains(&call), "{} does not call {call}, …)", claim.test);
        assert!(names.insert(claim.name.clone()), "two claims are called {:?}", claim.name);
    }
}

/// An excuse has a reason and names an existing function. Each function has at most one excuse.
#[test]
fn excuses_are_of_functions_of_the_list() {
    for claim in claims() {
        let mut seen = BTreeSet::new();
        for (reason, excused) in &claim.but {
            assert!(reason.len() > 9 && !excused.is_empty(), "{}: {reason:?} excuses {excused:?}", claim.name);
            for name in excused {
                assert!(functions().iter().any(|f| f.name == name), "{}: there is no function {name:?}", claim.name);
                assert!(seen.insert(name), "{}: {name} is excused twice", claim.name);
            }
        }
        assert!(seen.len() < functions().len(), "{} claims nothing", claim.name);
    }
}
