//! The functions for one state of plain numbers, compiled here, once, and not again in every program that calls them.

use super::Instructions;
use crate::door::{Function, Out, Outcome};
use crate::scene::Scene;

macro_rules! compiled {
    ($($name:ident: $float:ty $(, of $feature:literal)?;)*) => {$(
        /// Runs a function on one state.
        $(#[cfg(feature = $feature)])?
        pub fn $name(
            function: Function,
            scene: &Scene<'_, $float>,
            on: &mut Instructions<$float>,
            x: &[&[$float]],
            y: &mut [Out<'_, $float>],
        ) -> Outcome {
            match on {
                Instructions::Plain(memory) => function.run::<$float, _>(scene, memory, x, y),
                Instructions::Native(memory) => function.run::<$float, _>(&scene.recast(), memory, x, y),
            }
        }
    )*};
}

compiled! {
    run_f64: f64;
    run_f32: f32, of "f32";
}
