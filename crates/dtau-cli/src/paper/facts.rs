//! On what the numbers were measured.

use super::settings::Settings;

/// Name and value, for the head of a report.
pub fn facts(settings: &Settings) -> Vec<(String, String)> {
    let mut facts = vec![
        ("system".to_string(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("settings".into(), (if settings.full { "full" } else { "quick" }).into()),
        ("a point".into(), format!("{} ms on 32 random states", settings.budget.each.as_millis())),
    ];
    if let Some(opponent) = &settings.opponent {
        facts.push(("Pinocchio".into(), format!("from bench/, {}", opponent.label())));
    }
    facts
}
