//! Pinocchio, through the C interface of `bench/opponent/opponent.h`.
//!
//! This is the only module with `unsafe`, for calls into the shared library. The calls are sound if the
//! library was made by `bench/opponent/build.sh`: the declarations below repeat its header, lengths are
//! checked before every call, and a handle lives as long as the [`Opponent`] that owns it.
#![allow(unsafe_code)]

use crate::states::States;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;

/// A joint and the body it carries: `OpponentBody`.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Body {
    pub parent: i32,
    pub kind: i32,
    pub axis: [f64; 3],
    pub pitch: f64,
    pub rotation: [f64; 9],
    pub translation: [f64; 3],
    pub mass: f64,
    pub com: [f64; 3],
    pub inertia: [f64; 9],
    pub armature: f64,
}

/// A point (3 rows) or a frame (6 rows) of a body, held by another body or the world (−1): `OpponentHold`.
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Hold {
    pub body: i32,
    pub other: i32,
    pub rows: i32,
    pub rotation: [f64; 9],
    pub translation: [f64; 3],
    pub other_rotation: [f64; 9],
    pub other_translation: [f64; 3],
}

/// Kinds of joint: `OpponentJoint`.
#[allow(missing_docs)]
pub mod kind {
    pub const REVOLUTE: i32 = 0;
    pub const PRISMATIC: i32 = 1;
    pub const HELICAL: i32 = 2;
    pub const SPHERICAL: i32 = 3;
    pub const PLANAR: i32 = 4;
    pub const TRANSLATION: i32 = 5;
    pub const FREE_FLYER: i32 = 6;
    pub const REVOLUTE_UNBOUNDED: i32 = 7;
}

/// Quantities that it can compute, in several ways: `OpponentQuantity`.
#[allow(missing_docs)]
pub mod code {
    pub const RNEA: i32 = 0;
    pub const ABA: i32 = 1;
    pub const CRBA: i32 = 2;
    pub const MINVERSE: i32 = 3;
    pub const ID_DERIVATIVES: i32 = 4;
    pub const FD_DERIVATIVES: i32 = 5;
    pub const SECOND_ORDER_ID: i32 = 7;
    pub const REGRESSOR: i32 = 8;
    pub const CORIOLIS: i32 = 9;
    pub const FORWARD_KINEMATICS: i32 = 10;
    pub const CENTROIDAL_MAP: i32 = 12;
    pub const ABA_WORLD: i32 = 13;
    pub const CRBA_WORLD: i32 = 14;
    pub const ID_DERIVATIVES_DATA: i32 = 15;
    pub const FD_DERIVATIVES_DATA: i32 = 16;
    pub const WATCHED_DERIVATIVES: i32 = 17;
    pub const WATCHED_JACOBIANS: i32 = 18;
    pub const CONSTRAINED_FD: i32 = 19;
    pub const CONSTRAINED_FD_CONTACT_ABA: i32 = 20;
    pub const CONSTRAINED_FD_PV: i32 = 21;
    pub const CONSTRAINED_FD_DERIVATIVES: i32 = 22;
    pub const IMPULSE_DERIVATIVES: i32 = 23;
}

type New = unsafe extern "C" fn(*const Body, i32, *const f64) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Count = unsafe extern "C" fn(*mut c_void) -> i32;
type Watch = unsafe extern "C" fn(*mut c_void, *const i32, i32) -> i32;
type HoldAll = unsafe extern "C" fn(*mut c_void, *const Hold, i32) -> i32;
type Size = unsafe extern "C" fn(*mut c_void, i32) -> i64;
type Run = unsafe extern "C" fn(*mut c_void, i32, *const f64, *const f64, *const f64, *mut f64) -> i32;
type Time = unsafe extern "C" fn(*mut c_void, i32, *const f64, *const f64, *const f64, i32, i32) -> f64;
type TimeKeeping = unsafe extern "C" fn(*mut c_void, i32, *const f64, *const f64, *const f64, i32, i32, i32) -> f64;
type About = unsafe extern "C" fn() -> *const c_char;
type Peak = unsafe extern "C" fn() -> f64;

