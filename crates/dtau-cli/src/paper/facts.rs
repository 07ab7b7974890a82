//! On what the numbers were measured.

use super::settings::Settings;
use crate::machine;

/// Name and value, for the head of a report.
pub fn facts(settings: &Settings) -> Vec<(String, String)> {
    let mut facts = vec![
        ("dtau".to_string(), env!("CARGO_PKG_VERSION").to_string()),
        ("processor".into(), machine::processor()),
        ("cores".into(), machine::cores().to_string()),
        ("system".into(), format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("settings".into(), (if settings.full { "full" } else { "quick" }).into()),
        ("a point".into(), format!("{} ms on 32 random states", settings.budget.each.as_millis())),
    ];
    if cfg!(debug_assertions) {
        facts.push(("build".into(), "without optimisation: times mean nothing".into()));
    }
    if let Some(opponent) = &settings.opponent {
        facts.push(("Pinocchio".into(), format!("from bench/, {}", opponent.label())));
    }
    facts
}
