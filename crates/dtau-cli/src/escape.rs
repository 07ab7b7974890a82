//! Names are data: pages, drawings, tables and terminals show the names of a robot's file and never interpret
//! them.

use std::borrow::Cow;

/// Escapes text for HTML or XML, or for a quoted attribute. XML cannot contain control characters; they are
/// written as on a terminal.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// Escapes JSON for a `<script>` element. An HTML reader looks for `</script`, `<!--` and `<script` there,
/// even in quotes. In JSON these characters occur only in strings, where they may be written as numbers.
pub fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Escapes a cell of a CSV file.
pub fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

/// Escapes a cell of a table in Markdown.
pub fn markdown(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// Escapes text for one line of a terminal. Control characters, which move its cursor and change its colours,
/// and characters that change the direction of writing become `\n` or `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    let moves = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        c.is_control() || turns || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    if !text.contains(moves) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if moves(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hostile name of a joint.
    const HOSTILE: &str = "<!--<script>\"'&\n\u{1b}[2J</script>";

    #[test]
    fn nothing_of_a_name_is_markup() {
        let text = html(HOSTILE);
        assert!(!text.contains(['<', '>', '"', '\'', '\n', '\u{1b}']), "{text}");
        assert!(text.starts_with("&lt;!--&lt;script&gt;") && text.contains("\\n\\u{1b}[2J"), "{text}");
    }

    /// The JSON is unchanged, and has no characters that an HTML reader interprets.
    #[test]
    fn nothing_in_a_script_ends_it_or_hides_its_end() {
        let json = serde_json::json!({ "name": HOSTILE, HOSTILE: ["a < b", "</script>"] });
        let text = in_script(&json.to_string());
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), json);
    }

    #[test]
    fn a_line_of_a_terminal_stays_one() {
        assert_eq!(line("knee q̈"), "knee q̈");
        assert_eq!(line("a\nb\u{1b}[31m\u{202e}"), "a\\nb\\u{1b}[31m\\u{202e}");
    }

    #[test]
    fn cells_of_files_keep_their_rows() {
        assert_eq!(csv("a\rb,\"c\""), "\"a\rb,\"\"c\"\"\"");
        assert_eq!(markdown("a|b\nc"), "a\\|b\\\\nc");
    }
}
