//! The functions on arrays: made from the declarations of the library's list.
//!
//! ```text
//! f(model, [constraints,] inputs…, frame, reference="local_world_aligned", *, way, f_ext, gravity, …, threads=1, workspace=None, out=None)
//! ```
//!
//! The declaration decides which parameters and surroundings a function has. Results are an array, or a named
//! tuple with the fields of the declaration. A function added to the list appears here automatically.
//! Additional text for Python, such as its example, is in `text/functions.txt`. Its types are written when
//! the wheel is built (`stubs/write.py`).

use crate::arrays::{Few, Given, MOST, OutName, Shape, describe, python_name};
use crate::call::{Call, Task, threads, zeros_like_velocity};
use crate::compiled::PyCompiled;
use crate::constraints::PyConstraints;
use crate::direct::{self, Arguments};
use crate::errors::OrRaise;
use crate::frames;
use crate::model::PyModel;
use crate::results::Results;
use crate::scratch::PyWorkspace;
use crate::text;
use dtau::model::FrameId;
use dtau::{Declaration, FdWay, Function, Parameter, Parameters, Reference, Size, Surrounding};
use pyo3::Borrowed;
use pyo3::exceptions::{PySystemError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyString, PyType};
use std::ffi::{CStr, CString};

/// Functions in the order of the list.
static FUNCTIONS: PyOnceLock<Vec<Listed>> = PyOnceLock::new();

/// Adds all functions of the list to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let all = || dtau::functions().iter().map(|declaration| Listed::new(py, declaration)).collect();
    for (place, function) in FUNCTIONS.get_or_try_init(py, all)?.iter().enumerate() {
        let name = function.declaration.name;
        let doc = text::documentation(function.declaration, &function.signature(), &function.results.name(py)?);
        module.add(name, direct::function(module, place, leak(name), leak(&doc))?)?;
    }
    Ok(())
}

/// Calls the function at an index of the list.
#[inline]
pub(crate) fn call<'py>(py: Python<'py>, place: usize, arguments: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    listed(py)[place].call(arguments, None, None)
}

/// Adds functions of the list to a class as methods: all of them, or some. `by` adds a note on how they are computed.
pub(crate) fn add_methods(class: &Bound<'_, PyType>, by: &str, some: &[&str]) -> PyResult<()> {
    let py = class.py();
    for (place, function) in listed(py).iter().enumerate() {
        let name = function.declaration.name;
        let signature = function.signature().replacen("(model", "($self", 1);
        let doc = match some {
            [] => format!("{signature}\n--\n\n:func:`dtau.{name}` of the model{by}.\n"),
            some if some.contains(&name) => {
                text::documentation(function.declaration, &signature, &function.results.name(py)?)
            }
            _ => continue,
        };
        class.setattr(name, direct::method(class, place, leak(name), leak(&doc))?)?;
    }
    Ok(())
}

/// Calls the function at an index of the list as a method of a model, or of compiled code, which has a model.
#[inline]
pub(crate) fn call_method<'py>(
    owner: Given<'_, 'py>,
    place: usize,
    arguments: &Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = &listed(owner.py())[place];
    match owner.cast::<PyCompiled>() {
        Ok(code) => {
            let code = code.get();
            function.call(arguments, Some(code.model.bind(owner.py()).as_any().as_borrowed()), Some(code))
        }
        Err(_) => function.call(arguments, Some(owner), None),
    }
}

