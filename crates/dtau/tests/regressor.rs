//! The joint torque regressor: τ = Y π, whatever the parameters are.

use dtau::model::{Description, Inertial, Model, Options, Root, generate};
use dtau::spatial::{Sym3, Vec3};
use dtau::{Random, Workspace, aba, crba, fd_regressor, joint_torque_regressor, mass_times, minverse, rnea};
use dtau_fixtures::State;
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::matrices::conditioning;

/// Rounding: a few ε for each of the ten terms of every link that a joint moves, relative to the largest torque.
const TOLERANCE: f64 = 1e-12;

/// A robot with every joint type, mimicry, and links that are welded to others.
fn robots() -> Vec<(String, Description, Root)> {
    let roots = [Root::Fixed, Root::Floating];
    let random = (0..8)
        .flat_map(|seed| roots.map(|root| (format!("seed {seed}, {root:?}"), generate::random_tree(seed, 9), root)));
    random.collect()
}

fn build(robot: &Description, root: Root) -> Model {
    Model::build(robot, &Options { root, ..Options::default() }).unwrap()
}

/// Torques without what is not linear in π.
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

/// Y does not depend on the parameters: that of one robot gives the torques of any other with the same links.
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

/// Columns of a link say nothing of joints that do not move it: exactly zero.
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

/// Y at q̈ is linear algebra away: M ∂q̈/∂π = −Y. M and its inverse meet, so rounding comes with its condition.
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

/// Robots whose links are a little heavier or lighter, in proportion: a difference of fourth order of their accelerations, which
/// truncation h⁴ and rounding ε/h leave some nine digits of.
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
