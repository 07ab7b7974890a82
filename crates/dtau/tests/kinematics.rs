//! Kinematics, Jacobians, centre of mass, energy, centroidal momentum, Coriolis matrix.
//!
//! If a quantity is a derivative, the reference is a complex step of its function. With a step of 1e-30 there
//! is no truncation error. What is left is round-off: a few ε for each body on the path, relative to the
//! largest number of the result. `TOLERANCE` gives room.
#![allow(non_snake_case)]

use dtau::model::{FrameId, Inertial, JointKind, Model, Options, Root, generate};
use dtau::scalar::{Complex, Dual, Real};
use dtau::spatial::{Force, Mat3, Motion, Quaternion, Transform, Vec3};
use dtau::{
    ErrorKind, Kinematics, Placements, Reference, Workspace, bias, centroidal_matrix, com_jacobian, coriolis,
    gravity_torques, rnea,
};
use dtau_fixtures::assertions::assert_close;
use dtau_fixtures::by_value::{centre_of_mass, centroidal_momentum, centroidal_momentum_rate, energy};
use dtau_fixtures::matrices::{dot, product, sum};
use dtau_fixtures::robots::{zoo as zoo_model, zoo_cases as cases};
use dtau_fixtures::steps::{STEP, TOLERANCE, kinematics, lift, rates, shifted, unit};
use dtau_fixtures::{Case, State};

// Placements, velocities, accelerations

/// A planar arm with two links of 1 m, as in a textbook.
#[test]
fn a_double_pendulum_moves_as_in_the_textbook() {
    let model = Model::build(&generate::chain(2), &Options::default()).unwrap();
    let (q, v, a) = ([0.3, 0.5], [2.0, -1.0], [0.7, 0.4]);
    let kin = kinematics(&model, &mut Workspace::new(&model), &q, &v, &a);
    let elbow = frame(&model, "link_2");
    let (s, c) = 0.3f64.sin_cos();
    let X = kin.placements().frame(elbow);
    assert_close("position", &X.pos.to_array(), &[c, s, 0.0], 1, 1e-15);
    assert_close("x axis", &X.rot.cols[0].to_array(), &[0.8f64.cos(), 0.8f64.sin(), 0.0], 1, 1e-15);
    let velocity = kin.velocity(elbow, Reference::LocalWorldAligned);
    assert_close("velocity", &velocity.to_array(), &[-2.0 * s, 2.0 * c, 0.0, 0.0, 0.0, 1.0], 1, 1e-15);
    // α r across, ω² r towards the centre
    let acceleration = kin.classical_acceleration(elbow, Reference::LocalWorldAligned);
    let want = [-0.7 * s - 4.0 * c, 0.7 * c - 4.0 * s, 0.0, 0.0, 0.0, 1.1];
    assert_close("acceleration", &acceleration.to_array(), &want, 1, 1e-15);
}

#[test]
fn a_body_is_where_its_link_is_and_a_frame_where_it_is_fixed() {
    for Case { model, x, .. } in cases() {
        let mut out = Placements::new(&model);
        out.update(&model, &mut Workspace::new(&model), &x.q).unwrap();
        for (body, joint) in model.body_ids().zip(model.joints()) {
            assert_eq!(model.frames()[index(&model, model.link_frame(body))].name, joint.link);
            assert_eq!(out.body(body), out.frame(frame(&model, &joint.link)));
        }
        for joint in model.description().joints.iter().filter(|j| j.kind == JointKind::Fixed) {
            let (parent, child) = (out.frame(frame(&model, &joint.parent)), out.frame(frame(&model, &joint.child)));
            assert_transforms_close(&joint.name, child, parent * joint.origin);
        }
        for f in &model.description().frames {
            let link = out.frame(frame(&model, &f.link));
            assert_transforms_close(&f.name, out.frame(frame(&model, &f.name)), link * f.placement);
        }
    }
}

/// Both free functions compute the same placements.
#[test]
fn forward_kinematics_places_frames_as_placements_does() {
    for Case { model, x, .. } in cases() {
        let mut ws = Workspace::new(&model);
        let kin = kinematics(&model, &mut ws, &x.q, &x.v, &x.a);
        let mut out = Placements::new(&model);
        out.update(&model, &mut ws, &x.q).unwrap();
        for f in model.frame_ids() {
            assert_eq!(kin.placements().frame(f), out.frame(f));
        }
    }
}