/// Returns a function with parameters named by the caller. If a list of frames is given, returns several.
pub(crate) fn with_parameters(
    model: &PyModel,
    name: &str,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Function>> {
    let declaration = dtau::function(name).or_raise()?;
    let mut parameters = Parameters { reference: Some(Reference::LocalWorldAligned), ..Parameters::default() };
    let mut frames = None;
    for (key, value) in given.into_iter().flatten() {
        let (key, value) = (key.extract::<String>()?, value.as_borrowed());
        let takes = |parameter| declaration.parameters.contains(&parameter);
        match key.as_str() {
            "frame" if takes(Parameter::Frame) => {
                frames = frames::several(model, value)?;
                if frames.is_none() {
                    parameters.frame = Some(frames::one(model, value)?);
                }
            }
            "reference" if takes(Parameter::Reference) => parameters.reference = Some(reference(value)?),
            "way" if takes(Parameter::Way) && value.is_none() => {}
            "way" if takes(Parameter::Way) => parameters.way = Some(way(value)?),
            _ => return Err(PyTypeError::new_err(format!("{name} has no parameter '{key}' to be compiled with"))),
        }
    }
    let frames = frames.map_or_else(|| vec![parameters.frame], |frames| frames.into_iter().map(Some).collect());
    if declaration.parameters.contains(&Parameter::Frame) && frames.contains(&None) {
        let message = format!("{name} is compiled for a frame: say which, as in (\"{name}\", {{\"frame\": \"tool\"}})");
        return Err(PyValueError::new_err(message));
    }
    frames.into_iter().map(|frame| declaration.with(&Parameters { frame, ..parameters }).or_raise()).collect()
}

fn listed(py: Python<'_>) -> &[Listed] {
    FUNCTIONS.get(py).expect("made with the module")
}

/// Leaks a string, because Python needs the strings of functions forever.
fn leak(text: &str) -> &'static CStr {
    Box::leak(CString::new(text).expect("it has no null in it").into_boxed_c_str())
}

/// Function of the list, as seen from Python.
struct Listed {
    declaration: &'static Declaration,
    slots: Vec<Slot>,
    /// Index of the first array argument: after the model, and the constraints if there are any.
    first_array: usize,
    /// Number of arguments that may be positional.
    positional: usize,
    /// Number of required arguments. They come first.
    required: usize,
    /// Complete function, if it has no parameters.
    plain: Option<Function>,
    results: Results,
}

/// Argument of a function.
struct Slot {
    name: &'static str,
    /// Interned name. Callers usually pass the same object.
    interned: Py<PyString>,
    kind: Kind,
    /// Default value as in the signature. `None` if the argument is required.
    default: Option<&'static str>,
}

impl Slot {
    fn is_required(&self) -> bool {
        self.default.is_none()
    }

    /// Returns the given value. If the default is `None`, a given `None` counts as left out.
    #[inline]
    fn seen<'a, 'py>(&self, given: Option<Given<'a, 'py>>) -> Option<Given<'a, 'py>> {
        given.filter(|x| !x.is_none() || self.default != Some("None"))
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Model,
    Array,
    Parameter(Parameter),
    Surrounding(Surrounding),
    Active,
    Desired,
    Threads,
    Workspace,
    Out,
}

/// Limit of arguments of a function.
const MOST_SLOTS: usize = 20;

/// Given value of each argument.
type Sorted<'a, 'py> = [Option<Given<'a, 'py>>; MOST_SLOTS];

impl Listed {
    fn new(py: Python<'_>, declaration: &'static Declaration) -> PyResult<Self> {
        let optional = text::optional(declaration.name);
        let mut slots = Vec::new();
        let mut slot = |name: &'static str, kind: Kind, default: Option<&'static str>| {
            slots.push(Slot { name, interned: PyString::intern(py, name).unbind(), kind, default });
        };
        slot("model", Kind::Model, None);
        let is_constrained = declaration.parameters.contains(&Parameter::Constraints);
        if is_constrained {
            slot("constraints", Kind::Parameter(Parameter::Constraints), None);
        }
        let first_array = 1 + usize::from(is_constrained);
        for arg in declaration.inputs {
            slot(python_name(arg.name), Kind::Array, optional.contains(&arg.name).then_some("None"));
        }
        for &parameter in declaration.parameters {
            let (name, default) = match parameter {
                Parameter::Constraints => continue,
                Parameter::Frame => ("frame", None),
                Parameter::Reference => ("reference", Some("'local_world_aligned'")),
                Parameter::Way => ("way", Some("None")),
            };
            slot(name, Kind::Parameter(parameter), default);
        }
        if is_constrained {
            slot("active", Kind::Active, Some("None"));
            slot("desired", Kind::Desired, Some("None"));
        }
        for &surrounding in declaration.surroundings {
            let (name, default) = match surrounding {
                Surrounding::Wrenches => ("f_ext", "None"),
                Surrounding::Gravity => ("gravity", "None"),
                Surrounding::Damping => ("damping", "True"),
                Surrounding::Friction => ("friction", "True"),
                Surrounding::Armature => ("armature", "True"),
            };
            slot(name, Kind::Surrounding(surrounding), Some(default));
        }
        slot("threads", Kind::Threads, Some("1"));
        slot("workspace", Kind::Workspace, Some("None"));
        slot("out", Kind::Out, Some("None"));
        if slots.len() > MOST_SLOTS || declaration.inputs.len().max(declaration.outputs.len()) > MOST {
            return Err(PySystemError::new_err(format!("{} has too many arguments", declaration.name)));
        }
        let may_have_no_name = |kind| {
            matches!(kind, Kind::Model | Kind::Array)
                || matches!(kind, Kind::Parameter(Parameter::Frame | Parameter::Reference | Parameter::Constraints))
        };
        let positional = slots.iter().take_while(|slot| may_have_no_name(slot.kind)).count();
        let required = slots.iter().take_while(|slot| slot.is_required()).count();
        let has_no_parameters = declaration.parameters.iter().all(|&parameter| parameter == Parameter::Constraints);
        let plain = has_no_parameters.then(|| declaration.with(&Parameters::default()).or_raise());
        Ok(Self {
            declaration,
            slots,
            first_array,
            positional,
            required,
            plain: plain.transpose()?,
            results: Results::new(py, declaration)?,
        })
    }

