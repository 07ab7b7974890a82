//! Functions of the library by name, on numbers and by complex step.

use crate::product::{counts, in_scalar};
use dtau::scalar::{Complex, Real};
use dtau::{Declaration, Error, Matrix, Parameters, Scene, Size, Workspace};

/// Evaluates a function at a scene and arrays. Tests replace it by one with an error.
pub type Evaluate = fn(&'static Declaration, Scene<'_, f64>, &[&[f64]]) -> Result<Values, Error>;

/// Results of a function, by name.
pub struct Values {
    function: &'static Declaration,
    /// The results, in the order of the declaration.
    pub all: Vec<Matrix<f64>>,
}

impl Values {
    /// Evaluates a function at a scene and arrays.
    pub fn of(function: &'static Declaration, scene: Scene<'_, f64>, x: &[&[f64]]) -> Result<Self, Error> {
        let counts = counts(&scene);
        let room = |arg: &dtau::Arg| {
            let (rows, columns) = arg.size.shape(scene.model, counts);
            Matrix::zeros(rows, columns)
        };
        let mut all: Vec<Matrix<f64>> = function.outputs.iter().map(room).collect();
        let called = function.with(&Parameters::default())?;
        called.call_into(scene, &mut Workspace::new(scene.model), x, &mut all)?;
        Ok(Self { function, all })
    }

    /// Evaluates a function, given by name.
    pub fn named(name: &str, scene: Scene<'_, f64>, x: &[&[f64]]) -> Result<Self, Error> {
        Self::of(dtau::function(name)?, scene, x)
    }

    /// Index of a result by its name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.function.outputs.iter().position(|arg| arg.name == name)
    }

    /// A result, by its name.
    pub fn get(&self, name: &str) -> &Matrix<f64> {
        &self.all[self.place(name).expect("a result of this function")]
    }
}

/// A step so small that its square vanishes.
const H: f64 = 1e-30;

/// Derivatives by complex step. It has no difference of nearly equal numbers, so it loses no digits.
pub struct ComplexStep<'a> {
    scene: Scene<'a, Complex>,
    ws: Workspace<Complex>,
}

impl<'a> ComplexStep<'a> {
    /// Creates it for a scene without wrenches.
    pub fn new(scene: &Scene<'a, f64>) -> Self {
        Self { scene: in_scalar(scene), ws: Workspace::new(scene.model) }
    }

    /// Derivatives of all results at `x`, along directions of some inputs; the other inputs are constant.
    pub fn along(
        &mut self,
        function: &Declaration,
        x: &[&[f64]],
        directions: &[Option<&[f64]>],
    ) -> Result<Vec<Vec<f64>>, Error> {
        let (model, counts) = (self.scene.model, counts(&self.scene));
        let real = |x: &[f64]| -> Vec<Complex> { x.iter().copied().map(Complex::from_f64).collect() };
        let step = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(&x, &d)| Complex::new(x, H * d)).collect::<Vec<_>>();
        let mut inputs = Vec::with_capacity(x.len());
        for (k, (&x, arg)) in x.iter().zip(function.inputs).enumerate() {
            inputs.push(match directions.get(k).copied().flatten() {
                None => real(x),
                Some(d) if arg.size == Size::Nq => {
                    let (from, mut to) = (real(x), real(x));
                    model.integrate(&from, &step(&vec![0.0; d.len()], d), &mut to)?;
                    to
                }
                Some(d) => step(x, d),
            });
        }
        let inputs: Vec<&[Complex]> = inputs.iter().map(Vec::as_slice).collect();
        let room = |arg: &dtau::Arg| vec![Complex::from_f64(0.0); arg.size.of(model, counts)];
        let mut y: Vec<Vec<Complex>> = function.outputs.iter().map(room).collect();
        let mut to: Vec<&mut [Complex]> = y.iter_mut().map(Vec::as_mut_slice).collect();
        function.with(&Parameters::default())?.call(self.scene, &mut self.ws, &inputs, &mut to)?;
        Ok(y.into_iter().map(|y| y.into_iter().map(|y| y.im / H).collect()).collect())
    }

    /// Derivatives of all results with respect to the `k`-th input: one column for each degree of freedom.
    pub fn jacobians(&mut self, function: &Declaration, x: &[&[f64]], k: usize) -> Result<Vec<Matrix<f64>>, Error> {
        let (model, counts, n) = (self.scene.model, counts(&self.scene), self.scene.model.nv());
        let room = |arg: &dtau::Arg| Matrix::zeros(arg.size.of(model, counts), n);
        let mut jacobians: Vec<Matrix<f64>> = function.outputs.iter().map(room).collect();
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let mut directions = vec![None; x.len()];
            directions[k] = Some(&unit[..]);
            for (jacobian, column) in jacobians.iter_mut().zip(self.along(function, x, &directions)?) {
                (0..column.len()).for_each(|i| jacobian[(i, j)] = column[i]);
            }
        }
        Ok(jacobians)
    }
}
