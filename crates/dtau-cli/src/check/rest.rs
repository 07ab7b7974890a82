//! The robot at rest: the torques that hold it, the fastest mode of its damping, and its root.

use super::finding::Severity::{Error, Hint, Warning};
use super::finding::{Finding, Place};
use super::mirror::words;
use super::subject::{Subject, short};
use crate::failure::Failure;
use crate::names::dof_names;
use dtau::model::{JointInfo, JointKind, Root};
use dtau::{FdDerivatives, Matrix, Random, Scene, Workspace};
use serde::Serialize;

/// Torques that hold the robot's weight, one for each degree of freedom \[N m, N\].
pub struct Torques {
    /// At rest.
    pub rest: Vec<f64>,
    /// The largest by magnitude, over rest and random configurations.
    pub most: Vec<f64>,
}

impl Torques {
    /// Number of random configurations.
    pub const RANDOM: usize = 100;

    /// Computes the torques. A floating root is held where it is.
    pub fn of(scene: Scene<'_, f64>, subject: &Subject) -> Result<Self, Failure> {
        let model = subject.model;
        let (still, mut tau) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        let mut ws = Workspace::new(model);
        dtau::rnea(scene, &mut ws, &subject.q, &still, &still, &mut tau)?;
        let (rest, mut most) = (tau.clone(), tau.clone());
        let random = &mut Random::seeded(1);
        // A thousand joints need no hundred configurations to find a bad one.
        let count = if model.nv() > 1000 { 1 } else { Self::RANDOM };
        for _ in 0..count {
            let mut q = model.random_configuration(random);
            for joint in model.joints().iter().filter(|joint| floats(joint)) {
                q[joint.q.clone()].copy_from_slice(&subject.q[joint.q.clone()]);
            }
            dtau::rnea(scene, &mut ws, &q, &still, &still, &mut tau)?;
            for (most, &tau) in most.iter_mut().zip(&tau) {
                *most = if tau.abs() > most.abs() { tau } else { *most };
            }
        }
        Ok(Self { rest, most })
    }

    /// Returns a finding for joints that are too weak at rest, and one for those that are too weak elsewhere.
    pub fn findings(&self, subject: &Subject) -> Vec<Finding> {
        let driven = |joint: &&JointInfo| joint.v.len() == 1 && joint.limits.effort > 0.0;
        let weak = |torque: &[f64], joint: &JointInfo| torque[joint.v.start].abs() > joint.limits.effort;
        let joints: Vec<&JointInfo> =
            subject.model.joints().iter().filter(|joint| joint.mimic.is_none()).filter(driven).collect();
        let (at_rest, elsewhere): (Vec<&JointInfo>, Vec<&JointInfo>) =
            joints.into_iter().filter(|joint| weak(&self.most, joint)).partition(|joint| weak(&self.rest, joint));
        let finding = |joints: &[&JointInfo], torque: &[f64], severity, when: &str| {
            let excess = |joint: &JointInfo| torque[joint.v.start].abs() / joint.limits.effort;
            let worst = joints.iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
            let [need, limit] = [torque[worst.v.start].abs(), worst.limits.effort].map(short);
            let unit = unit(worst);
            let what = format!(
                "The robot is too heavy for its motors {when}: {:?} needs {need} {unit}, and its effort limit is {limit}.",
                worst.name
            );
            const REMEDY: &str = "Check the masses (kg), the centres of mass (m) and the effort limits (N m, N).";
            let places = joints.iter().map(|joint| Place::joint(&joint.name, subject.line(joint))).collect();
            Some(Finding::new(severity, places, what, REMEDY))
        };
        let findings = [
            finding(&at_rest, &self.rest, Warning, "at rest"),
            finding(&elsewhere, &self.most, Hint, "in some configurations"),
        ];
        findings.into_iter().flatten().collect()
    }
}

/// Returns the unit of a joint's torque or force.
pub fn unit(joint: &JointInfo) -> &'static str {
    if matches!(joint.kind, JointKind::Prismatic { .. }) { "N" } else { "N m" }
}

/// True for the joint of a floating root.
pub fn floats(joint: &JointInfo) -> bool {
    matches!(joint.kind, JointKind::FreeFlyer)
}