    /// Returns the signature as `help()` shows it.
    fn signature(&self) -> String {
        let shown = self.slots.iter().enumerate().map(|(k, slot)| {
            let star = if k == self.positional { "*, " } else { "" };
            let (equals, default) = slot.default.map_or(("", ""), |default| ("=", default));
            format!("{star}{}{equals}{default}", slot.name)
        });
        format!("{}({})", self.declaration.name, shown.collect::<Vec<_>>().join(", "))
    }

    fn task(&self, function: Function) -> Task<'_> {
        Task { function, declaration: self.declaration, results: &self.results }
    }

    /// Calls the function. Methods have their own model, the first argument, and may have compiled code.
    #[inline(always)]
    fn call<'py>(
        &self,
        arguments: &Arguments<'_, 'py>,
        own: Option<Given<'_, 'py>>,
        code: Option<&PyCompiled>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut given = [None; MOST_SLOTS];
        given[0] = own;
        self.sort(arguments, &mut given)?;
        if given[..self.required].iter().any(Option::is_none) {
            return Err(self.missing(&given));
        }
        let Some(of_model) = given[0] else { return Err(self.missing(&given)) };
        let model = of_model.cast::<PyModel>().map_err(|_| wrong("model", of_model, "a dtau.Model"))?;
        let arrays = self.first_array..self.first_array + self.declaration.inputs.len();
        let others = (1..arrays.start).chain(arrays.end..self.slots.len());

