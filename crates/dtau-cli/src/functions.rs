//! The library's list of functions, for the command line.

use dtau::Declaration;
use std::fmt::Write;

/// Finds a function by name; `-` is accepted for `_`.
pub fn named(text: &str) -> Result<&'static Declaration, String> {
    dtau::function(&text.replace('-', "_")).map_err(|error| error.to_string())
}

/// Returns a title of a few words: the beginning of the documentation.
pub fn title(function: &Declaration) -> String {
    let paragraph = function.documentation.split("\n\n").next().unwrap_or_default();
    let paragraph = paragraph.lines().map(str::trim).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let text = without_markup(&paragraph);
    let end = [". ", ": ", "; "].iter().filter_map(|stop| text.find(stop)).min().unwrap_or(text.len());
    let text = text[..end].trim_end_matches(['.', ':']);
    text.strip_prefix("The ").unwrap_or(text).into()
}

/// Removes backticks, and replaces links by their text.
fn without_markup(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("](") {
        plain += &rest[..at];
        // The target of a link to a function contains parentheses.
        let mut depth = 0;
        let end = rest[at + 1..].char_indices().find_map(|(k, c)| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            (depth == 0).then_some(k)
        });
        rest = end.map_or("", |end| &rest[at + 1 + end + 1..]);
    }
    (plain + rest).replace(['`', '[', ']'], "")
}

/// Every function with its inputs and outputs, for `--help`.
pub fn help() -> String {
    let mut text = String::new();
    for function in dtau::functions() {
        let names = |args: &[dtau::Arg]| args.iter().map(|arg| arg.name).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "  {}: {} → {}", function.name, names(function.inputs), names(function.outputs));
        let _ = writeln!(text, "      {}", title(function));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_title_in_plain_words() {
        for function in dtau::functions() {
            let title = title(function);
            assert!((8..120).contains(&title.len()) && !title.contains(['`', '[', ']', '\n']), "{title:?}");
        }
    }

    #[test]
    fn links_are_what_they_say() {
        assert_eq!(without_markup("of [`rnea`](crate::rnea()) by `q`, see [`id`]."), "of rnea by q, see id.");
    }
}
