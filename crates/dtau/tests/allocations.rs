//! Hot functions do not allocate. A counting allocator checks it.

use dtau::model::{Root, generate};
use dtau::*;
use dtau_fixtures::State;
use dtau_fixtures::constraints::some;
use dtau_fixtures::coverage::tried;
use dtau_fixtures::every::{Setting, States, many, many_by};
use dtau_fixtures::robots::build;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

std::thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

#[allow(unsafe_code)] // an allocator needs `unsafe`; this one forwards every call
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

/// Checks models with and without mimicking joints (seed 1 has some, the chain none), with states and a wrench.
fn each_case(mut check: impl FnMut(&Setting<'_, f64>, &States<f64>)) {
    for description in [generate::random_tree(1, 9), generate::chain(5)] {
        let model = build(&description, Root::Floating);
        let x = States::random(&model, 9, 1, 1);
        let frame = model.frame("link_1").unwrap();
        let wrenches = [Wrench::world(frame, [0.0; 3], [0.0; 3])];
        check(&Setting { model: &model, wrenches: &wrenches, frame, reference: Reference::LocalWorldAligned }, &x);
    }
}

/// Calls every function of the list on an engine and checks that none allocates. Returns their names.
fn none_allocates(setting: &Setting<'_, f64>, engine: &mut impl Engine<f64>, x: &States<f64>) -> Vec<String> {
    let mut names = Vec::new();
    many_by(setting, engine, x, &mut |name, call| {
        let count = allocations(|| call().unwrap());
        assert!(count == 0, "{}: {count} allocations in {name}", setting.model.name());
        names.push(name.to_string());
    });
    names
}

/// Functions that need O(N) memory never allocate. Others allocate only in the first call, and not even then
/// if memory was reserved.
#[test]
fn no_function_of_one_state_allocates() {
    let mut names = Vec::new();
    each_case(|setting, x| {
        let (model, x) = (setting.model, &x.slice(0, 1));
        let (mut ws, held) = (Workspace::new(model), some(model));
        for (_, function, _) in setting.functions() {
            ws.reserve(model.scene().constraints(&held), function).unwrap();
        }
        names.extend(none_allocates(setting, &mut ws, x));
        let mut ws = Workspace::new(model);
        many(setting, &mut ws, x);
        none_allocates(setting, &mut ws, x);
    });
    tried("no allocation", names);
    let model = build(&generate::chain(5), Root::Floating);
    let State { q, v, .. } = State::random(&model, 1);
    let (mut ws, mut x) = (Workspace::new(&model), vec![0.0; model.nv()]);
    let first = allocations(|| {
        rnea(&model, &mut ws, &q, &v, &v, &mut x).unwrap();
        aba(&model, &mut ws, &q, &v, &v, &mut x).unwrap();
        fd_jvp(&model, &mut ws, &q, &v, &v, FdTangent { dq: &v, dv: &v, dtau: &v }, &mut x).unwrap();
    });
    assert_eq!(first, 0, "first calls of functions that need O(N)");
}

#[test]
fn what_is_kept_of_kinematics_and_factors_does_not_allocate() {
    each_case(|setting, x| {
        let (model, x) = (setting.model, x.slice(0, 1));
        let (nv, frame, ws) = (model.nv(), setting.frame, &mut Workspace::new(model));
        let (mut b, mut square, mut other) = (vec![1.0; nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        let (mut wide, mut wide2, mut wide3) = (vec![0.0; 6 * nv], vec![0.0; 6 * nv], vec![0.0; 6 * nv]);
        let (mut factor, mut kin) = (MassFactor::new(model), Kinematics::new(model));
        let (mut placed, mut q2) = (Placements::new(model), x.q.clone());
        crba_factor(model, ws, &x.q, &mut factor).unwrap(); // the first call allocates if joints mimic others
        let count = allocations(|| {
            crba_factor(model, ws, &x.q, &mut factor).unwrap();
            factor.solve(ws, &mut b).unwrap();
            factor.solve_columns(ws, &mut square).unwrap();
            factor.inverse(ws, &mut square).unwrap();
            placed.update(model, ws, &x.q).unwrap();
            kin.update(model, ws, &x.q, &x.v, &x.a).unwrap();
            for reference in Reference::ALL {
                kin.velocity(frame, reference);
                kin.acceleration(frame, reference);
                placed.jacobian(frame, reference, &mut wide).unwrap();
                kin.jacobian_rate(frame, reference, &mut wide).unwrap();
                kin.velocity_derivatives(frame, reference, &mut wide, &mut wide2).unwrap();
                kin.acceleration_derivatives(frame, reference, &mut wide, &mut wide2, &mut wide3).unwrap();
                kin.classical_acceleration_derivatives(frame, reference, &mut wide, &mut wide2, &mut wide3).unwrap();
            }
            model.integrate(&x.q, &x.v, &mut q2).unwrap();
            model.difference(&x.q, &q2, &mut b).unwrap();
            model.integrate_derivatives(&x.q, &x.v, &mut square, &mut other).unwrap();
            model.difference_derivatives(&x.q, &q2, &mut square, &mut other).unwrap();
            model.normalise(&mut q2).unwrap();
        });
        assert_eq!(count, 0, "{}: {count} allocations", model.name());
    });
}

/// Only the first call of a function allocates.
#[cfg(feature = "batch")]
#[test]
fn no_batch_on_one_thread_allocates() {
    let mut names = Vec::new();
    each_case(|setting, x| {
        for mut batch in [Batch::new(setting.model), Batch::plain(setting.model)] {
            many(setting, &mut batch, x);
            names.extend(none_allocates(setting, &mut batch, x));
        }
    });
    tried("no allocation, many", names);
}

/// Compiled code does not allocate, nor does the library when it replaces the code.
#[cfg(feature = "batch")]
#[test]
fn no_compiled_function_allocates() {
    let mut names = Vec::new();
    each_case(|setting, x| {
        let model = setting.model;
        let mut code = Code::new(model);
        for (_, function, _) in setting.functions() {
            let ones = |_: &[f64], _: usize, _: &[&[f64]], y: &mut [&mut [f64]]| {
                y.iter_mut().for_each(|y| y.fill(1.0));
                0
            };
            code = code.with(function, &[], std::sync::Arc::new(ones));
        }
        for code in [code, Code::new(model)] {
            for count in [1, x.count] {
                let (x, mut fast) = (&x.slice(0, count), Compiled::new(model, &code).unwrap());
                // Compiled code supports only calls without wrenches.
                for setting in [setting, &Setting { wrenches: &[], ..*setting }] {
                    let x = &States { forces: x.forces[..6 * count * setting.wrenches.len()].to_vec(), ..x.clone() };
                    many(setting, &mut fast, x);
                    names.extend(none_allocates(setting, &mut fast, x));
                }
            }
        }
    });
    tried("no allocation, compiled", names);
}
