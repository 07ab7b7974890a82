//! Whether there is memory, asked before it is taken: a `Vec` that gets none ends the process, and sizes come from outside.
//!
//! Sizes are bounds of what was measured, see `crates/dtau-py/tests/test_hostile.py`; to ask takes no memory and next to no time.

use crate::error::{Error, ErrorKind};
use crate::model::{Description, Model};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What describing and building a link and its joint takes at the most, without names \[bytes\]: 5,000 were seen.
const LINK: usize = 6 << 10;
/// How often names are kept.
const NAMES: usize = 8;
/// What the scratch of a body with its degrees of freedom takes, in numbers: 490 were seen.
const BODY: usize = 560;
/// What an entry of a matrix takes in the plans of how matrices are filled \[bytes\]: 12 were seen.
pub(crate) const PLAN: usize = 24;

/// Asks for so many bytes at once, and gives them back.
pub(crate) fn ask(bytes: usize, what: impl FnOnce() -> String) -> Result<(), Error> {
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| {
        let mebibytes = bytes.div_ceil(1 << 20);
        Error::new(ErrorKind::Memory, format!("there is no memory for {}, about {mebibytes} MiB", what()))
    })
}

/// For building a robot.
pub(crate) fn for_model(robot: &Description) -> Result<(), Error> {
    let links = robot.links.len() + robot.joints.len() / 2 + robot.frames.len();
    let names = robot.links.iter().map(|l| &l.name).chain(robot.joints.iter().map(|j| &j.name));
    let names: usize = names.chain(robot.frames.iter().map(|f| &f.name)).map(String::len).sum();
    ask(links.saturating_mul(LINK).saturating_add(NAMES * names), || format!("a robot of {} links", robot.links.len()))
}

/// For the scratch of an engine in numbers of so many bytes.
pub(crate) fn for_scratch(model: &Model, number: usize) -> Result<(), Error> {
    let bodies = model.tree().bodies.len() + model.tree().dofs.len() / 4;
    ask(bodies.saturating_mul(BODY).saturating_mul(number), || format!("the scratch of model \"{}\"", model.name()))
}

impl Model {
    /// Whether there is memory for a robot of so many links, before one that size is described.
    ///
    /// # Errors
    /// If there is none, of kind [`ErrorKind::Memory`].
    pub fn room_for(links: usize) -> Result<(), Error> {
        ask(links.saturating_mul(LINK), || format!("a robot of {links} links"))
    }
}

/// Lends a room out of a larger one while a closure uses both; it comes back after an error too.
///
/// `lend!(s.of_this => Room { x, y }, || …)` gives the closure `x` and `y` beside `s`, where `s.of_this` is empty meanwhile.
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

/// Calls a closure. `FnMut` for the same reason as in [`dispatch`](crate::dispatch).
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
