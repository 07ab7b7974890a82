//! Every function of kinematics, on every scalar.
//!
//! Separate from the tests of results, because compiling every scalar takes time.

use dtau::model::Model;
use dtau::scalar::{Complex, Counted, Dual, Fused, Lanes, Real};
use dtau::spatial::Vec3;
use dtau::{Reference, Workspace, centroidal_matrix, com_jacobian, coriolis};
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::by_value::{centre_of_mass, centroidal_momentum, centroidal_momentum_rate, energy};
use dtau_fixtures::robots::zoo_cases as cases;
use dtau_fixtures::steps::{TOLERANCE, kinematics};
use dtau_fixtures::{Case, State};

/// Compares lane by lane, each with its own state.
#[test]
fn every_scalar_agrees_with_f64() {
    for Case { model, name, .. } in cases() {
        let states: Vec<State> = (0..8).map(|seed| State::turned(&model, 100 + seed)).collect();
        let plain: Vec<Vec<f64>> =
            states.iter().map(|x| everything(&model, &mut Workspace::plain(&model), &x.q, &x.v, &x.a)).collect();
        let check = |scalar: &str, lane: usize, got: Vec<f64>, tolerance: f64| {
            assert_close(&format!("{name}: {scalar}, lane {lane}"), &got, &plain[lane], 1, tolerance);
        };
        fn each<T: Real>(model: &Model, x: &State, to: impl Fn(f64) -> T, back: impl Fn(T) -> f64) -> Vec<f64> {
            let [q, v, a] = [&x.q, &x.v, &x.a].map(|x| x.iter().map(|&x| to(x)).collect::<Vec<T>>());
            everything(model, &mut Workspace::new(model), &q, &v, &a).into_iter().map(back).collect()
        }
        let x = &states[0];
        check("f64", 0, each(&model, x, |x| x, |x| x), TOLERANCE);
        check("f32", 0, each(&model, x, |x| x as f32, f64::from), 1e-4);
        check("Fused<f64>", 0, each(&model, x, Fused, |x| x.0), TOLERANCE);
        check("Complex", 0, each(&model, x, |x| Complex::new(x, 0.0), |x| x.re), TOLERANCE);
        check("Dual", 0, each(&model, x, |x| Dual::new(x, [0.0; 1]), |x| x.re), TOLERANCE);
        check("Counted", 0, each(&model, x, Counted, |x| x.0), TOLERANCE);
        fn lanes<const N: usize>(model: &Model, states: &[State]) -> Vec<Lanes<N>>
        where
            Lanes<N>: Real,
        {
            let pack = |part: fn(&State) -> &Vec<f64>| -> Vec<Lanes<N>> {
                (0..part(&states[0]).len()).map(|i| Lanes(std::array::from_fn(|lane| part(&states[lane])[i]))).collect()
            };
            let (q, v, a) = (pack(|x| &x.q), pack(|x| &x.v), pack(|x| &x.a));
            everything(model, &mut Workspace::new(model), &q, &v, &a)
        }
        let (four, eight) = (lanes::<4>(&model, &states), lanes::<8>(&model, &states));
        for lane in 0..4 {
            check("Lanes<4>", lane, four.iter().map(|x| x.0[lane]).collect(), TOLERANCE);
        }
        for lane in 0..8 {
            check("Lanes<8>", lane, eight.iter().map(|x| x.0[lane]).collect(), TOLERANCE);
        }
    }
}

/// Returns the results of every function, one number after the other.
fn everything<T: Real>(model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T]) -> Vec<T> {
    let nv = model.nv();
    let kin = kinematics(model, ws, q, v, a);
    let mut out = Vec::new();
    let mut matrix = vec![T::zero(); 6 * nv];
    for f in model.frame_ids() {
        out.extend(kin.placements().frame(f).to_array());
        for reference in Reference::ALL {
            out.extend(kin.velocity(f, reference).to_array());
            out.extend(kin.acceleration(f, reference).to_array());
            out.extend(kin.classical_acceleration(f, reference).to_array());
            kin.placements().jacobian(f, reference, &mut matrix).unwrap();
            out.extend(&matrix);
            kin.jacobian_rate(f, reference, &mut matrix).unwrap();
            out.extend(&matrix);
        }
    }
    let com = centre_of_mass(model, ws, q, v, a).unwrap();
    out.extend([com.position, com.velocity, com.acceleration].map(Vec3::to_array).concat());
    com_jacobian(model, ws, q, &mut matrix[..3 * nv]).unwrap();
    out.extend(&matrix[..3 * nv]);
    let energy = energy(model, ws, q, v).unwrap();
    out.extend([energy.kinetic, energy.potential]);
    out.extend(centroidal_momentum(model, ws, q, v).unwrap().to_array());
    out.extend(centroidal_momentum_rate(model, ws, q, v, a).unwrap().to_array());
    centroidal_matrix(model, ws, q, &mut matrix).unwrap();
    out.extend(&matrix);
    let mut c = vec![T::zero(); nv * nv];
    coriolis(model, ws, q, v, &mut c).unwrap();
    out.extend(c);
    out
}
