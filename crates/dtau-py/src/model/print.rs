//! Printed forms of models: one line, a tree of joints, a notebook page.

use super::options::root_name;
use dtau::model::{JointInfo, Model};
use std::fmt::Write;
use std::ops::Range;

/// Returns a line such as `nq 19, nv 18, 13 bodies, root floating`.
pub(super) fn summary(model: &Model) -> String {
    let (nq, nv, bodies, root) = (model.nq(), model.nv(), model.body_count(), root_name(model.options().root));
    let bodies = if bodies == 1 { "1 body".into() } else { format!("{bodies} bodies") };
    format!("nq {nq}, nv {nv}, {bodies}, root {root}")
}

/// Returns the tree of joints, one per line.
pub(super) fn tree(model: &Model) -> String {
    let mut text = format!("{}: {}, {} kg\n", visible(model.name()), summary(model), kilograms(model.mass()));
    let width = model.joints().iter().map(|j| 2 * j.depth + visible(&j.name).chars().count()).max().unwrap_or(0);
    for joint in model.joints() {
        let indent = " ".repeat(2 * joint.depth);
        let (label, facts) = (format!("{indent}{}", visible(&joint.name)), facts(joint));
        let pad = " ".repeat((width + 2).saturating_sub(label.chars().count()));
        let _ = writeln!(text, "{label}{pad}{facts}"); // writing to a String cannot fail
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns a line such as `revolute    q[7]    v[6]    "left_thigh"`.
fn facts(joint: &JointInfo) -> String {
    let follows = joint
        .mimic
        .as_ref()
        .map_or(String::new(), |m| format!(" = {} · {} + {}", m.multiplier, visible(&m.joint), m.offset));
    let (q, v, link) = (range(&joint.q), range(&joint.v), visible(&joint.link));
    format!("{:<11} q{q:<8} v{v:<8} {link}{follows}", joint.kind.name())
}

/// Returns a name on one line, with control characters escaped.
pub(super) fn visible(name: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(shown).collect()
}

/// Formats a mass with four decimals. Large masses are in scientific notation.
fn kilograms(mass: f64) -> String {
    if mass < 1e6 { format!("{mass:.4}") } else { format!("{mass:.4e}") }
}

/// Formats an index `[7]` or a range `[0:7]`.
fn range(range: &Range<usize>) -> String {
    if range.len() == 1 { format!("[{}]", range.start) } else { format!("[{}:{}]", range.start, range.end) }
}

/// Returns the tree of joints as collapsible nested lists, with warnings.
pub(super) fn html(model: &Model) -> String {
    let mut text = format!(
        "<div><b>{}</b>: {}, {} kg<table style=\"text-align:left\"><tr><th>joint</th><th>kind</th><th>q</th>\
         <th>v</th><th>link</th><th>limits</th></tr>",
        escape(model.name()),
        summary(model),
        kilograms(model.mass())
    );
    for joint in model.joints() {
        let indent = 1.2 * (joint.depth as f64 - 1.0);
        let follows = joint.mimic.as_ref().map_or(String::new(), |m| format!(" follows {}", m.joint));
        let limits = joint.limits;
        let limits = if limits.lower.is_finite() || limits.upper.is_finite() {
            format!("{:.3} … {:.3}", limits.lower, limits.upper)
        } else {
            String::new()
        };
        let _ = write!(
            text,
            "<tr><td style=\"padding-left:{indent:.1}em;text-align:left\">{}</td><td>{}{}</td><td>{}</td><td>{}</td>\
             <td>{}</td><td>{limits}</td></tr>",
            escape(&joint.name),
            joint.kind.name(),
            escape(&follows),
            range(&joint.q),
            range(&joint.v),
            escape(&joint.link)
        );
    }
    text.push_str("</table>");
    if !model.warnings().is_empty() {
        let items: String = model.warnings().iter().map(|w| format!("<li>{}</li>", escape(w))).collect();
        let _ =
            write!(text, "<details><summary>{} warnings</summary><ul>{items}</ul></details>", model.warnings().len());
    }
    text.push_str("</div>");
    text
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
