//! Results are finite and quaternions have unit length, or the call is an error.
//!
//! ```text
//! results of O(N) numbers        always checked
//! matrices, arrays of frames     checked if a number of the call or of the model is not modest
//! ```
//!
//! An entry of a matrix is a sum of products of fewer than ten input numbers. Inputs are modest below the
//! tenth root of the largest number; then no product overflows. So matrices are usually not read again.
//! Second derivatives are products of fewer than twenty numbers.

use super::{Arg, Declaration, Size};
use crate::dispatch::{Hardware, Register, Step};
use crate::error::{Error, ErrorKind};
use crate::matrix::MatrixMut;
use crate::model::Model;
use crate::model::configuration::ROUNDED_QUATERNION;
use crate::scalar::{Real, Wide};
use crate::scene::{Point, Scene};
use crate::sweeps::side_by_side::width;
use crate::sweeps::singular::Singular;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The reason why a call failed.
#[derive(Clone, Copy, Debug)]
pub enum Failed {
    /// Nothing resists a joint.
    Singular(Singular),
    /// A number of the result is not finite, or a quaternion is far from unit length.
    NotFinite,
}

/// Outcome of a call.
pub type Outcome = Result<(), Failed>;

/// Largest modest number, and smallest modest nonzero inertia, for results of this order of derivatives.
const fn modest<T: Real>(second: bool) -> (f64, f64) {
    match (T::EPSILON < 1e-10, second) {
        (true, false) => (1e30, 1e-60),
        (true, true) => (1e15, 1e-30),
        (false, false) => (5e3, 1e-12),
        (false, true) => (70.0, 1e-6),
    }
}

/// Checks a call. True if its quaternions have unit length and all outputs are finite.
pub(super) struct Finite<'a, 'y, T> {
    pub(super) declaration: &'static Declaration,
    pub(super) scene: &'a Scene<'a, T>,
    pub(super) x: &'a [&'a [T]],
    pub(super) y: &'a [MatrixMut<'y, T>],
}

impl<T: Real> Step for Finite<'_, '_, T> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.has_unit_quaternions() && (self.is_modest() || self.is_finite())
    }
}

impl<T: Real> Finite<'_, '_, T> {
    #[inline(always)]
    fn has_unit_quaternions(&self) -> bool {
        let (starts, inputs) = (self.scene.model.quaternions(), self.declaration.inputs);
        starts.is_empty()
            || !<T::Hardware as Hardware<T>>::PLAIN
            || inputs.iter().zip(self.x).all(|(arg, q)| arg.size != Size::Nq || are_unit(starts, q))
    }

    /// True if the magnitudes of the inputs, and of small outputs, rule out overflow. False is inconclusive.
    #[inline(always)]
    fn is_modest(&self) -> bool {
        let &Self { declaration, scene, x, y } = self;
        if !<T::Hardware as Hardware<T>>::PLAIN {
            return false;
        }
        let mut sums = [Register::<T>::zero(); 2];
        for (k, arg) in declaration.outputs.iter().enumerate() {
            if !arg.is_large {
                add_squares(&mut sums, y[k].entries);
            }
        }
        let (second, has_large) = (declaration.is_second, declaration.has_large);
        if has_large {
            for x in x {
                add_squares(&mut sums, x);
            }
            add_surroundings(scene, &mut sums);
        }
        (!has_large || is_modest_model::<T>(scene.model, second, declaration.divides)) && are_modest::<T>(sums, second)
    }

    /// True if every number is finite. In single precision, large robots often need this check.
    #[inline(always)]
    fn is_finite(&self) -> bool {
        if !<T::Hardware as Hardware<T>>::PLAIN {
            return self.y.iter().all(|y| all_finite(y.entries));
        }
        let mut sums = [Register::<T>::zero(); 2];
        for y in self.y {
            add_nothing(&mut sums, y.entries);
        }
        (sums[0] + sums[1]).is_finite()
    }
}

/// True if the quaternions that start there have unit length, up to what rounding to few digits takes away.
#[inline(always)]
fn are_unit<T: Real>(starts: &[usize], q: &[T]) -> bool {
    const MOST: f64 = 2.0 * ROUNDED_QUATERNION; // of the squared length
    starts.iter().all(|&start| {
        let excess = q[start..start + 4].iter().fold(-T::one(), |sum, &x| x.mul_add(x, sum));
        !(T::from_f64(MOST * MOST) - excess * excess).any_below(0.0)
    })
}

/// Adds x − x: zero, or NaN if x is not finite.
#[allow(clippy::eq_op)]
#[inline(always)]
fn add_nothing<T: Real>(sums: &mut [Register<T>; 2], x: &[T]) {
    let chunks = x.chunks_exact(width::<T>());
    for &x in chunks.remainder() {
        sums[0] += Register::<T>::splat(x - x);
    }
    for (k, x) in chunks.enumerate() {
        let x = Register::<T>::load(x);
        sums[k % 2] += x - x;
    }
}