/// Along `q ⊕ v t`, `v + a t`: the rate of the local or world velocity is the spatial acceleration. The rate
/// of the velocity of the frame's origin is the classical acceleration.
#[test]
fn accelerations_are_the_complex_step_rates_of_velocities() {
    for Case { model, x, name, .. } in cases() {
        let mut ws = Workspace::new(&model);
        let kin = kinematics(&model, &mut ws, &x.q, &x.v, &x.a);
        let (q, v) = (along(&model, &x.q, &x.v), shifted(&x.v, &x.a));
        let moved = kinematics(&model, &mut Workspace::new(&model), &q, &v, &lift(&x.a));
        for f in model.frame_ids() {
            for reference in Reference::ALL {
                let rate = rates(&moved.velocity(f, reference).to_array());
                let acceleration = match reference {
                    Reference::LocalWorldAligned => kin.classical_acceleration(f, reference),
                    _ => kin.acceleration(f, reference),
                };
                let what = format!("{name}: {reference:?} acceleration");
                assert_close(&what, &acceleration.to_array(), &rate, 1, TOLERANCE);
            }
        }
    }
}

#[test]
fn spatial_and_classical_accelerations_differ_by_the_angular_times_the_linear_velocity() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a);
        for f in model.frame_ids() {
            let R = kin.placements().frame(f).rot;
            for reference in Reference::ALL {
                let (v, a) = (kin.velocity(f, reference), kin.acceleration(f, reference));
                let want = Motion::new(a.lin + v.ang.cross(v.lin), a.ang).to_array();
                let got = kin.classical_acceleration(f, reference).to_array();
                assert_close(&format!("{name}: {reference:?}"), &got, &want, 1, TOLERANCE);
            }
            // The three references give the same vectors in different axes.
            let aligned = kin.classical_acceleration(f, Reference::LocalWorldAligned);
            let local = kin.classical_acceleration(f, Reference::Local);
            assert_close(&name, &(R * local.lin).to_array(), &aligned.lin.to_array(), 1, TOLERANCE);
            assert_close(&name, &(R * local.ang).to_array(), &aligned.ang.to_array(), 1, TOLERANCE);
        }
    }
}

// Jacobians

#[test]
fn jacobians_are_the_complex_step_derivatives_of_placements() {
    for Case { model, x, name, .. } in cases() {
        let out = {
            let mut out = Placements::new(&model);
            out.update(&model, &mut Workspace::new(&model), &x.q).unwrap();
            out
        };
        let (mut ws, mut moved) = (Workspace::new(&model), Placements::new(&model));
        let mut want = vec![vec![0.0; 6 * model.nv()]; 3 * model.frames().len()];
        for k in 0..model.nv() {
            moved.update(&model, &mut ws, &along(&model, &x.q, &unit(model.nv(), k))).unwrap();
            for (n, f) in model.frame_ids().enumerate() {
                let columns = column_by_reference(&out.frame(f), &moved.frame(f));
                for (r, column) in columns.into_iter().enumerate() {
                    want[3 * n + r][6 * k..][..6].copy_from_slice(&column.to_array());
                }
            }
        }
        let mut got = vec![f64::NAN; 6 * model.nv()];
        for (n, f) in model.frame_ids().enumerate() {
            for (r, reference) in Reference::ALL.into_iter().enumerate() {
                out.jacobian(f, reference, &mut got).unwrap();
                assert_close(&format!("{name}: {reference:?} J"), &got, &want[3 * n + r], 6, TOLERANCE);
            }
        }
    }
}

#[test]
fn velocities_are_jacobians_times_v() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a);
        let mut j = vec![f64::NAN; 6 * model.nv()];
        for f in model.frame_ids() {
            for reference in Reference::ALL {
                kin.placements().jacobian(f, reference, &mut j).unwrap();
                let velocity = kin.velocity(f, reference).to_array();
                assert_close(&format!("{name}: {reference:?}"), &velocity, &times(&j, 6, &x.v), 1, TOLERANCE);
            }
        }
    }
}