        let mut call = Call { code, ..Call::new(model) };
        let mut parameters = Parameters { reference: Some(Reference::LocalWorldAligned), ..Parameters::default() };
        let (mut out, mut several) = (None, None);
        for k in others {
            let slot = &self.slots[k];
            let Some(x) = slot.seen(given[k]) else { continue };
            match slot.kind {
                Kind::Parameter(Parameter::Frame) => {
                    several = frames::several(model.get(), x)?;
                    if several.is_none() {
                        parameters.frame = Some(frames::one(model.get(), x)?);
                    }
                }
                Kind::Parameter(Parameter::Reference) => parameters.reference = Some(reference(x)?),
                Kind::Parameter(Parameter::Way) => parameters.way = Some(way(x)?),
                Kind::Parameter(Parameter::Constraints) => {
                    let constraints =
                        x.cast::<PyConstraints>().map_err(|_| wrong(slot.name, x, "a dtau.Constraints"))?;
                    call.surroundings.constraints = Some(made_for(constraints.get(), model.get())?);
                }
                Kind::Active => call.surroundings.active = Some(x),
                Kind::Desired => call.surroundings.desired = Some(x),
                Kind::Surrounding(Surrounding::Wrenches) => call.surroundings.f_ext = Some(x),
                Kind::Surrounding(Surrounding::Gravity) => call.surroundings.gravity = Some(x),
                Kind::Surrounding(Surrounding::Damping) => call.surroundings.damping = switch(slot.name, x)?,
                Kind::Surrounding(Surrounding::Friction) => call.surroundings.friction = switch(slot.name, x)?,
                Kind::Surrounding(Surrounding::Armature) => call.surroundings.armature = switch(slot.name, x)?,
                Kind::Threads => call.threads = threads(x)?,
                Kind::Workspace => {
                    let workspace = x.cast::<PyWorkspace>().map_err(|_| wrong(slot.name, x, "a dtau.Workspace"))?;
                    call.workspace = Some(workspace);
                }
                Kind::Out => out = Some(x),
                Kind::Model | Kind::Array => {}
            }
        }

        let left_out = |k: usize| self.slots[k].seen(given[k]).is_none();
        let zeros = given[arrays.start]
            .filter(|_| arrays.clone().any(left_out))
            .map(|q| zeros_like_velocity(&model.get().model, q));
        let zero = PyFloat::new(of_model.py(), 0.0).into_any();
        let mut x = [of_model; MOST]; // placeholder for unused entries
        for (x, k) in x.iter_mut().zip(arrays.clone()) {
            *x = match (&zeros, given[k]) {
                (Some(_), _) if left_out(k) && self.declaration.inputs[k - arrays.start].size == Size::Fixed(1) => {
                    zero.as_borrowed()
                }
                (Some(zeros), _) if left_out(k) => zeros.as_borrowed(),
                (_, Some(given)) => given,
                _ => return Err(self.missing(&given)),
            };
        }
        let x = &x[..arrays.len()];
        match (self.plain, several) {
            (Some(function), _) => call.give(self.task(function), x, out),
            (None, None) => call.give(self.task(self.declaration.with(&parameters).or_raise()?), x, out),
            (None, Some(frames)) => self.of_frames(&call, &parameters, &frames, x, out),
        }
    }

    /// Calls the function for each frame, and joins the results.
    fn of_frames<'py>(
        &self,
        call: &Call<'_, 'py>,
        parameters: &Parameters,
        frames: &[FrameId],
        x: &[Given<'_, 'py>],
        out: Option<Given<'_, 'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let each = frames.iter().map(|&frame| {
            let function = self.declaration.with(&Parameters { frame: Some(frame), ..*parameters }).or_raise()?;
            call.give(self.task(function), x, None)
        });
        let each = each.collect::<PyResult<Vec<_>>>()?;
        let into = self.results.split(out.as_deref())?;
        let fields = frames::fields(&each, self.results.count())?;
        let stacked = Few::new(fields.count(), |k| {
            let arg = &self.declaration.outputs[k];
            let name = OutName(self.results.have_names().then_some(python_name(arg.name)));
            let own = Shape::new(arg.size, &call.model.get().model, call.surroundings.rows()).dimensions();
            frames::stack(name, &fields[k], own, into.as_ref().map(|into| into[k]))
        })?;
        out.map_or_else(|| self.results.give(call.model.py(), stacked), |out| Ok(out.to_owned()))
    }

    /// Sorts the arguments in the order of the slots.
    #[inline(always)]
    fn sort<'a, 'py>(&self, arguments: &Arguments<'a, 'py>, given: &mut Sorted<'a, 'py>) -> PyResult<()> {
        let (name, positional) = (self.declaration.name, arguments.positional());
        let first = usize::from(given[0].is_some()); // 1 if the model is already known
        if first + positional > self.positional {
            let most = self.positional - first;
            let message = format!("{name}() takes {most} positional arguments but {positional} were given");
            return Err(PyTypeError::new_err(message));
        }
        for (k, slot) in given[first..].iter_mut().take(positional).enumerate() {
            *slot = Some(arguments.get(k));
        }
        for (k, key) in arguments.names().enumerate() {
            let key = &*key;
            let Some(at) = self.find(key).filter(|&at| at >= first) else {
                let message = format!("{name}() got an unexpected keyword argument '{key}'");
                return Err(PyTypeError::new_err(message));
            };
            if given[at].is_some() {
                return Err(PyTypeError::new_err(format!("{name}() got multiple values for argument '{key}'")));
            }
            given[at] = Some(arguments.get(positional + k));
        }
        Ok(())
    }

    /// Finds the argument of this name. Usually the name is the same object.
    #[inline]
    fn find(&self, key: &Bound<'_, PyAny>) -> Option<usize> {
        // Searches from the end, because keyword arguments are usually last.
        let same = self.slots.iter().rposition(|slot| slot.interned.as_ptr() == key.as_ptr());
        same.or_else(|| self.slots.iter().position(|slot| key.eq(slot.name).unwrap_or(false)))
    }

    #[cold]
    fn missing(&self, given: &Sorted<'_, '_>) -> PyErr {
        let missing = self.slots.iter().zip(given).filter(|(slot, given)| slot.is_required() && given.is_none());
        let missing: Vec<String> = missing.map(|(slot, _)| format!("'{}'", slot.name)).collect();
        let (name, count, s) = (self.declaration.name, missing.len(), if missing.len() == 1 { "" } else { "s" });
        let missing = missing.join(", ");
        PyTypeError::new_err(format!("{name}() missing {count} required argument{s}: {missing}"))
    }
}

