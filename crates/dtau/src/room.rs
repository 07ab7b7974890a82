//! Checks for memory before it is allocated: a failing `Vec` aborts the process, and sizes come from outside.
//!
//! Sizes are upper bounds of measurements, see `crates/dtau-py/tests/test_hostile.py`. A check takes no
//! memory and almost no time.

use crate::error::{Error, ErrorKind};
use crate::model::{Description, Model};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Largest memory to describe and build a link and its joint, without names \[bytes\]: 5,000 were measured.
const LINK: usize = 6 << 10;
/// Number of copies of each name.
const NAMES: usize = 8;
/// Scratch of a body with its degrees of freedom, in numbers: 490 were measured.
const BODY: usize = 560;
/// Memory for an entry of a matrix in the fill plans \[bytes\]: 12 were measured.
pub(crate) const PLAN: usize = 24;

/// Allocates this many bytes at once and frees them; an error if that fails.
pub(crate) fn ask(bytes: usize, what: impl FnOnce() -> String) -> Result<(), Error> {
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| {
        let mebibytes = bytes.div_ceil(1 << 20);
        Error::new(ErrorKind::Memory, format!("there is no memory for {}, about {mebibytes} MiB", what()))
    })
}

/// Checks the memory for building a robot.
pub(crate) fn for_model(robot: &Description) -> Result<(), Error> {
    let links = robot.links.len() + robot.joints.len() / 2 + robot.frames.len();
    let names = robot.links.iter().map(|l| &l.name).chain(robot.joints.iter().map(|j| &j.name));
    let names: usize = names.chain(robot.frames.iter().map(|f| &f.name)).map(String::len).sum();
    ask(links.saturating_mul(LINK).saturating_add(NAMES * names), || format!("a robot of {} links", robot.links.len()))
}

/// Checks the memory for the scratch of an engine, with `number` bytes per number.
pub(crate) fn for_scratch(model: &Model, number: usize) -> Result<(), Error> {
    let bodies = model.tree().bodies.len() + model.tree().dofs.len() / 4;
    ask(bodies.saturating_mul(BODY).saturating_mul(number), || format!("the scratch of model \"{}\"", model.name()))
}

impl Model {
    /// Checks the memory for a robot of this many links, before one is described.
    ///
    /// # Errors
    /// If there is not enough, of kind [`ErrorKind::Memory`].
    pub fn room_for(links: usize) -> Result<(), Error> {
        ask(links.saturating_mul(LINK), || format!("a robot of {links} links"))
    }
}

/// Lends a field of a struct to a closure that uses both; it is returned after an error too.
///
/// `lend!(s.of_this => Room { x, y }, || …)` gives the closure `x` and `y` besides `s`. During the call
/// `s.of_this` is empty.
macro_rules! lend {
    ($($room:ident).+ => $lent:pat, || $body:expr) => {{
        let mut room = core::mem::take(&mut $($room).+);
        let result = {
            let $lent = &mut room;
            $crate::room::call(
                #[inline(always)]
                || $body,
            )
        };
        $($room).+ = room;
        result
    }};
}
pub(crate) use lend;

/// Calls a closure. It is `FnMut` for the same reason as in [`dispatch`](crate::dispatch).
#[inline(always)]
pub(crate) fn call<R>(mut closure: impl FnMut() -> R) -> R {
    closure()
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn a_lent_room_comes_back_after_an_error() {
        struct Scratch {
            room: Vec<i32>,
            other: i32,
        }
        let mut s = Scratch { room: vec![1, 2], other: 0 };
        let done: Result<(), &str> = lend!(s.room => room, || {
            room[0] = 3;
            s.other = 4;
            Err("nothing there")?;
            Ok(())
        });
        assert_eq!((done, &s.room[..], s.other), (Err("nothing there"), &[3, 2][..], 4));
    }
}