#[test]
fn jacobian_rates_are_the_complex_step_rates_of_jacobians() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a);
        let mut moved = Placements::new(&model);
        moved.update(&model, &mut Workspace::new(&model), &along(&model, &x.q, &x.v)).unwrap();
        let mut want = vec![Complex::zero(); 6 * model.nv()];
        let mut got = vec![f64::NAN; 6 * model.nv()];
        for f in model.frame_ids() {
            for reference in Reference::ALL {
                moved.jacobian(f, reference, &mut want).unwrap();
                kin.jacobian_rate(f, reference, &mut got).unwrap();
                assert_close(&format!("{name}: {reference:?} J̇"), &got, &rates(&want), 6, TOLERANCE);
            }
        }
    }
}

#[test]
fn accelerations_are_j_a_plus_rate_of_j_times_v() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a);
        let (mut j, mut dj) = (vec![f64::NAN; 6 * model.nv()], vec![f64::NAN; 6 * model.nv()]);
        for f in model.frame_ids() {
            for reference in Reference::ALL {
                kin.placements().jacobian(f, reference, &mut j).unwrap();
                kin.jacobian_rate(f, reference, &mut dj).unwrap();
                let want = sum(&times(&j, 6, &x.a), &times(&dj, 6, &x.v));
                let got = match reference {
                    Reference::LocalWorldAligned => kin.classical_acceleration(f, reference),
                    _ => kin.acceleration(f, reference),
                };
                assert_close(&format!("{name}: {reference:?}"), &got.to_array(), &want, 1, TOLERANCE);
            }
        }
    }
}

// Centre of mass

#[test]
fn centre_of_mass_is_the_mean_of_the_links_that_move() {
    for Case { model, x, name, .. } in cases() {
        let mut ws = Workspace::new(&model);
        let kin = kinematics(&model, &mut ws, &x.q, &x.v, &x.a);
        let (mut mass, mut h) = (0.0, Vec3::zero());
        for (f, inertial) in moving_links(&model) {
            mass += inertial.mass;
            h += kin.placements().frame(f).act_point(inertial.com) * inertial.mass;
        }
        let com = centre_of_mass(&model, &mut ws, &x.q, &x.v, &x.a).unwrap();
        assert_close(&name, &com.position.to_array(), &(h * (1.0 / mass)).to_array(), 1, TOLERANCE);
        assert_close(&name, &[model.mass()], &[mass], 1, TOLERANCE);
    }
}

#[test]
fn the_motion_of_the_centre_of_mass_is_the_complex_step_rate_of_its_position() {
    for Case { model, x, name, .. } in cases() {
        let com = centre_of_mass(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a).unwrap();
        let (q, v) = (along(&model, &x.q, &x.v), shifted(&x.v, &x.a));
        let moved = centre_of_mass(&model, &mut Workspace::new(&model), &q, &v, &lift(&x.a)).unwrap();
        assert_close(&name, &com.velocity.to_array(), &rates(&moved.position.to_array()), 1, TOLERANCE);
        assert_close(&name, &com.acceleration.to_array(), &rates(&moved.velocity.to_array()), 1, TOLERANCE);
    }
}

#[test]
fn the_jacobian_of_the_centre_of_mass_is_its_complex_step_derivative() {
    for Case { model, x, name, .. } in cases() {
        let nv = model.nv();
        let mut ws = Workspace::new(&model);
        let mut got = vec![f64::NAN; 3 * nv];
        com_jacobian(&model, &mut ws, &x.q, &mut got).unwrap();
        let want = by_columns(&model, &x.q, |ws, q| {
            let zero = vec![Complex::zero(); nv];
            centre_of_mass(&model, ws, q, &zero, &zero).unwrap().position.to_array().to_vec()
        });
        assert_close(&format!("{name}: J"), &got, &want, 3, TOLERANCE);
        let com = centre_of_mass(&model, &mut ws, &x.q, &x.v, &x.a).unwrap();
        assert_close(&name, &com.velocity.to_array(), &times(&got, 3, &x.v), 1, TOLERANCE);
    }
}

// Energy

#[test]
fn kinetic_energy_is_half_v_m_v_with_and_without_armature() {
    for Case { model, x, name, .. } in cases() {
        let mut ws = Workspace::new(&model);
        for armature in [true, false] {
            let scene = model.scene().armature(armature);
            let M = mass_matrix(&model, &mut ws, &x.q, armature);
            let got = energy(scene, &mut ws, &x.q, &x.v).unwrap().kinetic;
            let want = 0.5 * dot(&x.v, &times(&M, model.nv(), &x.v));
            assert_close(&name, &[got], &[want], 1, TOLERANCE);
        }
    }
}

