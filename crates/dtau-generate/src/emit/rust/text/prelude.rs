/// A joint that nothing resists, or constraints that depend on others: what was written to the outputs means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// In which of the states side by side, a bit each; 1 where there is one state.
    pub states: u32,
}

/// Why a call for many states failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// An array is not as long as the number of states asks for; nothing was computed.
    Length {
        /// Which array.
        array: &'static str,
        /// How many numbers it needs.
        expected: usize,
        /// How many it has.
        got: usize,
    },
    /// A joint that nothing resists, first in this state; its outputs mean nothing, those of other states are good.
    Singular {
        /// The first state in which it is so.
        state: usize,
    },
}

impl core::fmt::Display for Singular {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("nothing resists a joint: a body without inertia, or a state that is not a number")
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Error::Length { array, expected, got } => {
                write!(f, "`{array}` has {got} numbers and needs {expected}: its size times the number of states")
            }
            Error::Singular { state } => {
                write!(f, "state {state}: nothing resists a joint: a body without inertia, or a state that is not a number")
            }
        }
    }
}

impl core::error::Error for Singular {}
impl core::error::Error for Error {}

/// What the code below computes with: one number, or those of several states side by side.
trait Arithmetic:
    Copy
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
    + core::ops::Neg<Output = Self>
{
    type Element: Copy;
    fn of(x: Self::Element) -> Self;
    /// self · b + c
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// self · b − c
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// c − self · b
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn atan2(self, x: Self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    /// c where a < b, else d.
    fn select(a: Self, b: Self, c: Self, d: Self) -> Self;
}

/// Numbers of the robot's functions, and how they stand in arrays.
trait Number: Arithmetic<Element = Real> {
    type Place: Copy;
    fn load(from: &Self::Place) -> Self;
    fn store(self, to: &mut Self::Place);
    /// A bit for every state in which it is negative, or not a number.
    fn ill(self) -> u32;

    /// Sines and cosines of several angles.
    #[inline(always)]
    fn turn<const ANGLES: usize>(angles: [Self; ANGLES]) -> ([Self; ANGLES], [Self; ANGLES]) {
        let (mut sin, mut cos) = (angles, angles);
        for k in 0..ANGLES {
            (sin[k], cos[k]) = angles[k].sin_cos();
        }
        (sin, cos)
    }

    /// b ← −m b and c ← −m c for a symmetric m of SIZE × SIZE, by columns; of column k of b and c the runs of rows that are not zero.
    #[inline(always)]
    fn product<const SIZE: usize>(
        runs: &[&[(usize, usize)]; SIZE],
        m: &[Self::Place],
        b: &mut [Self::Place],
        c: &mut [Self::Place],
    ) {
        let zero = Self::of(0.0);
        for ((b, c), runs) in b.chunks_exact_mut(SIZE).zip(c.chunks_exact_mut(SIZE)).zip(runs) {
            let (mut x, mut y) = ([zero; SIZE], [zero; SIZE]);
            let mut i = 0;
            while i + 4 <= SIZE {
                rows::<Self, 4, SIZE>(runs, m, b, c, i, &mut x, &mut y);
                i += 4;
            }
            while i < SIZE {
                rows::<Self, 1, SIZE>(runs, m, b, c, i, &mut x, &mut y);
                i += 1;
            }
            for i in 0..SIZE {
                x[i].store(&mut b[i]);
                y[i].store(&mut c[i]);
            }
        }
    }
}

/// Some rows of a product, from the i-th.
#[inline(always)]
fn rows<N: Number, const ROWS: usize, const SIZE: usize>(
    runs: &[(usize, usize)],
    m: &[N::Place],
    b: &[N::Place],
    c: &[N::Place],
    i: usize,
    x: &mut [N; SIZE],
    y: &mut [N; SIZE],
) {
    let (mut p, mut q) = ([N::of(0.0); ROWS], [N::of(0.0); ROWS]);
    for &(from, to) in runs {
        for ((m, b), c) in m[SIZE * from..SIZE * to].chunks_exact(SIZE).zip(&b[from..to]).zip(&c[from..to]) {
            let (b, c) = (N::load(b), N::load(c));
            for (j, m) in m[i..i + ROWS].iter().enumerate() {
                let m = N::load(m);
                p[j] = m.neg_mul_add(b, p[j]);
                q[j] = m.neg_mul_add(c, q[j]);
            }
        }
    }
    x[i..i + ROWS].copy_from_slice(&p);
    y[i..i + ROWS].copy_from_slice(&q);
}

/// One state, with limbs of one shape side by side.
trait Limbs: Number {
    type Wide: Arithmetic<Element = Real>;
    fn gather(limbs: [Self; 4]) -> Self::Wide;
    fn splat(self) -> Self::Wide;
    fn lane<const LANE: usize>(wide: Self::Wide) -> Self;
    /// In lane k what was in lane k + BY, round four.
    fn turned<const BY: usize>(wide: Self::Wide) -> Self::Wide;
}

/// A number for a run of outputs.
#[inline(always)]
fn fill<N: Number>(to: &mut [N::Place], x: Real) {
    for to in to {
        N::of(x).store(to);
    }
}

/// Sine and cosine: n = round(2x/π), r = x − n π/2 in three parts, sin r = r + r³ P(r²), cos r = 1 − r²/2 + r⁴ Q(r²).
trait Angle: Arithmetic<Element = f64> {
    /// Turns (sin r, cos r) by the quadrant in the low bits of `shifted`.
    fn quadrant(sin: Self, cos: Self, shifted: Self) -> (Self, Self);

    /// Of angles that are not larger than [`LARGEST_ANGLE`].
    #[inline(always)]
    fn sin_cos_small(self) -> (Self, Self) {
        let shift = Self::of(6_755_399_441_055_744.0); // leaves the nearest integer in the low bits
        let shifted = self.mul_add(Self::of(core::f64::consts::FRAC_2_PI), shift);
        let n = shifted - shift;
        let (h0, h1, h2) = (Self::of(1.5707963267341256), Self::of(6.077100506303966e-11), Self::of(2.0222662487959506e-21));
        let a = n.neg_mul_add(h0, self);
        let r0 = n.neg_mul_add(h1, a);
        let r1 = n.neg_mul_add(h2, n.neg_mul_add(h1, a - r0));
        let z = r0 * r0;
        let p = (Self::of(1.591810123167728e-10).mul_add(z, Self::of(-2.5051131455447428e-08))).mul_add(z, Self::of(2.755731610068312e-06));
        let p = p.mul_add(z, Self::of(-0.0001984126983675497)).mul_add(z, Self::of(0.008333333333330946));
        let p = p.mul_add(z, Self::of(-0.16666666666666666));
        let q = (Self::of(-1.1382614869434128e-11).mul_add(z, Self::of(2.087614602470193e-09))).mul_add(z, Self::of(-2.7557317270560385e-07));
        let q = q.mul_add(z, Self::of(2.4801587298763433e-05)).mul_add(z, Self::of(-0.0013888888888887395));
        let q = q.mul_add(z, Self::of(0.041666666666666664));
        let (half, one) = (z * Self::of(0.5), Self::of(1.0));
        let sin = r0 + (r0 * z).mul_add(p, half.neg_mul_add(r1, r1));
        let c0 = one - half;
        let c1 = (one - c0) - half;
        let cos = c0 + (z * z).mul_add(q, r0.neg_mul_add(r1, c1));
        Self::quadrant(sin, cos, shifted)
    }
}

/// Beyond this the reduction is no longer exact, and the mathematics library takes over.
const LARGEST_ANGLE: f64 = 1.0e6;

impl Angle for f64 {
    #[inline(always)]
    fn quadrant(sin: f64, cos: f64, shifted: f64) -> (f64, f64) {
        let (s, c, quadrant) = (sin.to_bits(), cos.to_bits(), shifted.to_bits());
        let swap = (s ^ c) & (quadrant & 1).wrapping_neg();
        let (s, c) = (s ^ swap ^ ((quadrant & 2) << 62), c ^ swap ^ ((quadrant.wrapping_add(1) & 2) << 62));
        (f64::from_bits(s), f64::from_bits(c))
    }
}

/// Plain numbers.
macro_rules! plain {
    ($float:ident, $sqrt:path, $atan2:path, $multiply_add:path) => {
        impl Arithmetic for $float {
            type Element = $float;
            #[inline(always)]
            fn of(x: $float) -> Self {
                x
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                $multiply_add(self, b, c)
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                $multiply_add(self, b, -c)
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                $multiply_add(-self, b, c)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                $atan2(self, x)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                let x = f64::from(self);
                let (sin, cos) = if x.abs() > LARGEST_ANGLE { sin_cos_large(x) } else { x.sin_cos_small() };
                (sin as $float, cos as $float)
            }
            #[inline(always)]
            fn select(a: Self, b: Self, c: Self, d: Self) -> Self {
                if a < b { c } else { d }
            }
        }
    };
}

impl Number for Real {
    type Place = Real;
    #[inline(always)]
    fn load(from: &Real) -> Real {
        *from
    }
    #[inline(always)]
    fn store(self, to: &mut Real) {
        *to = self;
    }
    #[inline(always)]
    fn ill(self) -> u32 {
        !(self >= 0.0) as u32
    }
}

impl Limbs for Real {
    type Wide = Quad;
    #[inline(always)]
    fn gather(limbs: [Real; 4]) -> Quad {
        Quad(limbs)
    }
    #[inline(always)]
    fn splat(self) -> Quad {
        Quad([self; 4])
    }
    #[inline(always)]
    fn lane<const LANE: usize>(wide: Quad) -> Real {
        wide.0[LANE]
    }
    #[inline(always)]
    fn turned<const BY: usize>(wide: Quad) -> Quad {
        Quad([0, 1, 2, 3].map(|k| wide.0[(k + BY) % 4]))
    }
}

/// Numbers of up to four limbs, one after the other.
#[derive(Clone, Copy)]
struct Quad([Real; 4]);

macro_rules! limb_by_limb {
    ($($trait:ident $name:ident)*) => {$(
        impl core::ops::$trait for Quad {
            type Output = Quad;
            #[inline(always)]
            fn $name(self, b: Quad) -> Quad {
                Quad([0, 1, 2, 3].map(|k| core::ops::$trait::$name(self.0[k], b.0[k])))
            }
        }
    )*};
}
limb_by_limb! { Add add Sub sub Mul mul Div div }

impl core::ops::Neg for Quad {
    type Output = Quad;
    #[inline(always)]
    fn neg(self) -> Quad {
        Quad(self.0.map(|x| -x))
    }
}

impl Arithmetic for Quad {
    type Element = Real;
    #[inline(always)]
    fn of(x: Real) -> Self {
        Quad([x; 4])
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Quad([0, 1, 2, 3].map(|k| Arithmetic::mul_add(self.0[k], b.0[k], c.0[k])))
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Quad([0, 1, 2, 3].map(|k| self.0[k].mul_sub(b.0[k], c.0[k])))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Quad([0, 1, 2, 3].map(|k| self.0[k].neg_mul_add(b.0[k], c.0[k])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Quad(self.0.map(|x| Arithmetic::sqrt(x)))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        Quad([0, 1, 2, 3].map(|k| Arithmetic::atan2(self.0[k], x.0[k])))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let all = self.0.map(|x| Arithmetic::sin_cos(x));
        (Quad(all.map(|x| x.0)), Quad(all.map(|x| x.1)))
    }
    #[inline(always)]
    fn select(a: Self, b: Self, c: Self, d: Self) -> Self {
        Quad([0, 1, 2, 3].map(|k| Real::select(a.0[k], b.0[k], c.0[k], d.0[k])))
    }
}

/// Whether an array has the numbers of all states.
fn check(array: &'static str, got: usize, size: usize, states: usize) -> Result<(), Error> {
    let expected = size.saturating_mul(states);
    if got == expected { Ok(()) } else { Err(Error::Length { array, expected, got }) }
}

/// The numbers of a state.
#[inline(always)]
fn state<const SIZE: usize>(x: &[Real], state: usize) -> &[Real; SIZE] {
    x[SIZE * state..].first_chunk().expect("lengths were checked")
}

#[inline(always)]
fn state_mut<const SIZE: usize>(x: &mut [Real], state: usize) -> &mut [Real; SIZE] {
    x[SIZE * state..].first_chunk_mut().expect("lengths were checked")
}

/// One of the states that stand side by side.
#[inline(always)]
fn lane<const SIZE: usize>(x: &[[Real; LANES]; SIZE], lane: usize) -> [Real; SIZE] {
    x.map(|x| x[lane])
}

#[inline(always)]
fn set_lane<const SIZE: usize>(x: &mut [[Real; LANES]; SIZE], lane: usize, from: &[Real; SIZE]) {
    for (x, &from) in x.iter_mut().zip(from) {
        x[lane] = from;
    }
}

fn status(states: u32) -> Result<(), Singular> {
    if states == 0 { Ok(()) } else { Err(Singular { states }) }
}

fn status_of_many(first: Option<usize>) -> Result<(), Error> {
    first.map_or(Ok(()), |state| Err(Error::Singular { state }))
}

/// For programs that choose functions at run time: 0 good, 1 a joint that nothing resists, −1 arrays of the wrong lengths.
fn code(result: Result<(), Error>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(Error::Singular { .. }) => 1,
        Err(Error::Length { .. }) => -1,
    }
}
