//! No hot function allocates, counted by an allocator that counts.

use dtau::model::{Root, generate};
use dtau::*;
use dtau_fixtures::State;
#[cfg(feature = "batch")]
use dtau_fixtures::every::{Setting, States, many_by};
use dtau_fixtures::robots::{build, ways};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

std::thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

#[allow(unsafe_code)] // an allocator cannot be written otherwise; this one passes everything on
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.get();
    work();
    COUNT.get() - before
}

#[test]
fn the_counter_sees_a_planted_allocation() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0, 2.0]))), 1);
}

#[test]
fn no_hot_function_allocates() {
    // With and without mimicking joints: seed 1 has some, the chain has none.
    for description in [generate::random_tree(1, 9), generate::chain(5)] {
        let model = build(&description, Root::Floating);
        let nv = model.nv();
        let State { q, v, .. } = State::random(&model, 1);
        let (frame, last) = (model.frame("link_1").unwrap(), model.frames().len());
        assert!(last > 0);
        let wrenches = [
            Wrench::local(frame, [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]),
            Wrench::world(frame, [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]),
        ];
        let mut ws = Workspace::new(&model);
        let ws = &mut ws;
        let (mut x, mut square, mut wide) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; 6 * nv]);
        let (mut other, mut wide2, mut wide3) = (square.clone(), wide.clone(), wide.clone());
        let (mut x2, mut x3) = (x.clone(), x.clone());
        let mut q2 = q.clone();
        let mut factor = MassFactor::new(&model);
        let mut kin = Kinematics::new(&model);
        let mut placed = Placements::new(&model);
        let mut id = IdDerivatives::new(&model);
        let mut centroidal = CentroidalDerivatives::new(&model);
        let mut fd = FdDerivatives::new(&model);
        let ways = ways(&model);
        let scene = || model.scene().wrenches(&wrenches);
        let count = allocations(|| {
            rnea(scene(), ws, &q, &v, &v, &mut x).unwrap();
            bias(scene(), ws, &q, &v, &mut x).unwrap();
            gravity_torques(&model, ws, &q, &mut x).unwrap();
            aba(scene(), ws, &q, &v, &v, &mut x).unwrap();
            crba(&model, ws, &q, &mut square).unwrap();
            minverse(&model, ws, &q, &mut square).unwrap();
            crba_factor(&model, ws, &q, &mut factor).unwrap();
            factor.solve(ws, &mut x).unwrap();
            factor.solve_columns(ws, &mut square).unwrap();
            factor.inverse(ws, &mut square).unwrap();
            coriolis(&model, ws, &q, &v, &mut square).unwrap();
            placements(&model, ws, &q, &mut placed).unwrap();
            forward_kinematics(&model, ws, &q, &v, &v, &mut kin).unwrap();
            for reference in [Reference::Local, Reference::World, Reference::LocalWorldAligned] {
                kin.velocity(frame, reference);
                kin.acceleration(frame, reference);
                placed.jacobian(frame, reference, &mut wide).unwrap();
                kin.jacobian_rate(frame, reference, &mut wide).unwrap();
                kin.velocity_derivatives(frame, reference, &mut wide, &mut wide2).unwrap();
                kin.acceleration_derivatives(frame, reference, &mut wide, &mut wide2, &mut wide3).unwrap();
                kin.classical_acceleration_derivatives(frame, reference, &mut wide, &mut wide2, &mut wide3).unwrap();
            }
            centre_of_mass(&model, ws, &q, &v, &v).unwrap();
            com_jacobian(&model, ws, &q, &mut wide[..3 * nv]).unwrap();
            energy(&model, ws, &q, &v).unwrap();
            centroidal_momentum(&model, ws, &q, &v).unwrap();
            centroidal_momentum_rate(&model, ws, &q, &v, &v).unwrap();
            centroidal_matrix(&model, ws, &q, &mut wide).unwrap();
            com_velocity_derivatives(&model, ws, &q, &v, &mut wide[..3 * nv], &mut wide2[..3 * nv]).unwrap();
            centroidal_derivatives(&model, ws, &q, &v, &v, &mut centroidal).unwrap();
            id_derivatives(scene(), ws, &q, &v, &v, &mut id).unwrap();
            inertial_derivatives(scene(), ws, &q, &v, &mut id).unwrap();
            bias_derivatives(scene(), ws, &q, &v, &mut id).unwrap();
            gravity_derivatives(scene(), ws, &q, &mut id).unwrap();
            mass_times(scene(), ws, &q, &square, &mut other).unwrap();
            mass_solve(scene(), ws, &q, &square, &mut other).unwrap();
            let tangent = IdTangent { q: &v, v: &v, a: &v };
            id_jvp(scene(), ws, &q, &v, &v, tangent, &mut x).unwrap();
            id_vjp(scene(), ws, &q, &v, &v, &v, IdCotangent { q: &mut x, v: &mut x2, a: &mut x3 }).unwrap();
            let tangent = FdTangent { q: &v, v: &v, tau: &v };
            fd_jvp(scene(), ws, &q, &v, &v, tangent, &mut x).unwrap();
            fd_vjp(scene(), ws, &q, &v, &v, &v, FdCotangent { q: &mut x, v: &mut x2, tau: &mut x3 }).unwrap();
            fd_derivatives(scene(), ws, &q, &v, &v, &mut fd).unwrap();
            for &way in ways {
                fd_derivatives_by(way, scene(), ws, &q, &v, &v, &mut fd).unwrap();
                fd_derivatives_by(way, &model, ws, &q, &v, &v, &mut fd).unwrap();
            }
            model.integrate(&q, &v, &mut q2).unwrap();
            model.difference(&q, &q2, &mut x).unwrap();
            model.integrate_derivatives(&q, &v, &mut square, &mut other).unwrap();
            model.difference_derivatives(&q, &q2, &mut square, &mut other).unwrap();
            model.normalise(&mut q2).unwrap();
        });
        assert_eq!(count, 0, "{}: {count} allocations", model.name());
    }
}

