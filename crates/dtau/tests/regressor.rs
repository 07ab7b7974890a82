//! Dependence of the dynamics on a robot's parameters: regressors (linear in the inertial parameters of
//! links), and joint placements.

use dtau::model::{
    Description, FrameKind, Inertial, JointDescription, JointInfo, JointKind, Link, Model, Options, Root, generate,
};
use dtau::scalar::{Complex, Real};
use dtau::spatial::{Sym3, Vec3};
use dtau::{
    Energy, EnergyRegressor, Random, Reference, Workspace, Wrench, aba, crba, energy, energy_regressor, fd_regressor,
    frame_calibration, frame_placement, id_calibration, joint_torque_regressor, mass_times, minverse, rnea,
};
use dtau_fixtures::State;
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::matrices::conditioning;
use dtau_fixtures::steps::{lift, moved, rates, shifted, unit};
use dtau_fixtures::wrenches::{self, every_kind_everywhere};

/// Rounding: a few ε for each of the ten terms of every link that a joint moves, relative to the largest torque.
const TOLERANCE: f64 = 1e-12;

/// Robots with every joint type, mimicry, and welded links.
fn robots() -> Vec<(String, Description, Root)> {
    let roots = [Root::Fixed, Root::Floating];
    let random = (0..8)
        .flat_map(|seed| roots.map(|root| (format!("seed {seed}, {root:?}"), generate::random_tree(seed, 9), root)));
    random.collect()
}

fn build(robot: &Description, root: Root) -> Model {
    Model::build(robot, &Options { root, ..Options::default() }).unwrap()
}

/// Torques without the terms that are not linear in π.
fn torques(model: &Model, x: &State) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    let scene = model.scene().armature(false).damping(false).friction(false);
    rnea(scene, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut tau).unwrap();
    tau
}

fn regressor(model: &Model, x: &State) -> Vec<f64> {
    let mut y = vec![7.0; model.nv() * model.inertial_parameters().len()];
    joint_torque_regressor(model, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut y).unwrap();
    y
}

fn times(y: &[f64], nv: usize, parameters: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; nv];
    for (column, p) in y.chunks_exact(nv).zip(parameters) {
        sum.iter_mut().zip(column).for_each(|(sum, y)| *sum += y * p);
    }
    sum
}

#[test]
fn the_regressor_times_the_parameters_is_rnea() {
    for (name, robot, root) in robots() {
        let model = build(&robot, root);
        let x = State::random(&model, 3);
        let got = times(&regressor(&model, &x), model.nv(), &model.inertial_parameters());
        assert_close(&name, &got, &torques(&model, &x), 1, TOLERANCE);
    }
}

/// Y does not depend on the parameters: the Y of one robot gives the torques of any other with the same links.
#[test]
fn other_parameters_need_no_other_regressor() {
    for (name, robot, root) in robots() {
        let model = build(&robot, root);
        let x = State::random(&model, 5);
        let y = regressor(&model, &x);
        let random = &mut Random::seeded(9);
        let mut number = |low, high| random.within(low, high);
        let mut other = robot.clone();
        for link in &mut other.links {
            let com = Vec3::new(number(-0.5, 0.5), number(-0.5, 0.5), number(-0.5, 0.5));
            let mut moments = [(); 6].map(|()| number(-0.01, 0.01));
            moments[0] += 0.1;
            let [d, xy, xz, yz, a, b] = moments;
            let about_com = Sym3 { xx: d, xy, xz, yy: d + a, yz, zz: d + b };
            link.inertial = Some(Inertial { mass: number(0.1, 4.0), com, about_com });
        }
        let other = build(&other, root);
        let got = times(&y, model.nv(), &other.inertial_parameters());
        assert_close(&name, &got, &torques(&other, &x), 1, TOLERANCE);
    }
}