/// Returns the constraints if they were made for this model. Constraints of other models are refused.
#[inline]
fn made_for<'a>(constraints: &'a PyConstraints, model: &PyModel) -> PyResult<&'a PyConstraints> {
    if std::ptr::eq(constraints.set.model().tree(), model.model.tree()) {
        return Ok(constraints);
    }
    let (theirs, ours) = (constraints.set.model().name(), model.model.name());
    Err(PyValueError::new_err(format!(
        "`constraints` were made for another model, \"{theirs}\", not for this \"{ours}\"; call with constraints.model, or take \
         them to this one with constraints.on(model)"
    )))
}

fn reference(given: Given<'_, '_>) -> PyResult<Reference> {
    let all = [
        ("local", Reference::Local),
        ("world", Reference::World),
        ("local_world_aligned", Reference::LocalWorldAligned),
    ];
    word("reference", given, &all)
}

fn way(given: Given<'_, '_>) -> PyResult<FdWay> {
    let all = [("dense", FdWay::Dense), ("aza", FdWay::Aza), ("ltdl", FdWay::Ltdl), ("response", FdWay::Response)];
    word("way", given, &all)
}

/// Reads one of several words.
fn word<T: Copy>(name: &str, given: Given<'_, '_>, all: &[(&str, T)]) -> PyResult<T> {
    let word = given.cast::<PyString>().map_err(|_| wrong(name, given, "a string"))?;
    let word = word.to_cow()?;
    all.iter().find(|(known, _)| *known == word).map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|(known, _)| format!("{known:?}")).collect();
        let (last, others) = known.split_last().expect("there are some");
        let others = others.join(", ");
        PyValueError::new_err(format!("`{name}` is {word:?}; it must be {others} or {last}"))
    })
}

fn switch(name: &str, given: Given<'_, '_>) -> PyResult<bool> {
    given.extract().map_err(|_| wrong(name, given, "True or False"))
}

#[cold]
fn wrong(name: &str, given: Borrowed<'_, '_, PyAny>, want: &str) -> PyErr {
    PyTypeError::new_err(format!("`{name}` is {}; it must be {want}", describe(&given)))
}