/// Shared library.
pub struct Library {
    new: New,
    free: Free,
    nq: Count,
    nv: Count,
    watch: Watch,
    hold: HoldAll,
    size: Size,
    run: Run,
    time: Time,
    time_keeping: TimeKeeping,
    about: About,
    peak: Peak,
    // Library that owns the functions above. It must be dropped last.
    _library: libloading::Library,
}

impl Library {
    /// Loads a library that `bench/opponent/build.sh` made.
    ///
    /// # Errors
    /// Fails if there is no library, or a function is missing.
    pub fn load(path: &Path) -> Result<Self, String> {
        let explain = |error: libloading::Error| {
            format!("{}: {error}; build it with bench/opponent/build.sh, or run bench/run.sh", path.display())
        };
        // SAFETY: loading runs the library's initialisers, which are those of Pinocchio and the C++ runtime.
        let library = unsafe { libloading::Library::new(path) }.map_err(explain)?;
        macro_rules! function {
            ($name:literal as $type:ty) => {
                // SAFETY: the type is that of the declaration in opponent.h. The copy is stored with the library.
                *unsafe { library.get::<$type>($name) }.map_err(explain)?
            };
        }
        Ok(Self {
            new: function!(b"opponent_new" as New),
            free: function!(b"opponent_free" as Free),
            nq: function!(b"opponent_nq" as Count),
            nv: function!(b"opponent_nv" as Count),
            watch: function!(b"opponent_watch" as Watch),
            hold: function!(b"opponent_hold" as HoldAll),
            size: function!(b"opponent_size" as Size),
            run: function!(b"opponent_run" as Run),
            time: function!(b"opponent_time" as Time),
            time_keeping: function!(b"opponent_time_keeping" as TimeKeeping),
            about: function!(b"opponent_about" as About),
            peak: function!(b"opponent_fma_peak" as Peak),
            _library: library,
        })
    }

    /// Returns versions, compiler and flags.
    pub fn about(&self) -> String {
        // SAFETY: it returns a string constant, terminated by zero.
        unsafe { CStr::from_ptr((self.about)()) }.to_string_lossy().into_owned()
    }

    /// Returns the core's peak: fused multiply-adds of `f64` per nanosecond, the best of `tries`.
    pub fn fma_peak(&self, tries: usize) -> f64 {
        // SAFETY: it has no arguments and no side effects.
        (0..tries).map(|_| unsafe { (self.peak)() }).fold(0.0, f64::max)
    }

    /// Makes a robot on the opponent's side.
    ///
    /// # Errors
    /// Fails if Pinocchio refuses it. The reason is on standard error.
    pub fn robot(&self, bodies: &[Body], gravity: [f64; 3]) -> Result<Opponent<'_>, String> {
        let n = i32::try_from(bodies.len()).map_err(|_| "too many bodies".to_string())?;
        // SAFETY: `n` bodies and three numbers are valid to read. They are read only during the call.
        let handle = unsafe { (self.new)(bodies.as_ptr(), n, gravity.as_ptr()) };
        let handle = NonNull::new(handle).ok_or("Pinocchio refused the robot; the reason stands above")?;
        // SAFETY: the handle is alive.
        let (nq, nv) = unsafe { ((self.nq)(handle.as_ptr()), (self.nv)(handle.as_ptr())) };
        Ok(Opponent { library: self, handle, nq: nq as usize, nv: nv as usize })
    }
}

/// Robot on the opponent's side, with its workspace.
pub struct Opponent<'l> {
    library: &'l Library,
    handle: NonNull<c_void>,
    nq: usize,
    nv: usize,
}

impl Drop for Opponent<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from `opponent_new` and is not used again.
        unsafe { (self.library.free)(self.handle.as_ptr()) }
    }
}