#[test]
fn potential_energy_is_that_of_the_centre_of_mass_and_its_slope_is_the_gravity_torque() {
    let g = [1.0, -2.0, -9.81];
    for Case { model, x, name, .. } in cases() {
        let (nv, mut ws) = (model.nv(), Workspace::new(&model));
        let got = energy(model.scene().gravity(g), &mut ws, &x.q, &x.v).unwrap().potential;
        let com = centre_of_mass(&model, &mut ws, &x.q, &x.v, &x.a).unwrap().position;
        assert_close(&name, &[got], &[-model.mass() * dot(&g, &com.to_array())], 1, TOLERANCE);

        let mut torques = vec![0.0; nv];
        gravity_torques(model.scene().gravity(g), &mut ws, &x.q, &mut torques).unwrap();
        let slope = by_columns(&model, &x.q, |ws, q| {
            vec![energy(model.scene().gravity(g), ws, q, &vec![Complex::zero(); nv]).unwrap().potential]
        });
        assert_close(&format!("{name}: ∂V/∂q"), &slope, &torques, 1, TOLERANCE);
    }
}

/// d(T + V)/dt = vᵀ τ without dissipation.
#[test]
fn energy_grows_by_the_power_of_the_torques() {
    for Case { model, x, name, .. } in cases() {
        let mut tau = vec![0.0; model.nv()];
        let scene = model.scene().damping(false).friction(false);
        rnea(scene, &mut Workspace::new(&model), &x.q, &x.v, &x.a, &mut tau).unwrap();
        let (q, v) = (along(&model, &x.q, &x.v), shifted(&x.v, &x.a));
        let moved = energy(&model, &mut Workspace::new(&model), &q, &v).unwrap();
        let rate = rates(&[moved.kinetic + moved.potential]);
        // terms of vᵀτ may cancel
        let scale: f64 = x.v.iter().zip(&tau).map(|(v, t)| (v * t).abs()).sum();
        assert_close(&name, &[rate[0] / scale], &[dot(&x.v, &tau) / scale], 1, TOLERANCE);
    }
}

// Centroidal momentum

#[test]
fn centroidal_momentum_is_the_sum_over_the_links_that_move() {
    for Case { model, x, name, .. } in cases() {
        let mut ws = Workspace::new(&model);
        let kin = kinematics(&model, &mut ws, &x.q, &x.v, &x.a);
        let com = centre_of_mass(&model, &mut ws, &x.q, &x.v, &x.a).unwrap();
        let (mut linear, mut angular) = (Vec3::zero(), Vec3::zero());
        for (f, inertial) in moving_links(&model) {
            let (X, v) = (kin.placements().frame(f), kin.velocity(f, Reference::World));
            let c = X.act_point(inertial.com);
            let p = (v.lin + v.ang.cross(c)) * inertial.mass;
            linear += p;
            angular += (c - com.position).cross(p) + X.rot * (inertial.about_com * X.rot.tr_mul(v.ang));
        }
        let got = centroidal_momentum(&model, &mut ws, &x.q, &x.v).unwrap();
        assert_close(&name, &got.to_array(), &Force::new(linear, angular).to_array(), 1, TOLERANCE);
        assert_close(&name, &got.lin.to_array(), &(com.velocity * model.mass()).to_array(), 1, TOLERANCE);
    }
}

#[test]
fn centroidal_momentum_is_its_matrix_times_v() {
    for Case { model, x, name, .. } in cases() {
        let mut ws = Workspace::new(&model);
        let mut A = vec![f64::NAN; 6 * model.nv()];
        centroidal_matrix(&model, &mut ws, &x.q, &mut A).unwrap();
        let h = centroidal_momentum(&model, &mut ws, &x.q, &x.v).unwrap();
        assert_close(&name, &h.to_array(), &times(&A, 6, &x.v), 1, TOLERANCE);
        for k in 0..model.nv() {
            let column = centroidal_momentum(&model, &mut ws, &x.q, &unit(model.nv(), k)).unwrap();
            assert_close(&format!("{name}: A, column {k}"), &A[6 * k..][..6], &column.to_array(), 1, TOLERANCE);
        }
    }
}

