/// Why a payload was not added; the table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadError {
    /// No body has such numbers: a negative mass, or one that is not finite.
    NoBody,
    /// The code was generated for zeros there: generate it for payloads on that link.
    InCode,
}

impl core::fmt::Display for PayloadError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            PayloadError::NoBody => "no body has such numbers: the mass is negative, or a number is not finite",
            PayloadError::InCode => "numbers that the payload changes are in the code; generate it for payloads on that link",
        })
    }
}

impl core::error::Error for PayloadError {}

/// Place of a number of a body: an index of the table, or a constant of the code.
#[derive(Clone, Copy)]
enum Slot {
    T(usize),
    C(f64),
}
use Slot::{C, T};

/// Adds a rigid body at a link to the numbers of a table: mass, centre of mass and inertia about it (xx, xy, xz, yy, yz, zz) in the link's
/// axes. What is refused leaves the table as it was.
pub fn add_payload(
    table: &mut [Real; TABLE.len()],
    link: Link,
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
) -> Result<(), PayloadError> {
    const AT: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    let all = com.iter().chain(&inertia).chain(core::iter::once(&mass));
    if !(mass >= 0.0) || all.into_iter().any(|x| !x.is_finite()) {
        return Err(PayloadError::NoBody);
    }
    let (body, r) = CARRIERS[link as usize];
    if body == 0 {
        return Ok(()); // it does not move
    }
    let slots = &SLOTS[body];
    let mut x = slots.map(|slot| match slot {
        T(k) => f64::from(table[k]),
        C(x) => x,
    });
    // The load's centre of mass and inertia in the body's axes: c = R com + p, R I Rᵀ.
    let mut c = [0.0; 3];
    let mut turned = [[0.0; 3]; 3];
    for i in 0..3 {
        c[i] = r[9 + i] + r[i] * com[0] + r[3 + i] * com[1] + r[6 + i] * com[2];
        for j in 0..3 {
            turned[i][j] = r[i] * inertia[AT[0][j]] + r[3 + i] * inertia[AT[1][j]] + r[6 + i] * inertia[AT[2][j]];
        }
    }
    // Sums: mass, first moment, inertia about the body's origin.
    x[0] += mass;
    for i in 0..3 {
        x[1 + i] += mass * c[i];
        for j in i..3 {
            let own = turned[i][0] * r[j] + turned[i][1] * r[3 + j] + turned[i][2] * r[6 + j];
            let square = if i == j { c[0] * c[0] + c[1] * c[1] + c[2] * c[2] } else { 0.0 };
            x[4 + AT[i][j]] += own + mass * (square - c[i] * c[j]);
        }
    }
    // What follows: centre of mass, and the inertia about it.
    for i in 0..3 {
        x[10 + i] = if x[0] > 0.0 { x[1 + i] / x[0] } else { 0.0 };
    }
    for i in 0..3 {
        for j in i..3 {
            let square = if i == j { x[1] * x[10] + x[2] * x[11] + x[3] * x[12] } else { 0.0 };
            x[13 + AT[i][j]] = x[4 + AT[i][j]] - (square - x[1 + i] * x[10 + j]);
        }
    }
    if slots.iter().zip(&x).any(|(slot, x)| matches!(slot, C(y) if y != x)) {
        return Err(PayloadError::InCode);
    }
    for (slot, x) in slots.iter().zip(x) {
        if let T(k) = *slot {
            table[k] = x as Real;
        }
    }
    Ok(())
}
