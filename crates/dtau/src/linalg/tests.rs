//! Results do not depend on the width of registers: registers of two give the same bits as single numbers.
//!
//! ARM registers hold two numbers. The other widths are those of `f64` (four), `f32` (eight) and other scalars
//! (one).

use crate::dispatch::Hardware;
use crate::model::{MimicMode, Model, Options, Root, generate};
use crate::scalar::{Fused, Lanes, Real, Wide};
use crate::{
    Constraints, Counts, FdWay, Function, Gains, Parameter, Parameters, Random, Reference, Size, Workspace, Wrench,
    functions,
};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number of a CPU with registers of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct One(Fused<f64>);

/// A register of two.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Two(Lanes<2, Fused<f64>>);

#[derive(Clone, Copy, Debug)]
struct TwoByTwo;

impl Hardware<One> for TwoByTwo {
    type Native = One;
    type Wide = Two;
    type Widest = Two;
}

impl Hardware<Two> for TwoByTwo {
    type Native = Two;
    type Wide = Two;
    type Widest = Two;
}

macro_rules! as_what_they_hold {
    ($($name:ident holds $inner:ty, packed: $packed:literal;)*) => {$(
        as_what_they_hold!(@operator $name: Add add +);
        as_what_they_hold!(@operator $name: Sub sub -);
        as_what_they_hold!(@operator $name: Mul mul *);
        as_what_they_hold!(@operator $name: Div div /);
        crate::scalar::assign_operators!($name);

        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }

        impl Real for $name {
            type Mask = <$inner as Real>::Mask;
            type Hardware = TwoByTwo;
            const IS_PACKED: bool = $packed;

            fn from_f64(x: f64) -> Self {
                Self(Real::from_f64(x))
            }
            fn mul_add(self, b: Self, c: Self) -> Self {
                Self(self.0.mul_add(b.0, c.0))
            }
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = self.0.sin_cos();
                (Self(sin), Self(cos))
            }
            fn atan2(self, x: Self) -> Self {
                Self(self.0.atan2(x.0))
            }
            fn lt(self, other: Self) -> Self::Mask {
                self.0.lt(other.0)
            }
            fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
                Self(Real::select(mask, a.0, b.0))
            }
            fn is_finite(self) -> bool {
                self.0.is_finite()
            }
            fn any_below(self, bound: f64) -> bool {
                self.0.any_below(bound)
            }
        }
    )*};
    (@operator $name:ident: $trait:ident $method:ident $op:tt) => {
        impl $trait for $name {
            type Output = Self;
            fn $method(self, b: Self) -> Self {
                Self(self.0 $op b.0)
            }
        }
    };
}

as_what_they_hold! {
    One holds Fused<f64>, packed: false;
    Two holds Lanes<2, Fused<f64>>, packed: true;
}

impl Wide<One> for Two {
    const WIDTH: usize = 2;
    type Short = Self;

    fn lane(&self, k: usize) -> One {
        One(self.0.0[k])
    }
    fn set_lane(&mut self, k: usize, x: One) {
        self.0.0[k] = x.0;
    }
    fn lift(x: &[f64]) -> Self {
        Self(Lanes([Fused(x[0]), Fused(x[1])]))
    }
    fn pick(bits: u8, a: Self, b: Self) -> Self {
        Self(Lanes(core::array::from_fn(|k| if bits >> k & 1 != 0 { a.0.0[k] } else { b.0.0[k] })))
    }
    fn splat(x: One) -> Self {
        Self(Lanes([x.0; 2]))
    }
    fn load(x: &[One]) -> Self {
        Self(Lanes([x[0].0, x[1].0]))
    }
    fn transpose(rows: &mut [Self]) {
        let [a, b] = rows else { panic!("as many registers as they have lanes") };
        (a.0.0[1], b.0.0[0]) = (b.0.0[0], a.0.0[1]);
    }
}

