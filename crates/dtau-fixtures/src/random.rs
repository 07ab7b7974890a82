//! Seeded random numbers and spatial quantities, and the seed for failure messages.

use dtau::Random;
use dtau::spatial::{Force, Inertia, Mat3, Motion, Quaternion, Sym3, Transform, Vec3};
use std::cell::Cell;
use std::ops::{Deref, DerefMut};

std::thread_local! {
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Stores the seed of the current test of this thread.
pub fn note_seed(seed: u64) {
    SEED.set(Some(seed));
}

/// Clears the seed. For cases that are built in advance, and have their seeds in their names.
pub fn forget_seed() {
    SEED.set(None);
}

/// ", seed …" for the end of a message, if the seed is known.
pub fn seed_note() -> String {
    SEED.get().map_or(String::new(), |seed| format!(", seed {seed}"))
}

/// [`Random`] that notes its seed, and draws spatial quantities.
pub struct Rng(Random);

impl Rng {
    pub fn new(seed: u64) -> Self {
        note_seed(seed);
        Self(Random::seeded(seed))
    }

    /// Approximately normal: mean 0, variance 1, never beyond ±6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// An integer in [−9, 9]: sums of products of a few of them are exact.
    pub fn integer(&mut self) -> f64 {
        (self.bits() % 19) as f64 - 9.0
    }

    pub fn vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.normal(), self.normal(), self.normal())
    }

    pub fn motion(&mut self) -> Motion<f64> {
        Motion::new(self.vec3(), self.vec3())
    }

    pub fn force(&mut self) -> Force<f64> {
        Force::new(self.vec3(), self.vec3())
    }

    pub fn integer_vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.integer(), self.integer(), self.integer())
    }

    pub fn integer_motion(&mut self) -> Motion<f64> {
        Motion::new(self.integer_vec3(), self.integer_vec3())
    }

    pub fn integer_force(&mut self) -> Force<f64> {
        Force::new(self.integer_vec3(), self.integer_vec3())
    }

    pub fn sym3(&mut self) -> Sym3<f64> {
        let [a, b] = [self.vec3(), self.vec3()];
        Sym3 { xx: a.x, xy: a.y, xz: a.z, yy: b.x, yz: b.y, zz: b.z }
    }

    pub fn mat3(&mut self) -> Mat3<f64> {
        Mat3::from_cols(self.vec3(), self.vec3(), self.vec3())
    }

    /// A unit quaternion of a random rotation.
    pub fn quaternion(&mut self) -> Quaternion<f64> {
        Quaternion { v: self.vec3(), w: self.normal() }.normalised()
    }

    pub fn transform(&mut self) -> Transform<f64> {
        Transform::new(self.quaternion().to_matrix(), self.vec3())
    }

    /// A physically consistent body: positive mass, and principal moments that satisfy the triangle
    /// inequality.
    pub fn inertia(&mut self) -> Inertia<f64> {
        let [a, b, c] = [(); 3].map(|()| self.within(0.1, 1.0));
        let about_com = Sym3::diagonal(b + c, c + a, a + b).rotate(&self.quaternion().to_matrix());
        Inertia::from_com(self.within(0.5, 3.0), self.vec3(), about_com)
    }
}

impl Deref for Rng {
    type Target = Random;
    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Rng {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}