/// Checks stored results `y`, computed from `x`, by the same rule. The first of `x` is the configuration.
pub(crate) fn kept<T: Real>(model: &Model, x: &[&[T]], y: &[&[T]]) -> Result<(), Error> {
    if <T::Hardware as Hardware<T>>::PLAIN {
        if !are_unit(model.quaternions(), x[0]) {
            let why = odd_quaternion(model, x[0]).unwrap_or_default();
            return Err(Error::new(ErrorKind::Value, format!("update: {why}")));
        }
        let sum = x.iter().fold(T::zero(), |sum, x| sum + squares(x));
        if is_modest_model::<T>(model, false, true) && is_modest_sum::<T, T>(sum, false) {
            return Ok(());
        }
    }
    if y.iter().all(|y| all_finite(y)) {
        return Ok(());
    }
    let message = "update: the result is not finite; a number of `q`, `v` or `a` is too large, or not finite";
    Err(Error::new(ErrorKind::Value, message))
}

/// Applies the same rule to the outputs of generated code, for any number of states without wrenches. True if
/// they are finite.
#[cfg(feature = "batch")]
pub(crate) fn written<T: Real>(declaration: &Declaration, scene: &Scene<'_, T>, x: &[&[T]], y: &[&mut [T]]) -> bool {
    let starts = scene.model.quaternions();
    for (_, x) in declaration.inputs.iter().zip(x).filter(|(arg, _)| !starts.is_empty() && arg.size == Size::Nq) {
        if !x.chunks_exact(scene.model.nq()).all(|q| are_unit(starts, q)) {
            return false;
        }
    }
    let (mut sum, has_large, second) = (T::zero(), declaration.has_large, declaration.is_second);
    for (arg, y) in declaration.outputs.iter().zip(y) {
        if !arg.is_large {
            sum += squares(y);
        }
    }
    if has_large {
        sum = x.iter().fold(sum + T::from_f64(scene.gravity.norm_squared()), |sum, x| sum + squares(x));
    }
    let modest = (!has_large || is_modest_model::<T>(scene.model, second, true)) && is_modest_sum::<T, T>(sum, second);
    modest || y.iter().all(|y| all_finite(y))
}

