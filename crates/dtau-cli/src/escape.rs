//! Names are data: whatever a robot's file calls its joints, pages, drawings, tables and terminals show it and never obey it.

use std::borrow::Cow;

/// Text inside HTML or XML, or inside a quoted attribute of it. XML cannot have control characters at all, so they are shown as
/// their pictures: `␊`.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(picture(c).unwrap_or(c)),
        }
    }
    out
}

/// JSON inside a `<script>` element. An HTML reader looks for `</script`, `<!--` and `<script` there, whatever the quotes say;
/// in JSON these signs stand in strings alone, where they may be written as numbers.
pub fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A cell of a CSV file.
pub fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

/// A cell of a table in Markdown.
pub fn markdown(text: &str) -> String {
    let text: String = text.chars().map(|c| picture(c).unwrap_or(c)).collect();
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// Text for one line of a terminal: control characters, which move its cursor and change its colours, and those that turn the
/// direction of writing are written as `\n` or `\u{1b}`.
pub fn line(text: &str) -> Cow<'_, str> {
    let moves = |c: char| {
        c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
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

/// What stands for a control character.
fn picture(c: char) -> Option<char> {
    match c as u32 {
        code @ 0..0x20 => char::from_u32(0x2400 + code),
        0x7f => Some('\u{2421}'),
        // Neither XML nor a reader has a use for the rest.
        0x80..0xa0 | 0xfffe | 0xffff => Some('\u{fffd}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file may call a joint.
    const HOSTILE: &str = "<!--<script>\"'&\n\u{1b}[2J</script>";

    #[test]
    fn nothing_of_a_name_is_markup() {
        let text = html(HOSTILE);
        assert!(!text.contains(['<', '>', '"', '\'', '\n', '\u{1b}']), "{text}");
        assert!(text.starts_with("&lt;!--&lt;script&gt;") && text.contains('␊') && text.contains('␛'), "{text}");
    }

    /// The JSON is the same, and has none of the signs that an HTML reader obeys.
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
        assert_eq!(markdown("a|b\nc"), "a\\|b␊c");
    }
}