#[test]
fn the_rate_of_centroidal_momentum_is_its_complex_step() {
    for Case { model, x, name, .. } in cases() {
        let got = centroidal_momentum_rate(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a).unwrap();
        let (q, v) = (along(&model, &x.q, &x.v), shifted(&x.v, &x.a));
        let moved = centroidal_momentum(&model, &mut Workspace::new(&model), &q, &v).unwrap();
        assert_close(&name, &got.to_array(), &rates(&moved.to_array()), 1, TOLERANCE);
    }
}

// Coriolis matrix

#[test]
fn the_coriolis_matrix_times_v_is_the_bias_without_gravity() {
    for Case { model, x, name, .. } in cases() {
        let (nv, mut ws) = (model.nv(), Workspace::new(&model));
        let (mut C, mut want) = (vec![f64::NAN; nv * nv], vec![f64::NAN; nv]);
        coriolis(&model, &mut ws, &x.q, &x.v, &mut C).unwrap();
        let scene = model.scene().gravity([0.0; 3]).damping(false).friction(false);
        bias(scene, &mut ws, &x.q, &x.v, &mut want).unwrap();
        assert_close(&name, &times(&C, nv, &x.v), &want, 1, TOLERANCE);
    }
}

#[test]
fn the_rate_of_the_mass_matrix_is_c_plus_its_transpose() {
    for Case { model, x, name, .. } in cases() {
        let nv = model.nv();
        let mut C = vec![f64::NAN; nv * nv];
        coriolis(&model, &mut Workspace::new(&model), &x.q, &x.v, &mut C).unwrap();
        let both: Vec<f64> = (0..nv * nv).map(|n| C[n] + C[n % nv * nv + n / nv]).collect();
        let M = mass_matrix(&model, &mut Workspace::new(&model), &along(&model, &x.q, &x.v), true);
        assert_close(&format!("{name}: Ṁ"), &both, &rates(&M), nv, TOLERANCE);
    }
}

/// If all joints have one degree of freedom, Cᵢⱼ = ½ Σₖ (∂Mᵢⱼ/∂qₖ + ∂Mᵢₖ/∂qⱼ − ∂Mⱼₖ/∂qᵢ) q̇ₖ.
#[test]
fn the_coriolis_matrix_of_simple_joints_is_made_of_christoffel_symbols() {
    let mut robot = zoo_model(6, Root::Fixed).description().clone();
    for (n, joint) in robot.joints.iter_mut().enumerate() {
        let axis = Vec3::new(0.4, n as f64 - 8.0, 1.0);
        joint.kind = match joint.kind {
            kind if kind.nv() <= 1 => kind,
            kind if kind.quaternion().is_some() => JointKind::Revolute { axis },
            _ => JointKind::Helical { axis, pitch: 0.2 },
        };
    }
    let model = Model::build(&robot, &Options::default()).unwrap();
    let (x, nv) = (State::turned(&model, 3), model.nv());
    let mut C = vec![f64::NAN; nv * nv];
    coriolis(&model, &mut Workspace::new(&model), &x.q, &x.v, &mut C).unwrap();
    let slopes = by_columns(&model, &x.q, |ws, q| mass_matrix(&model, ws, q, true));
    let dM = |i: usize, j: usize, k: usize| slopes[k * nv * nv + j * nv + i];
    let entry = |i, j| (0..nv).map(|k| 0.5 * (dM(i, j, k) + dM(i, k, j) - dM(j, k, i)) * x.v[k]).sum::<f64>();
    let want: Vec<f64> = (0..nv * nv).map(|n| entry(n % nv, n / nv)).collect();
    assert_close("C", &C, &want, nv, TOLERANCE);
}

// Results, errors

/// Dual numbers are a second reference for a rate.
#[test]
fn the_dual_of_a_frame_position_is_its_velocity() {
    for Case { model, x, name, .. } in cases() {
        let kin = kinematics(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a);
        let q: Vec<Dual<1>> = along(&model, &x.q, &x.v).iter().map(|q| Dual::new(q.re, [q.im / STEP])).collect();
        let mut moved = Placements::new(&model);
        moved.update(&model, &mut Workspace::new(&model), &q).unwrap();
        for f in model.frame_ids() {
            let got = kin.velocity(f, Reference::LocalWorldAligned).lin.to_array();
            let want = moved.frame(f).pos.to_array().map(|x| x.eps[0]);
            assert_close(&name, &got, &want, 1, TOLERANCE);
        }
    }
}