/// Welded links become frames, wherever they are in the file. The motion does not change.
#[test]
fn merged_links_leave_one_a_body() {
    let mut robots = robots();
    let mut welded = generate::random_tree(11, 9);
    for (k, joint) in welded.joints.iter_mut().enumerate().filter(|(k, _)| k % 3 == 1) {
        (joint.kind, joint.name) = (JointKind::Fixed, format!("weld_{k}"));
        joint.mimic = None;
    }
    for root in [Root::Fixed, Root::Floating] {
        robots.push((format!("{root:?} with welds"), welded.clone(), root));
    }
    for (name, robot, root) in robots {
        let model = build(&robot, root);
        let merged = model.with_links_merged().unwrap();
        let x = State::random(&model, 4);
        let links = model.body_count() + usize::from(root == Root::Fixed);
        assert_eq!(merged.description().links.len(), links.min(model.description().links.len()), "{name}");
        assert_close(&name, &torques(&merged, &x), &torques(&model, &x), 1, TOLERANCE);
        let got = times(&regressor(&merged, &x), model.nv(), &merged.inertial_parameters());
        assert_close(&name, &got, &torques(&model, &x), 1, TOLERANCE);
        for frame in model.frames() {
            let place = |model: &Model| {
                let (mut out, id) = ([0.0; 12], model.frame(&frame.name).unwrap());
                frame_placement(model, &mut Workspace::new(model), id, &x.q, &mut out).unwrap();
                out
            };
            assert_close(&frame.name, &place(&merged), &place(&model), 1, TOLERANCE);
        }
    }
}

/// A link's columns are exactly zero for joints that do not move it.
#[test]
fn links_that_do_not_move_have_zeros() {
    let model = build(&generate::tree(7, 2), Root::Fixed);
    let x = State::random(&model, 1);
    let y = regressor(&model, &x);
    assert!(y[..10 * model.nv()].iter().all(|&y| y == 0.0), "the base is welded to the world");
    assert!(y[10 * model.nv()..][..10 * model.nv()].iter().any(|&y| y != 0.0));
}

fn accelerations(model: &Model, x: &State) -> Vec<f64> {
    let mut qdd = vec![0.0; model.nv()];
    aba(model, &mut Workspace::new(model), &x.q, &x.v, x.tau(), &mut qdd).unwrap();
    qdd
}

/// M ∂q̈/∂π = −Y. M is multiplied by its inverse, so rounding grows with the condition number.
#[test]
fn the_mass_matrix_times_fd_regressor_is_minus_the_regressor() {
    for (name, robot, root) in robots() {
        let model = build(&robot, root);
        let (nv, mut x, ws) = (model.nv(), State::random(&model, 3), &mut Workspace::new(&model));
        let mut got = vec![7.0; nv * model.inertial_parameters().len()];
        fd_regressor(&model, ws, &x.q, &x.v, x.tau(), &mut got).unwrap();
        let mut product = got.clone();
        mass_times(&model, ws, &x.q, &got, &mut product).unwrap();
        x.a = accelerations(&model, &x);
        let want: Vec<f64> = regressor(&model, &x).iter().map(|y| -y).collect();
        let [mut m, mut minv] = [(); 2].map(|()| vec![0.0; nv * nv]);
        crba(&model, ws, &x.q, &mut m).unwrap();
        minverse(&model, ws, &x.q, &mut minv).unwrap();
        assert_close(&name, &product, &want, nv, conditioning(&m, &minv));
    }
}

/// Fourth-order differences of the accelerations when masses and inertias of links are scaled slightly.
/// Truncation h⁴ and rounding ε/h leave about nine digits.
#[test]
fn fd_regressor_is_the_derivative_by_the_masses_of_the_links() {
    for (name, robot, root) in robots() {
        let model = build(&robot, root);
        let (nv, x) = (model.nv(), State::random(&model, 3));
        let mut d = vec![7.0; nv * model.inertial_parameters().len()];
        fd_regressor(&model, &mut Workspace::new(&model), &x.q, &x.v, x.tau(), &mut d).unwrap();
        for link in (0..robot.links.len()).filter(|&i| robot.links[i].inertial.is_some()) {
            let heavier = |h: f64| {
                let mut other = robot.clone();
                let inertial = other.links[link].inertial.as_mut().unwrap();
                inertial.mass *= 1.0 + h;
                let Sym3 { xx, xy, xz, yy, yz, zz } = inertial.about_com;
                let [xx, xy, xz, yy, yz, zz] = [xx, xy, xz, yy, yz, zz].map(|x| x * (1.0 + h));
                inertial.about_com = Sym3 { xx, xy, xz, yy, yz, zz };
                accelerations(&build(&other, root), &x)
            };
            let h = 1e-3;
            let [a, b, c, d4] = [heavier(h), heavier(-h), heavier(2.0 * h), heavier(-2.0 * h)];
            let want: Vec<f64> = (0..nv).map(|k| (8.0 * (a[k] - b[k]) - (c[k] - d4[k])) / (12.0 * h)).collect();
            let of_link = 10 * link..10 * (link + 1);
            let got = times(&d[of_link.start * nv..of_link.end * nv], nv, &model.inertial_parameters()[of_link]);
            assert_close(&format!("{name}, link {link}"), &got, &want, 1, 1e-7);
        }
    }
}

