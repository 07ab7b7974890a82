/// Nothing resists a joint, or constraints depend on each other: the outputs mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular;

/// Why a call for many states failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// An array has the wrong length for the number of states. Nothing was computed.
    Length {
        /// Name of the array.
        array: &'static str,
        /// Length that it needs.
        expected: usize,
        /// Length that it has.
        got: usize,
    },
    /// The outputs of this state mean nothing, see [`Singular`]. States before it are good.
    Singular {
        /// Index of the first such state.
        state: usize,
    },
}

const SINGULAR: &str = "nothing resists a joint: a body without inertia, or a state that is not a number";

impl core::fmt::Display for Singular {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(SINGULAR)
    }
}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Error::Length { array, expected, got } => {
                write!(f, "`{array}` has {got} numbers and needs {expected}: its size times the number of states")
            }
            Error::Singular { state } => write!(f, "state {state}: {SINGULAR}"),
        }
    }
}

impl core::error::Error for Singular {}
impl core::error::Error for Error {}

/// Fails if an array does not have the numbers of all states.
fn check(array: &'static str, got: usize, size: usize, states: usize) -> Result<(), Error> {
    let expected = size.saturating_mul(states);
    if got == expected { Ok(()) } else { Err(Error::Length { array, expected, got }) }
}

/// Numbers of one state.
fn state<const SIZE: usize>(x: &[Real], state: usize) -> &[Real; SIZE] {
    x[SIZE * state..].first_chunk().expect("lengths were checked")
}

fn state_mut<const SIZE: usize>(x: &mut [Real], state: usize) -> &mut [Real; SIZE] {
    x[SIZE * state..].first_chunk_mut().expect("lengths were checked")
}

/// Status of a [`Call`].
fn code(result: Result<(), Error>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(Error::Singular { .. }) => 1,
        Err(Error::Length { .. }) => -1,
    }
}