/// Names and results of every function of the list, in every mode, at one state with constraints and
/// wrenches.
fn results<T: Real>(model: &Model) -> Vec<(String, Vec<T>)> {
    let frames: Vec<_> = model.frame_ids().collect();
    let name = |k: usize| model.frames()[k].name.clone();
    let (middle, last) = (name(frames.len() / 2), name(frames.len() - 1));
    let held = Constraints::new(model);
    let held =
        held.point(&last).in_world_plane([0.1; 3], [0.0, 0.6, 0.8]).point(&last).at_distance_of_world([3.0; 3], 2.0);
    let held = held.point(&middle).in_world_plane([0.1; 3], [1.0, 0.0, 0.0]);
    let held = held.stabilise(Gains { kp: 10.0, kd: 3.0 }).build().unwrap();
    let three = |x: f64| [T::from_f64(x), T::from_f64(0.3), T::from_f64(-0.7)];
    let wrenches = [
        Wrench::local(frames[frames.len() / 2], three(1.0), three(0.5)),
        Wrench::world(frames[0], three(2.0), three(0.1)),
    ];
    let (ws, counts) = (&mut Workspace::<T>::new(model), Counts { columns: 3, rows: held.rows() });
    let mut all = Vec::new();
    let mut run = |name: String, function: Function, inputs: &[Size], outputs: &[Size]| {
        let random = &mut Random::seeded(3);
        let mut numbers = |size: &Size| -> Vec<T> {
            let x = match size {
                Size::Nq => model.random_configuration(random),
                size => (0..size.of(model, counts)).map(|_| random.within(0.5, 1.0)).collect(),
            };
            x.into_iter().map(T::from_f64).collect()
        };
        let inputs: Vec<Vec<T>> = inputs.iter().map(&mut numbers).collect();
        let mut outputs: Vec<Vec<T>> =
            outputs.iter().map(|size| vec![T::from_f64(7.0); size.of(model, counts)]).collect();
        let x: Vec<&[T]> = inputs.iter().map(|x| &x[..]).collect();
        let mut y: Vec<&mut [T]> = outputs.iter_mut().map(|y| &mut y[..]).collect();
        let done = function.call(model.scene().wrenches(&wrenches).constraints(&held), ws, &x, &mut y);
        all.push((name, if done.is_ok() { outputs.concat() } else { Vec::new() }));
    };
    for declaration in functions() {
        let sizes = |args: &[crate::Arg]| args.iter().map(|arg| arg.size).collect::<Vec<_>>();
        let (inputs, outputs) = (sizes(declaration.inputs), sizes(declaration.outputs));
        let ways = if declaration.parameters.contains(&Parameter::Way) { &FdWay::ALL[..] } else { &[FdWay::Dense] };
        for &way in ways {
            let given = Parameters { frame: frames.last().copied(), reference: Some(Reference::World), way: Some(way) };
            run(format!("{} {way:?}", declaration.name), declaration.with(&given).unwrap(), &inputs, &outputs);
        }
    }
    all
}

#[test]
fn registers_of_two_give_the_bits_of_single_numbers() {
    let models = [
        (generate::random_tree(3, 11), Root::Floating, true),
        (generate::random_tree(4, 8), Root::Fixed, true),
        (generate::tree(15, 2), Root::Fixed, false), // planar, so constraints contradict each other
        (generate::chain(1), Root::Fixed, false),
    ];
    for (robot, root, all_succeed) in models {
        let options = Options { root, mimic: MimicMode::Free, ..Options::default() };
        let model = Model::build(&robot, &options).unwrap();
        let (got, want) = (results::<One>(&model), results::<Fused<f64>>(&model));
        assert_eq!(got.len(), want.len());
        let failed: Vec<_> = want.iter().filter(|(_, x)| x.is_empty()).map(|(name, _)| name).collect();
        assert!(!all_succeed || failed.is_empty(), "{failed:?} failed on {}", model.name());
        for ((name, got), (_, want)) in got.iter().zip(&want) {
            assert_eq!(got.len(), want.len());
            let bits = got.iter().map(|x| x.0.0.to_bits()).zip(want.iter().map(|x| x.0.to_bits()));
            let differ: Vec<usize> = bits.enumerate().filter(|(_, (got, want))| got != want).map(|(k, _)| k).collect();
            assert!(differ.is_empty(), "{name} of {} dof differs at {differ:?}: {got:?} {want:?}", model.nv());
        }
    }
}
