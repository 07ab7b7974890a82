//! Coverage: which claim is tested for which function on which engine. A table printed from the library's
//! list.
//!
//! The claims are data (`coverage.json`): a name, the claim, the engine, the test, and the excused functions
//! by reason. The test of a claim reports the functions that it has tried ([`tried`]), by the names of the
//! compared results or of the table that it used. It fails if a function of the list is neither tried nor
//! excused. So every cell of the table has a test, and a function that is new to the list fails every test
//! that does not use the list.

use serde_json::Value;
use std::collections::BTreeSet;

/// A claim about every function of the list except the excused ones.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: String,
    pub says: String,
    pub engine: String,
    /// The file with the test, from the root of the repository.
    pub test: String,
    /// Excused functions, by reason.
    pub but: Vec<(String, Vec<String>)>,
}

impl Claim {
    /// Reason why a function is excused; `None` if it is not.
    pub fn excuse(&self, function: &str) -> Option<&str> {
        let excuses = |(_, functions): &&(String, Vec<String>)| functions.iter().any(|f| f == function);
        self.but.iter().find(excuses).map(|(reason, _)| reason.as_str())
    }

    /// Errors of a test that has tried these functions, out of `all`; empty if it matches the claim.
    fn holes(&self, tried: &BTreeSet<&str>, all: &BTreeSet<&str>) -> Vec<String> {
        let Self { name, test, .. } = self;
        let mut holes = Vec::new();
        for &function in all {
            match (tried.contains(function), self.excuse(function)) {
                (false, None) => holes.push(format!(
                    "`{function}` is not tried: add it to the test of \"{name}\" in {test}, or to \"but\" of \"{name}\" in \
                     crates/dtau-fixtures/coverage.json with a reason"
                )),
                (true, Some(reason)) => holes.push(format!(
                    "`{function}` is tried in {test}, but excused (\"{reason}\"): take it out of \"but\" of \"{name}\" in \
                     crates/dtau-fixtures/coverage.json"
                )),
                _ => {}
            }
        }
        let excused = self.but.iter().flat_map(|(_, functions)| functions.iter().map(String::as_str));
        for function in tried.iter().copied().chain(excused).filter(|f| !all.contains(f)) {
            holes.push(format!("there is no function `{function}`, though the claim \"{name}\" or {test} names it"));
        }
        holes
    }
}

/// All claims, in the order of the table.
pub fn claims() -> Vec<Claim> {
    let all: Value = serde_json::from_str(include_str!("../coverage.json")).expect("coverage.json is JSON");
    let text = |x: &Value| x.as_str().expect("a text in coverage.json").to_string();
    let of = |claim: &Value| {
        let but = claim["but"].as_object().into_iter().flatten();
        let names = |list: &Value| list.as_array().expect("a list of functions").iter().map(text).collect();
        Claim {
            name: text(&claim["claim"]),
            says: text(&claim["says"]),
            engine: text(&claim["engine"]),
            test: text(&claim["test"]),
            but: but.map(|(reason, functions)| (reason.clone(), names(functions))).collect(),
        }
    };
    all.as_array().expect("a list of claims").iter().map(of).collect()
}

/// Records that the test of a claim has tried these functions; names of results such as `rnea: tau` are
/// allowed.
///
/// # Panics
/// If they are not all functions of the library's list, except the excused ones.
#[track_caller]
pub fn tried<S: AsRef<str>>(claim: &str, functions: impl IntoIterator<Item = S>) {
    let claims = claims();
    let claim =
        claims.iter().find(|c| c.name == claim).unwrap_or_else(|| panic!("no claim {claim:?} in coverage.json"));
    let names: Vec<S> = functions.into_iter().collect();
    let tried = names.iter().map(|name| name.as_ref().split([':', ',']).next().unwrap_or_default()).collect();
    let holes = claim.holes(&tried, &dtau::functions().iter().map(|f| f.name).collect());
    assert!(holes.is_empty(), "{}", holes.join("\n"));
}

/// Functions as rows, claims as columns: `●` if it is claimed, else the number of the reason below.
pub fn table() -> String {
    let claims = claims();
    let mut reasons: Vec<&str> = Vec::new();
    let mut out = String::new();
    for (k, claim) in claims.iter().enumerate() {
        out +=
            &format!("{:>3}  {:<20} {:<20} {}\n{:47}{}\n", k + 1, claim.name, claim.engine, claim.says, "", claim.test);
    }
    let width = dtau::functions().iter().map(|f| f.name.len()).max().unwrap_or(0);
    let head: String = (1..=claims.len()).map(|k| format!("{k:>4}")).collect();
    out += &format!("\n{:width$}{head}\n", "");
    for function in dtau::functions() {
        out += &format!("{:width$}", function.name);
        for claim in &claims {
            let cell = claim.excuse(function.name).map_or_else(
                || "●".to_string(),
                |reason| {
                    let place = reasons.iter().position(|r| *r == reason).unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    });
                    letter(place)
                },
            );
            out += &format!("{cell:>4}");
        }
        out += "\n";
    }
    out += "\n";
    for (place, reason) in reasons.iter().enumerate() {
        out += &format!("{:>3}  {reason}\n", letter(place));
    }
    out
}

/// a, b, …, z, aa, …
fn letter(place: usize) -> String {
    let last = char::from(b'a' + (place % 26) as u8).to_string();
    if place < 26 { last } else { letter(place / 26 - 1) + &last }
}

#[test]
fn a_hole_says_what_to_add_where() {
    let claim = Claim {
        name: "lanes".into(),
        says: String::new(),
        engine: String::new(),
        test: "batch.rs".into(),
        but: vec![("no state".into(), vec!["b".into(), "gone".into()])],
    };
    let set = |names: &[&'static str]| names.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(claim.holes(&set(&["a"]), &set(&["a", "b", "gone"])), Vec::<String>::new());
    let holes = claim.holes(&set(&["b", "old"]), &set(&["a", "b"])).join("\n");
    for part in
        ["`a` is not tried", "\"lanes\" in batch.rs", "`b` is tried", "excused (\"no state\")", "`old`", "`gone`"]
    {
        assert!(holes.contains(part), "no {part} in {holes}");
    }
    assert_eq!([0, 25, 26, 53].map(letter), ["a", "z", "aa", "bb"]);
}
