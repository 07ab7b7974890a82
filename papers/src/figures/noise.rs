//! [Carpentier18] Fig. 3: finite differences of a derivative that is zero.

use crate::figure::{Content, Verdict};
use crate::lab::Lab;
use crate::plot::{Heat, Plot};
use crate::robots::Named;
use dtau::Matrix;
use dtau_cli::names::dof_names;
use dtau_methods::list::{Quantity, find};

pub fn at_rest(lab: &mut Lab<'_>) -> Result<Content, String> {
    let subject = lab.robot(Named::Atlas)?;
    lab.at(&subject.name, 0.0);
    // A random configuration at rest, without gravity or forces: all derivatives with respect to velocity are
    // zero.
    let scene = subject.scene().gravity([0.0; 3]);
    let (q, rest) = (&subject.samples[0].q, vec![0.0; subject.model.nv()]);
    let id = |name: &str| -> Result<Matrix<f64>, String> {
        let method = find(Quantity::IdDerivatives, name).ok_or("no such method")?;
        Ok(method.id_derivatives(&scene, q, &rest, &rest).map_err(|refused| refused.to_string())?.dtau_dv)
    };
    let fd = |name: &str| -> Result<Matrix<f64>, String> {
        let method = find(Quantity::FdDerivatives, name).ok_or("no such method")?;
        Ok(method.fd_derivatives(&scene, q, &rest, &rest).map_err(|refused| refused.to_string())?.dqdd_dv)
    };
    let largest = |m: &Matrix<f64>| m.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let names = dof_names(&subject.model);
    let heat = |title: String, m: &Matrix<f64>| {
        let n = names.len();
        let values = (0..n * n).map(|k| m[(k / n, k % n)]).collect();
        Plot::Heat(Heat { title, rows: names.clone(), columns: names.clone(), values, noise: vec![] })
    };
    let mut content = Content::default();
    let words = "At rest and without gravity the derivatives by q̇ vanish; finite differences are not uniformly zero, due to rounding.";
    let mut numbers = Vec::new();
    for (what, of) in [("∂ID/∂q̇", &id as &dyn Fn(&str) -> Result<Matrix<f64>, String>), ("∂FD/∂q̇", &fd)] {
        let (forward, own) = (of("forward-difference")?, of(if what == "∂ID/∂q̇" { "idsva" } else { "fdsva" })?);
        numbers.push((what, largest(&forward), largest(&own)));
        content.plots.push(heat(format!("{what} by forward differences"), &forward));
        content.plots.push(heat(format!("{what}, analytical"), &own));
    }
    let said: Vec<String> = numbers
        .iter()
        .map(|(what, forward, own)| format!("{what}: up to {forward:.0e} by finite differences, {own} analytically"))
        .collect();
    let holds = numbers.iter().all(|(_, forward, own)| *forward > 0.0 && *own == 0.0);
    content.claim(words, format!("{}.", said.join("; ")), Verdict::of(holds));
    subject.note.iter().for_each(|note| content.note(note.clone()));
    content.note("Coloured where an entry is not exactly zero. Forward differences with the step of the list of methods, about 1.5e-8.");
    Ok(content)
}