#[test]
fn results_are_nan_until_filled_and_outlive_the_workspace() {
    let model = zoo_model(1, Root::Floating);
    let mut kin = Kinematics::<f64>::new(&model);
    let f = frame(&model, "link_3");
    assert!(kin.velocity(f, Reference::Local).lin.x.is_nan());
    assert!(Placements::<f64>::new(&model).frame(f).pos.x.is_nan());
    let x = State::turned(&model, 1);
    kin.update(&model, &mut Workspace::new(&model), &x.q, &x.v, &x.a).unwrap();
    drop(model);
    assert!(kin.velocity(f, Reference::Local).lin.x.is_finite());
}

#[test]
fn what_does_not_fit_is_an_error_and_leaves_the_result_alone() {
    let (model, other) = (zoo_model(1, Root::Fixed), Model::build(&generate::chain(3), &Options::default()).unwrap());
    let (mut ws, x) = (Workspace::new(&model), State::turned(&model, 1));
    let mut kin = kinematics(&model, &mut ws, &x.q, &x.v, &x.a);
    let f = model.frame_ids().last().unwrap();
    let before = kin.velocity(f, Reference::World);

    let short = &x.q[1..];
    let error = kin.update(&model, &mut ws, short, &x.v, &x.a).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Length);
    assert!(error.message().starts_with("`q` has"), "{error}");
    let y = State::turned(&other, 1);
    let error = kin.update(&other, &mut Workspace::new(&other), &y.q, &y.v, &y.a).unwrap_err();
    assert!(error.message().contains("made for another model"), "{error}");
    assert_eq!(kin.velocity(f, Reference::World), before);

    let error = kin.placements().jacobian(f, Reference::Local, &mut [0.0; 6]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Length);
    assert!(error.message().contains("6 × nv"), "{error}");
    let kin = kinematics(&other, &mut Workspace::new(&other), &y.q, &y.v, &y.a);
    let error = kin.jacobian_rate(f, Reference::Local, &mut [0.0; 18]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnknownName);
}

/// A result belongs to the model it was last computed for, even if another model has the same shape.
#[test]
fn a_result_takes_on_a_model_of_the_same_shape() {
    let models = [Root::Fixed, Root::Joint(JointKind::Fixed)].map(|root| {
        let mut robot = generate::chain(2);
        if root != Root::Fixed {
            robot.joints[1].origin = Transform::translation(Vec3::new(5.0, 0.0, 0.0));
        }
        Model::build(&robot, &Options { root, ..Options::default() }).unwrap()
    });
    let mut out = Placements::new(&models[0]);
    let mut ws = Workspace::new(&models[0]);
    for (model, x) in models.iter().zip([1.0, 5.0]) {
        out.update(model, &mut ws, &[0.0, 0.0]).unwrap();
        assert_eq!(out.frame(frame(model, "link_2")).pos, Vec3::new(x, 0.0, 0.0));
    }
}

#[test]
fn a_robot_without_joints_gives_empty_answers() {
    let model = Model::build(&generate::chain(0), &Options::default()).unwrap();
    let mut ws = Workspace::<f64>::new(&model);
    let kin = kinematics(&model, &mut ws, &[], &[], &[]);
    let base = frame(&model, "base");
    assert_eq!(kin.placements().frame(base), Transform::identity());
    assert_eq!(kin.velocity(base, Reference::World), Motion::zero());
    kin.placements().jacobian(base, Reference::Local, &mut []).unwrap();
    kin.jacobian_rate(base, Reference::Local, &mut []).unwrap();
    coriolis(&model, &mut ws, &[], &[], &mut []).unwrap();
    centroidal_matrix(&model, &mut ws, &[], &mut []).unwrap();
    com_jacobian(&model, &mut ws, &[], &mut []).unwrap();
    assert_eq!(model.mass(), 0.0);
    assert_eq!(energy(&model, &mut ws, &[], &[]).unwrap().kinetic, 0.0);
}