/// For all links, and for each one with its own parameters alone.
#[test]
fn the_energy_regressor_times_the_parameters_is_the_energy() {
    for (name, robot, root) in robots() {
        let (model, ws) = (build(&robot, root), &mut Workspace::new(&build(&robot, root)));
        let (x, mut rows, mut want) = (State::random(&model, 3), EnergyRegressor::new(&model), Energy::default());
        rows.dkinetic_dpi.fill(7.0);
        rows.dpotential_dpi.fill(7.0);
        energy_regressor(&model, ws, &x.q, &x.v, &mut rows).unwrap();
        energy(model.scene().armature(false), ws, &x.q, &x.v, &mut want).unwrap();
        // Links fixed to the world have entries in `inertial_parameters`, but the robot's energy does not
        // include them.
        let parameters = model.inertial_parameters();
        let got = [&rows.dkinetic_dpi, &rows.dpotential_dpi].map(|row| times(row, 1, &parameters)[0]);
        assert_close(&name, &got, &[want.kinetic, want.potential], 2, TOLERANCE);
    }
}

/// The power of the torques is the rate of the energy for each parameter: q̇ᵀ Y = d/dt (∂T/∂π + ∂V/∂π), by a
/// complex step along the motion.
#[test]
fn the_power_of_the_regressor_is_the_rate_of_the_energy_regressor() {
    for (name, robot, root) in robots() {
        let model = build(&robot, root);
        let (nv, x) = (model.nv(), State::random(&model, 4));
        let want: Vec<f64> = regressor(&model, &x)
            .chunks_exact(nv)
            .map(|column| column.iter().zip(&x.v).map(|(y, v)| y * v).sum())
            .collect();
        let mut rows = EnergyRegressor::new(&model);
        let (q, v) = (moved(&model, &x.q, &x.v), shifted(&x.v, &x.a));
        energy_regressor(&model, &mut Workspace::<Complex>::new(&model), &q, &v, &mut rows).unwrap();
        let got: Vec<f64> =
            rates(&rows.dkinetic_dpi).iter().zip(rates(&rows.dpotential_dpi)).map(|(t, v)| t + v).collect();
        assert_close(&name, &got, &want, 1, TOLERANCE);
    }
}

/// Returns the robot with a six-dof joint in place of the placement of joint `j`. At zero it is the same
/// robot. Moved by δ, it is the robot with placement X Exp(δ). So derivatives with respect to the placement
/// are complex steps of RNEA on another tree.
fn with_movable_placement(robot: &Description, j: usize) -> Description {
    let mut other = robot.clone();
    let (link, name) = ("beside the placement", robot.joints[j].name.clone());
    other.links.push(Link { name: link.into(), ..Link::default() });
    let behind = format!("{name}, behind its placement");
    for mimic in other.joints.iter_mut().filter_map(|joint| joint.mimic.as_mut()) {
        if mimic.joint == name {
            mimic.joint = behind.clone();
        }
    }
    let mut joint = other.joints[j].clone();
    let mut placement = JointDescription::new(&name, JointKind::FreeFlyer, &joint.parent, link);
    placement.origin = joint.origin;
    (joint.name, joint.parent, joint.origin) = (behind, link.into(), dtau::spatial::Transform::identity());
    other.joints[j] = placement; // same index, so that joints keep their order
    other.joints.push(joint);
    other
}

/// Maps an array over the joints of one robot to those of another, by the names from `rename`. Joints without
/// a counterpart are taken from `rest`.
fn carried(
    [from, to]: [&Model; 2],
    x: &[f64],
    mut rest: Vec<f64>,
    range: fn(&JointInfo) -> std::ops::Range<usize>,
    rename: impl Fn(&str) -> Option<String>,
) -> Vec<f64> {
    for joint in to.joints().iter().filter(|joint| joint.mimic.is_none()) {
        if let Some(name) = rename(&joint.name) {
            let source = from.joint_info(from.joint(&name).unwrap());
            rest[range(joint)].copy_from_slice(&x[range(source)]);
        }
    }
    rest
}