/// The fastest mode of ∂q̈/∂q̇ at rest. It bounds the steps of explicit integration of damping and friction.
#[derive(Debug, Serialize)]
pub struct Mode {
    /// Its rate \[1/s\].
    pub rate: f64,
    /// The longest stable step of explicit Euler integration \[s\].
    pub largest_step: f64,
    /// The degree of freedom that moves most in it.
    pub joint: String,
    /// The longest stable step without Coulomb friction \[s\]; `None` if there is no other damping.
    pub largest_step_without_friction: Option<f64>,
}

/// Largest number of degrees of freedom for which the mode is computed.
const LARGEST: usize = 300;
/// Usual time step of a simulation \[s\].
const USUAL_STEP: f64 = 1e-3;
/// Longest step that comes from an inertia of rounding noise \[s\].
const ROUNDING_STEP: f64 = 1e-9;

impl Mode {
    /// Computes the mode; `None` if nothing damps the joints.
    ///
    /// # Errors
    /// Returns the reason why it cannot be computed.
    pub fn of(scene: Scene<'_, f64>, subject: &Subject) -> Result<Option<Self>, &'static str> {
        let Some((rate, dof)) = fastest(scene, subject)? else { return Ok(None) };
        let without = fastest(scene.friction(false), subject)?;
        Ok(Some(Self {
            rate,
            largest_step: 2.0 / rate,
            joint: dof_names(subject.model).swap_remove(dof),
            largest_step_without_friction: without.map(|(rate, _)| 2.0 / rate),
        }))
    }

    /// Returns a sentence about it.
    pub fn describe(found: &Result<Option<Self>, &'static str>) -> String {
        let text = match found {
            Ok(Some(Self { rate, largest_step, joint, .. })) => {
                let (rate, step) = (short(*rate), time(*largest_step));
                format!("{rate} 1/s at {joint}. An explicit integrator needs steps below {step}")
            }
            Ok(None) => "none, no joint has damping or friction".into(),
            Err(why) => format!("not computed, {why}"),
        };
        format!("Fastest mode of ∂q̈/∂q̇ at rest: {text}.")
    }

    /// Returns a finding if the mode needs shorter steps than usual.
    pub fn finding(&self, subject: &Subject) -> Option<Finding> {
        if self.largest_step >= USUAL_STEP {
            return None;
        }
        let joint = subject.model.joints().iter().find(|joint| joint.name == self.joint);
        let at: Vec<Place> = joint.map(|joint| Place::joint(&joint.name, subject.line(joint))).into_iter().collect();
        if self.largest_step < ROUNDING_STEP {
            const WHAT: &str = "The joint has almost no inertia along its axis.";
            return Some(Finding::new(Warning, at, WHAT, "Write the inertias of the links that it carries."));
        }
        let (rate, step) = (short(self.rate), time(self.largest_step));
        let friction = match self.largest_step_without_friction {
            Some(step) => format!("without friction, below {}", time(step)),
            None => "without friction there is no such limit".into(),
        };
        let what = format!(
            "Damping and friction are stiff: the fastest mode decays at {rate} 1/s. An explicit integrator needs steps below \
             {step}; {friction}."
        );
        const REMEDY: &str = "Integrate damping and friction implicitly, or leave friction out (--no-friction). Check the \
                              inertia and the <dynamics> of this joint.";
        Some(Finding::new(Warning, at, what, REMEDY))
    }
}

/// Returns a time such as `85 µs`.
pub fn time(seconds: f64) -> String {
    crate::page::svg::number(1e9 * seconds, crate::page::svg::Unit::Time)
}

/// Returns the largest eigenvalue of −∂q̈/∂q̇ = M⁻¹ D at rest, and the degree of freedom that moves most in its mode.
///
/// M⁻¹ D is similar to a symmetric positive semi-definite matrix, so power iteration converges.
fn fastest(scene: Scene<'_, f64>, subject: &Subject) -> Result<Option<(f64, usize)>, &'static str> {
    let n = subject.model.nv();
    if n == 0 {
        return Ok(None);
    }
    if n > LARGEST {
        return Err("the robot has more than 300 degrees of freedom");
    }
    let (still, mut fd) = (vec![0.0; n], FdDerivatives::new(subject.model));
    dtau::fd_derivatives(scene, &mut Workspace::new(subject.model), &subject.q, &still, &still, &mut fd)
        .map_err(|_| "the robot has no forward dynamics at rest")?;
    let braking: &Matrix<f64> = &fd.dqdd_dv;
    // A start that is orthogonal to no mode.
    let mut x: Vec<f64> = (0..n).map(|k| 1.0 + 0.3 * (k as f64).sin()).collect();
    let mut rate = 0.0;
    for _ in 0..300 {
        let next: Vec<f64> = (0..n).map(|i| -(0..n).map(|j| braking[(i, j)] * x[j]).sum::<f64>()).collect();
        let [size, was] = [&next, &x].map(|x| x.iter().map(|x| x * x).sum::<f64>().sqrt());
        if size.is_nan() || size <= 1e-12 * was {
            return Ok(None);
        }
        let before = std::mem::replace(&mut rate, size / was);
        x = next.into_iter().map(|x| x / size).collect();
        if (rate - before).abs() <= 1e-9 * rate {
            break;
        }
    }
    Ok((0..n).max_by(|&i, &j| x[i].abs().total_cmp(&x[j].abs())).map(|dof| (rate, dof)))
}

/// Returns a finding if forward dynamics do not exist at rest.
pub fn singular(scene: Scene<'_, f64>, subject: &Subject) -> Option<Finding> {
    let still = vec![0.0; subject.model.nv()];
    let ws = &mut Workspace::new(subject.model);
    let error = dtau::aba(scene, ws, &subject.q, &still, &still, &mut still.clone()).err()?;
    const REMEDY: &str = "Write the inertias of the links that the joint carries, or fix it.";
    Some(Finding::new(Error, Vec::new(), format!("Forward dynamics do not exist at rest: {error}."), REMEDY))
}

/// Words that name parts of legs.
const LEGS: [&str; 12] = ["leg", "hip", "thigh", "calf", "shin", "shank", "knee", "ankle", "foot", "haa", "hfe", "kfe"];

/// Returns a finding if a robot with legs has a fixed root.
pub fn legs(subject: &Subject) -> Option<Finding> {
    let model = subject.model;
    if model.options().root != Root::Fixed || model.joints().iter().any(floats) {
        return None;
    }
    let is_leg = |word: &str| LEGS.iter().any(|leg| word.starts_with(leg) || word.ends_with(leg));
    let says_leg = |joint: &JointInfo| {
        [&joint.name, &joint.link].iter().any(|name| words(name).iter().any(|word| is_leg(&word.to_lowercase())))
    };
    // Chains from the root, each with a part of a leg.
    let mut chains: Vec<(&JointInfo, bool)> = Vec::new();
    for joint in model.joints() {
        if joint.parent.is_none() {
            chains.push((joint, false));
        }
        if let Some((_, is_leg)) = chains.last_mut() {
            *is_leg |= says_leg(joint);
        }
    }
    let legs: Vec<&JointInfo> = chains.into_iter().filter(|(_, is_leg)| *is_leg).map(|(joint, _)| joint).collect();
    if legs.len() < 2 {
        return None;
    }
    let at = legs.iter().map(|joint| Place::joint(&joint.name, subject.line(joint))).collect();
    let what = format!("The robot has {} legs, but its root is fixed to the world.", legs.len());
    Some(Finding::new(Hint, at, what, "Did you mean --root floating?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dtau::model::{Model, Options};

    /// Rate: damping by inertia, 3 / 0.5.
    #[test]
    fn the_fastest_mode_of_one_joint_is_damping_by_inertia() {
        let urdf = r#"<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
            <inertia ixx="1" iyy="1" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
            <dynamics damping="3"/></joint></robot>"#;
        let model = Model::from_urdf(urdf, &Options::default()).unwrap();
        let subject = Subject::new(&model).ok().unwrap();
        let mode = Mode::of(model.scene(), &subject).unwrap().unwrap();
        assert!((mode.rate - 6.0).abs() < 1e-12 && mode.joint == "j", "{mode:?}");
        assert!(mode.finding(&subject).is_none());
        assert!(Mode::of(model.scene().damping(false), &subject).unwrap().is_none());
    }
}
