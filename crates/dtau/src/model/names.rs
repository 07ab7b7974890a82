//! Names: the ones nearest to an unknown name, and lists of names in messages.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

/// Longer names are not compared: the edit distance costs the product of the lengths.
const LONGEST: usize = 128;

/// The candidates nearest to an unknown name: at most three, the best first; none if no name resembles it.
///
/// Near means a small edit distance, ignoring case, or one name containing the other.
/// Cost: O(candidates × length²), for error messages only.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = lowercase(name);
    if name.is_empty() || name.len() > LONGEST {
        return Vec::new();
    }
    let cutoff = (name.len() / 3).max(2);
    let mut best: Vec<(usize, &str)> = Vec::with_capacity(4);
    for candidate in candidates.filter(|c| c.len() <= LONGEST) {
        let other = lowercase(candidate);
        let within = contains(&other, &name) || contains(&name, &other);
        let distance = edit_distance(&name, &other).min(if within { 1 } else { usize::MAX });
        if distance <= cutoff {
            // Insert after equally near ones: the order of the file breaks ties.
            let place = best.partition_point(|b| b.0 <= distance);
            best.insert(place, (distance, candidate));
            best.truncate(3);
        }
    }
    best.into_iter().map(|b| b.1).collect()
}

/// The text after "there is no …": `did you mean "elbow"?`, or the first few existing names.
pub(crate) fn suggest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, candidates.clone())[..] {
        [] if candidates.clone().next().is_none() => "there are none".to_string(),
        [] => format!("there are {}", list(candidates)),
        [a] => format!("did you mean {a:?}?"),
        [a, b, ..] if a == b => format!("did you mean {a:?}?"),
        [a, b] => format!("did you mean {a:?} or {b:?}?"),
        [a, b, c, ..] => format!("did you mean {a:?}, {b:?} or {c:?}?"),
    }
}

/// Formats names as `"a", "b", "c", "d" and 7 more`.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 4;
    let (mut text, mut count) = (String::new(), 0);
    for name in names {
        if count < SHOWN {
            let comma = if count == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{name:?}"); // writing to a String cannot fail
        }
        count += 1;
    }
    if count > SHOWN {
        let _ = write!(text, " and {} more", count - SHOWN);
    }
    text
}

fn lowercase(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// True if `long` contains `short`. Names of one or two letters do not count: they are in almost every name.
fn contains(long: &[char], short: &[char]) -> bool {
    short.len() >= 3 && long.windows(short.len()).any(|w| w == short)
}

/// The least number of insertions, deletions and replacements from `a` to `b` (Levenshtein), computed row by
/// row.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_has_the_textbook_values() {
        for (a, b, d) in [("kitten", "sitting", 3), ("", "abc", 3), ("flaw", "lawn", 2), ("elbow", "elbow", 0)] {
            assert_eq!(edit_distance(&lowercase(a), &lowercase(b)), d, "{a} {b}");
            assert_eq!(edit_distance(&lowercase(b), &lowercase(a)), d, "{b} {a}");
        }
    }

    #[test]
    fn nearest_names_come_best_first() {
        let names = ["shoulder", "elbow_pitch", "ELBOW", "wrist", "elbov"];
        assert_eq!(nearest("elbow", names.into_iter()), ["ELBOW", "elbow_pitch", "elbov"]);
        assert!(nearest("gripper", names.into_iter()).is_empty());
        assert!(nearest("", names.into_iter()).is_empty());
    }

    #[test]
    fn suggestions_read_as_a_sentence() {
        let names = ["hip", "knee", "ankle"];
        assert_eq!(suggest("kne", names.into_iter()), r#"did you mean "knee"?"#);
        assert_eq!(suggest("gripper", names.into_iter()), r#"there are "hip", "knee", "ankle""#);
        assert_eq!(suggest("gripper", [].into_iter()), "there are none");
        assert_eq!(list(["a", "b", "c", "d", "e", "f"].into_iter()), r#""a", "b", "c", "d" and 2 more"#);
    }

    /// Comparing two names of a million letters would take minutes.
    #[test]
    fn very_long_names_cost_nothing() {
        let long = "x".repeat(1_000_000);
        assert!(nearest(&long, [long.as_str()].into_iter()).is_empty());
        assert!(nearest("knee", [long.as_str()].into_iter()).is_empty());
    }
}