/// The first call with wrenches makes room for them; after that, nothing.
#[cfg(feature = "batch")]
#[test]
fn no_batch_on_one_thread_allocates() {
    for description in [generate::random_tree(1, 9), generate::chain(5)] {
        let model = build(&description, Root::Floating);
        let (count, random) = (9, &mut Random::seeded(1));
        let mut configurations = || (0..count).flat_map(|_| model.random_configuration(random)).collect::<Vec<f64>>();
        let (q, q1) = (configurations(), configurations());
        let mut numbers = |n: usize| dtau_fixtures::states::numbers(random, count * n);
        let nv = model.nv();
        let (v, a, w, columns, forces) = (numbers(nv), numbers(nv), numbers(nv), numbers(3 * nv), numbers(6));
        let x = States { count, q, q1, v, a, w, columns, forces };
        let frame = model.frame("link_1").unwrap();
        let wrenches = [Wrench::world(frame, [0.0; 3], [0.0; 3])];
        let setting = Setting { model: &model, wrenches: &wrenches, frame, reference: Reference::LocalWorldAligned };
        for mut batch in [batch::Batch::new(&model), batch::Batch::plain(&model)] {
            let scene = model.scene().wrenches(&wrenches).forces(&x.forces);
            batch::rnea(scene, &mut batch, &x.q, &x.v, &x.a, &mut x.v.clone()).unwrap();
            let mut calls = 0;
            many_by(&setting, &mut batch, &x, &mut |call| {
                let count = allocations(|| call().unwrap());
                assert_eq!(count, 0, "{}: {count} allocations in call {calls}", model.name());
                calls += 1;
            });
            assert!(calls > 40, "{calls}");
        }
    }
}
