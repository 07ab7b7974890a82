//! Colours and bold type, if they are wanted.

use crate::escape::line;
use std::io::{self, IsTerminal};
use std::sync::LazyLock;

/// True if standard output is a terminal and `NO_COLOR` (<https://no-color.org>) is unset or empty.
static COLOURED: LazyLock<bool> = LazyLock::new(|| {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !refused
});

/// Look of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Plain,
    Bold,
    Dim,
    Good,
    Fair,
    Bad,
}

impl Style {
    /// Its class in a page, if any.
    pub fn class(self) -> &'static str {
        match self {
            Style::Good => "good",
            Style::Fair => "fair",
            Style::Bad => "bad",
            Style::Plain | Style::Bold | Style::Dim => "",
        }
    }

    /// The text in this style, or plain; always on one line.
    pub fn paint(self, text: &str) -> String {
        let text = line(text);
        let code = match self {
            Style::Plain => return text.into_owned(),
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Fair => "33",
            Style::Bad => "1;31",
        };
        if *COLOURED { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into_owned() }
    }
}