impl Opponent<'_> {
    /// Returns the length of its configurations.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Returns the length of its velocities.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Selects the bodies of the `WATCHED` quantities, counted from 0.
    ///
    /// # Errors
    /// Fails if there is no such body.
    pub fn watch(&mut self, bodies: &[i32]) -> Result<(), String> {
        // SAFETY: the handle is alive, and `bodies.len()` numbers are valid to read.
        let code = unsafe { (self.library.watch)(self.handle.as_ptr(), bodies.as_ptr(), bodies.len() as i32) };
        if code == 0 { Ok(()) } else { Err("the opponent knows no such body".into()) }
    }

    /// Sets the constraints of the `CONSTRAINED` quantities.
    ///
    /// # Errors
    /// Fails if there is no such body, or the library is the wheel's.
    pub fn hold(&mut self, holds: &[Hold]) -> Result<(), String> {
        // SAFETY: the handle is alive, and `holds.len()` holds are valid to read.
        let code = unsafe { (self.library.hold)(self.handle.as_ptr(), holds.as_ptr(), holds.len() as i32) };
        if code == 0 { Ok(()) } else { Err("the opponent cannot hold these".into()) }
    }

    /// Returns the result of one of [`code`] at the `i`-th state.
    ///
    /// # Errors
    /// Reports a failure. The reason is on standard error.
    pub fn run(&mut self, code: i32, states: &States, i: usize) -> Result<Vec<f64>, String> {
        self.check(states)?;
        let handle = self.handle.as_ptr();
        let (q, v, x) = states.one(i);
        // SAFETY: the handle is alive.
        let size = unsafe { (self.library.size)(handle, code) };
        let mut out = vec![f64::NAN; usize::try_from(size).unwrap_or(0)];
        // SAFETY: the state has the lengths of this robot (checked), and `out` has the length that the
        // library requires.
        let failed = unsafe { (self.library.run)(handle, code, q.as_ptr(), v.as_ptr(), x.as_ptr(), out.as_mut_ptr()) };
        if failed == 0 { Ok(out) } else { Err(format!("the opponent failed at its quantity {code}")) }
    }

    /// Returns the time of `reps` calls in nanoseconds, cycling over the states.
    ///
    /// # Errors
    /// Reports a failure. The reason is on standard error.
    pub fn time(&mut self, code: i32, states: &States, reps: u32) -> Result<f64, String> {
        self.check(states)?;
        let (q, v, x) = (states.q.as_ptr(), states.v.as_ptr(), states.x.as_ptr());
        let (n, reps) = (states.count as i32, i32::try_from(reps).unwrap_or(i32::MAX));
        // SAFETY: the handle is alive and the arrays hold `n` states of this robot's lengths (checked).
        let ns = unsafe { (self.library.time)(self.handle.as_ptr(), code, q, v, x, n, reps) };
        if ns.is_finite() { Ok(ns) } else { Err(format!("the opponent failed at its quantity {code}")) }
    }

    /// Same, keeping every result: in one of `kept` places, in turn.
    ///
    /// # Errors
    /// Reports a failure. The reason is on standard error.
    pub fn time_keeping(&mut self, code: i32, states: &States, kept: usize, reps: u32) -> Result<f64, String> {
        self.check(states)?;
        let (q, v, x) = (states.q.as_ptr(), states.v.as_ptr(), states.x.as_ptr());
        let (n, reps) = (states.count as i32, i32::try_from(reps).unwrap_or(i32::MAX));
        let kept = i32::try_from(kept).unwrap_or(i32::MAX);
        // SAFETY: the handle is alive and the arrays hold `n` states of this robot's lengths (checked). The
        // places belong to the library.
        let ns = unsafe { (self.library.time_keeping)(self.handle.as_ptr(), code, q, v, x, n, kept, reps) };
        if ns.is_finite() { Ok(ns) } else { Err(format!("the opponent failed at its quantity {code}")) }
    }

    /// Checks that all arrays are as long as the library reads.
    fn check(&self, states: &States) -> Result<(), String> {
        let fits = |x: &[f64], each: usize| x.len() == states.count * each && states.count > 0;
        if fits(&states.q, self.nq) && fits(&states.v, self.nv) && fits(&states.x, self.nv) {
            return Ok(());
        }
        Err(format!("the states do not fit the opponent's robot (nq = {}, nv = {})", self.nq, self.nv))
    }
}