/// Computes M by columns, from one unit acceleration at a time.
fn mass_matrix<T: Real>(model: &Model, ws: &mut Workspace<T>, q: &[T], armature: bool) -> Vec<T> {
    let nv = model.nv();
    let mut M = vec![T::zero(); nv * nv];
    for (k, column) in M.chunks_exact_mut(nv).enumerate() {
        let a: Vec<T> = unit(nv, k).into_iter().map(T::from_f64).collect();
        let scene = model.scene().gravity([0.0; 3]).armature(armature);
        rnea(scene, ws, q, &vec![T::zero(); nv], &a, column).unwrap();
    }
    M
}

// Complex steps

/// Returns `q ⊕ i h d`, exact to first order in the step, as a complex step requires.
fn along(model: &Model, q: &[f64], d: &[f64]) -> Vec<Complex> {
    let mut out = lift(q);
    for joint in model.joints().iter().filter(|j| j.mimic.is_none()) {
        let d: Vec<Complex> = d[joint.v.clone()].iter().map(|d| Complex::new(0.0, STEP * d)).collect();
        let q = &mut out[joint.q.clone()];
        match joint.kind {
            JointKind::Spherical => turn(q, &d),
            JointKind::FreeFlyer => {
                let R = Quaternion::from_slice(&q[3..]).to_matrix();
                let step = R * Vec3::new(d[0], d[1], d[2]);
                for (q, step) in q.iter_mut().zip(step.to_array()) {
                    *q += step;
                }
                turn(&mut q[3..], &d[3..]);
            }
            JointKind::Planar { .. } => {
                let (sin, cos) = q[2].sin_cos();
                let step = [cos * d[0] - sin * d[1], sin * d[0] + cos * d[1], d[2]];
                for (q, step) in q.iter_mut().zip(step) {
                    *q += step;
                }
            }
            _ => q.iter_mut().zip(d).for_each(|(q, d)| *q += d),
        }
    }
    out
}

fn turn(q: &mut [Complex], w: &[Complex]) {
    let turned = Quaternion::from_slice(q) * Quaternion::exp(Vec3::new(w[0], w[1], w[2]));
    q.copy_from_slice(&turned.to_array());
}

/// Returns the columns of Ẋ, in the order of [`Reference::ALL`], by independent formulas.
fn column_by_reference(X: &Transform<f64>, moved: &Transform<Complex>) -> [Motion<f64>; 3] {
    let imaginary = |v: Vec3<Complex>| Vec3::from(v.to_array().map(|x| x.im / STEP));
    let p_dot = imaginary(moved.pos);
    let W = Mat3 { cols: moved.rot.cols.map(imaginary) } * X.rot.transpose(); // ω× = Ṙ Rᵀ
    let w = Vec3::new(W.cols[1].z, W.cols[2].x, W.cols[0].y);
    let local = Motion::new(X.rot.tr_mul(p_dot), X.rot.tr_mul(w));
    [local, Motion::new(p_dot - w.cross(X.pos), w), Motion::new(p_dot, w)]
}

/// Returns derivatives along each tangent direction, by columns.
fn by_columns(
    model: &Model,
    q: &[f64],
    mut f: impl FnMut(&mut Workspace<Complex>, &[Complex]) -> Vec<Complex>,
) -> Vec<f64> {
    let mut ws = Workspace::new(model);
    (0..model.nv()).flat_map(|k| rates(&f(&mut ws, &along(model, q, &unit(model.nv(), k))))).collect()
}

fn moving_links(model: &Model) -> Vec<(FrameId, Inertial)> {
    let links = model.frame_ids().zip(model.frames()).zip(&model.description().links);
    links.filter(|((_, f), _)| f.body.is_some()).filter_map(|((id, _), link)| Some((id, link.inertial?))).collect()
}

fn frame(model: &Model, name: &str) -> FrameId {
    let (id, _) = model.frame_ids().zip(model.frames()).find(|(_, f)| f.name == name).expect(name);
    id
}

fn index(model: &Model, frame: FrameId) -> usize {
    model.frame_ids().position(|f| f == frame).unwrap()
}

/// Returns `m x` for a matrix by columns.
fn times(m: &[f64], rows: usize, x: &[f64]) -> Vec<f64> {
    product(rows, m, x)
}

fn assert_transforms_close(what: &str, got: Transform<f64>, want: Transform<f64>) {
    assert_close(what, &got.to_array(), &want.to_array(), 1, TOLERANCE);
}