/// The sum of squares of plain numbers.
#[inline]
fn squares<T: Real>(x: &[T]) -> T {
    // Four sums, so that no addition waits for the previous one.
    let mut sums = [T::zero(); 4];
    let (fours, rest) = x.as_chunks::<4>();
    for x in fours {
        for k in 0..4 {
            sums[k] = x[k].mul_add(x[k], sums[k]);
        }
    }
    for (sum, &x) in sums.iter_mut().zip(rest) {
        *sum = x.mul_add(x, *sum);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// True if all numbers are finite, for functions that are not in the list.
pub(crate) fn all_finite<T: Real>(x: &[T]) -> bool {
    x.iter().all(|x| x.is_finite())
}

/// Adds squares, several side by side. Some are added twice, which a bound tolerates.
#[inline(always)]
fn add_squares<T: Real>(sums: &mut [Register<T>; 2], x: &[T]) {
    let width = width::<T>();
    if x.len() < width {
        for &x in x {
            let x = Register::<T>::splat(x);
            sums[0] = x.mul_add(x, sums[0]);
        }
        return;
    }
    // The last ones, then the others from the front: two sums, so that no addition waits for the previous one.
    let last = Register::<T>::load(&x[x.len() - width..]);
    sums[1] = last.mul_add(last, sums[1]);
    for (k, x) in x.chunks_exact(width).enumerate() {
        let x = Register::<T>::load(x);
        sums[k % 2] = x.mul_add(x, sums[k % 2]);
    }
}

#[inline(always)]
fn add_surroundings<T: Real>(scene: &Scene<'_, T>, sums: &mut [Register<T>; 2]) {
    sums[0] += Register::<T>::from_f64(scene.gravity.norm_squared());
    if let Some(constraints) = scene.constraints {
        sums[0] += Register::<T>::from_f64(constraints.largest() * constraints.largest());
    }
    if let Some(desired) = scene.desired {
        add_squares(sums, desired);
    }
    for wrench in scene.each_wrench() {
        add_squares(sums, &wrench.force);
        add_squares(sums, &wrench.torque);
        match wrench.at {
            Point::Origin => {}
            Point::InFrame(point) | Point::InWorld(point) => add_squares(sums, &point),
        }
    }
}

#[inline(always)]
fn are_modest<T: Real>([a, b]: [Register<T>; 2], second: bool) -> bool {
    is_modest_sum::<T, _>(a + b, second)
}

/// True if a sum of squares is modest. NaN counts as too large.
#[inline(always)]
fn is_modest_sum<T: Real, W: Real>(sum: W, second: bool) -> bool {
    let most = modest::<T>(second).0;
    sum.is_finite() && !(W::from_f64(most * most) - sum).any_below(0.0)
}

#[inline(always)]
fn is_modest_model<T: Real>(model: &Model, second: bool, divides: bool) -> bool {
    let ((most, least), numbers) = (modest::<T>(second), model.numbers());
    numbers.largest <= most && (!divides || numbers.least_inertia >= least)
}

impl Failed {
    /// The error message, with the cause.
    #[cold]
    pub(crate) fn error<T: Real>(self, declaration: &Declaration, scene: &Scene<'_, T>, x: &[&[T]]) -> Error {
        match self {
            Failed::Singular(singular) => singular.error(scene.model, scene.constraints),
            Failed::NotFinite => {
                let name = declaration.name;
                let configurations = declaration.inputs.iter().zip(x).filter(|(arg, _)| arg.size == Size::Nq);
                if let Some(why) = configurations.filter_map(|(_, q)| odd_quaternion(scene.model, q)).next() {
                    return Error::new(ErrorKind::Value, format!("{name}: {why}"));
                }
                let why = reason(declaration.inputs, scene, x);
                Error::new(ErrorKind::Value, format!("{name}: the result is not finite; {why}"))
            }
        }
    }
}

/// Finds the cause of an overflow.
#[cold]
fn reason<T: Real>(inputs: &[Arg], scene: &Scene<'_, T>, x: &[&[T]]) -> String {
    for (arg, x) in inputs.iter().zip(x) {
        if let Some(why) = (arg.size == Size::Coordinates).then(|| no_direction(scene.model, x)).flatten() {
            return why;
        }
    }
    for (arg, x) in inputs.iter().zip(x).filter(|(arg, _)| arg.name == "target") {
        if x[3..].iter().all(|&x| x == T::zero()) {
            return format!("the quaternion of `{}` is zero, which has no direction", arg.name);
        }
    }
    let mut arrays: Vec<(String, Vec<T>)> =
        inputs.iter().zip(x).map(|(arg, x)| (format!("`{}`", arg.name), x.to_vec())).collect();
    arrays.push(("gravity".into(), scene.gravity.to_array().map(T::from_f64).to_vec()));
    let mut of_wrenches = Vec::new();
    for wrench in scene.each_wrench() {
        of_wrenches.extend(wrench.force.into_iter().chain(wrench.torque));
        if let Point::InFrame(point) | Point::InWorld(point) = wrench.at {
            of_wrenches.extend(point);
        }
    }
    arrays.push(("the wrenches".into(), of_wrenches));
    arrays.push(("`desired`".into(), scene.desired.map_or(Vec::new(), <[T]>::to_vec)));
    let named = |is: &dyn Fn(T) -> bool| {
        let names: Vec<&str> =
            arrays.iter().filter(|(_, x)| x.iter().any(|&x| is(x))).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    };
    if let Some(names) = named(&|x| !x.is_finite()) {
        return format!("a number of {names} is not");
    }
    if scene.model.mass() == 0.0 {
        return "nothing that moves has mass".into();
    }
    // Name the arrays with the largest numbers.
    for power in (3..300).rev() {
        let bound = libm::pow(10.0, power.into());
        if let Some(names) = named(&|x| x.any_below(-bound) || (-x).any_below(-bound)) {
            return format!("numbers of {names} are too large: above 1e{power}");
        }
    }
    "the numbers of the state or of the model are too large".into()
}

/// Finds a joint whose quaternion is zero.
pub(crate) fn no_direction<T: Real>(model: &Model, q: &[T]) -> Option<String> {
    let least = if T::EPSILON < 1e-10 { 1e-290 } else { 1e-34 };
    let zero = quaternions(model, q).find(|(_, quaternion)| squares(quaternion).any_below(least));
    zero.map(|(joint, _)| format!("the quaternion of joint \"{joint}\" is zero, which has no direction"))
}

/// Message for a quaternion that is far from unit length.
#[cold]
fn odd_quaternion<T: Real>(model: &Model, q: &[T]) -> Option<String> {
    if let Some(why) = no_direction(model, q) {
        return Some(format!("{why}; start from Model::neutral"));
    }
    let (joint, quaternion) = quaternions(model, q).find(|(_, quaternion)| !are_unit(&[0], quaternion))?;
    Some(format!(
        "the quaternion [x, y, z, w] of joint \"{joint}\" is {quaternion:?}, which is not of unit length; start from \
         Model::neutral, or normalise it with Model::normalise"
    ))
}

/// The quaternions of a configuration, with the names of their joints.
fn quaternions<'a, T>(model: &'a Model, q: &'a [T]) -> impl Iterator<Item = (&'a str, &'a [T])> {
    model.named_spaces().filter_map(|(joint, group, coordinates)| {
        let at = coordinates.start + group.quaternion()?;
        Some((joint, &q[at..at + 4]))
    })
}