#[test]
fn calibration_is_the_complex_step_derivative_of_robots_with_movable_placements() {
    for seed in 0..6 {
        let robot = generate::random_tree(seed, 8);
        let model = build(&robot, Root::Fixed);
        let (nv, x, ws) = (model.nv(), State::random(&model, seed), &mut Workspace::new(&model));
        // Only wrenches on links: the frame of a joint differs in the other robot.
        let is_joint = |w: &Wrench<f64>| model.frame_info(w.frame).kind == FrameKind::Joint;
        let mut pushes: Vec<_> = every_kind_everywhere(&model).into_iter().filter(|w| !is_joint(w)).collect();
        if seed % 2 == 0 {
            pushes = wrenches::moving_only(&pushes);
        }
        let mut got = vec![7.0; nv * 6 * model.joints().len()];
        id_calibration(model.scene().wrenches(&pushes), ws, &x.q, &x.v, &x.a, &mut got).unwrap();
        let links = || model.frame_ids().filter(|&f| model.frame_info(f).kind != FrameKind::Joint);
        for (k, joint) in model.joints().iter().enumerate() {
            let described = robot.joints.iter().position(|j| j.name == joint.name).unwrap();
            let other = build(&with_movable_placement(&robot, described), Root::Fixed);
            let place = other.joint_info(other.joint(&joint.name).unwrap()).clone();
            let behind = format!("{}, behind its placement", joint.name);
            let (there, back) = ([&model, &other], [&other, &model]);
            let to_other = |name: &str| match name {
                _ if name == joint.name => None,
                _ if name == behind => Some(joint.name.clone()),
                _ => Some(name.into()),
            };
            let to_model = |name: &str| Some(if name == joint.name { behind.clone() } else { name.into() });
            let of_q = |j: &JointInfo| j.q.clone();
            let of_v = |j: &JointInfo| j.v.clone();
            let v = carried(there, &x.v, vec![0.0; other.nv()], of_v, to_other);
            let a = carried(there, &x.a, vec![0.0; other.nv()], of_v, to_other);
            let q = carried(there, &x.q, other.neutral(), of_q, to_other);
            let mut pushed = wrenches::lift::<Complex>(&pushes);
            for (to, from) in pushed.iter_mut().zip(&pushes) {
                to.frame = other.frame(&model.frame_info(from.frame).name).unwrap();
            }
            let (v, a, wide) = (lift::<Complex>(&v), lift::<Complex>(&a), &mut Workspace::new(&other));
            for c in 0..6 {
                let q = moved(&other, &q, &unit(other.nv(), place.v.start + c));
                let mut tau = vec![Complex::zero(); other.nv()];
                rnea(other.scene().wrenches(&pushed), wide, &q, &v, &a, &mut tau).unwrap();
                let want = carried(back, &rates(&tau), vec![0.0; nv], of_v, to_model);
                let what = format!("seed {seed}, joint {}, direction {c}", joint.name);
                assert_close(&what, &got[(6 * k + c) * nv..][..nv], &want, 1, TOLERANCE);
                for frame in links() {
                    let name = &model.frame_info(frame).name;
                    let mut placed = [Complex::zero(); 12];
                    frame_placement(&other, wide, other.frame(name).unwrap(), &q, &mut placed).unwrap();
                    let mut j = vec![7.0; 36 * model.joints().len()];
                    frame_calibration(&model, ws, frame, Reference::LocalWorldAligned, &x.q, &mut j).unwrap();
                    let motion = &j[36 * k + 6 * c..][..6];
                    assert_close(&format!("{what}, {name}"), &motion[..3], &rates(&placed[9..]), 1, TOLERANCE);
                    let w = Vec3::new(motion[3], motion[4], motion[5]);
                    for axis in placed[..9].chunks_exact(3) {
                        let turned = w.cross(Vec3::new(axis[0].re, axis[1].re, axis[2].re)).to_array();
                        assert_close(&format!("{what}, {name}"), &turned, &rates(axis), 1, TOLERANCE);
                    }
                }
            }
        }
    }
}

/// The joint of a floating base has a placement like any other joint.
#[test]
fn a_floating_base_is_calibrated_as_a_joint_of_the_description() {
    let robot = generate::random_tree(2, 7);
    let model = build(&robot, Root::Floating);
    let mut other = robot.clone();
    let root = robot.links.iter().find(|l| robot.joints.iter().all(|j| j.child != l.name)).unwrap();
    other.links.push(Link { name: "ground".into(), ..Link::default() });
    other.joints.push(JointDescription::new("root_joint", JointKind::FreeFlyer, "ground", &root.name));
    let other = build(&other, Root::Fixed);
    let x = State::random(&model, 1);
    let [got, want] = [&model, &other].map(|model| {
        let mut out = vec![7.0; model.nv() * 6 * model.joints().len()];
        id_calibration(model, &mut Workspace::new(model), &x.q, &x.v, &x.a, &mut out).unwrap();
        out
    });
    assert_eq!(model.joints().len(), other.joints().len());
    assert_close("root", &got, &want, model.nv(), TOLERANCE);
}
