//! State files: `{"q": […], "v": […], "a": […], "tau": […], "wrenches": […]}`, or a list of those. The names
//! are those of the functions' inputs.

use crate::args::{EvalArgs, StateArgs};
use crate::failure::{Failure, say};
use crate::names::{coordinate_names, dof_names};
use crate::product::Product;
use crate::sample::{Sample, samples};
use crate::{json, robot};
use dtau::model::{Model, Root};
use dtau::{Arg, Axes, Constraints, Counts, Declaration, Parameters, Point, Reference, Size, Wrench};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::process::ExitCode;

/// The states of a file, checked for a model.
pub struct States {
    pub list: Vec<State>,
    /// True if the file is a list.
    pub is_list: bool,
}

/// A state, checked for a model.
pub struct State {
    /// Arrays by name, as in the file; matrices are column-major.
    given: BTreeMap<&'static str, Numbers>,
    /// Configurations with quaternions of unit length.
    settled: BTreeMap<&'static str, Vec<f64>>,
    pub wrenches: Vec<Wrench<f64>>,
    /// Activity of the constraints.
    pub active: Option<Vec<f64>>,
    /// The desired motion along them: positions, velocities, accelerations.
    pub desired: Option<Vec<f64>>,
}

impl State {
    /// An input of a function; [`read`] has checked that it exists.
    pub fn read(&self, arg: &Arg) -> &[f64] {
        if let (Size::Nq, Some(settled)) = (arg.size, self.settled.get(arg.name)) {
            return settled;
        }
        self.given.get(arg.name).map_or(&[], |numbers| &numbers.entries)
    }

    /// The caller's k for a function, and true if its one column was given as a vector.
    pub fn columns(&self, function: &Declaration) -> (usize, bool) {
        let of_columns = function.inputs.iter().filter(|arg| arg.size == Size::Columns);
        let given = of_columns.filter_map(|arg| self.given.get(arg.name)).next();
        given.map_or((1, false), |numbers| (numbers.columns.unwrap_or(1), numbers.columns.is_none()))
    }
}

/// Every array that some function reads.
fn arrays() -> impl Iterator<Item = &'static Arg> {
    dtau::functions().iter().flat_map(|function| function.inputs)
}

/// The states of `dtau eval --state`.
pub fn given(
    args: &EvalArgs,
    model: &Model,
    held: Option<&Constraints>,
    asked: &[&'static Declaration],
) -> Result<States, Failure> {
    let robot = args.robot.name.to_string_lossy();
    let path = args.state.as_deref().ok_or_else(|| {
        Failure::Input(format!(
            "--state is missing: give a file, or neutral, or random; `dtau state {robot} > state.json` writes a file"
        ))
    })?;
    let is_random = path.as_os_str() == "random";
    if !is_random && path.as_os_str() != "neutral" {
        return read(path, model, held, asked);
    }
    let mut scene = args.robot.model.scene(model);
    scene.constraints = held;
    let samples = if is_random { samples(scene, 2, SEED)? } else { vec![neutral(model); 2] };
    let mut record = Record::default();
    for function in asked {
        let parameters = Parameters { frame: model.frame_ids().next(), reference: Some(Reference::Local), way: None };
        let inputs = Product::named(function.name, parameters);
        for (arg, mut entries) in function.inputs.iter().zip(inputs.inputs(&scene, &samples, 0)) {
            if arg.name == "target" {
                entries.splice(3.., [0.0, 0.0, 0.0, 1.0]);
            }
            record.arrays.insert(arg.name, Numbers { entries, columns: None });
        }
    }
    let state = record.fit(model, held, asked, 0, &mut Settled::default()).map_err(Failure::Input)?;
    Ok(States { list: vec![state], is_list: false })
}

/// The seed of `--state random`.
const SEED: u64 = 1;

/// At rest, without torques.
fn neutral(model: &Model) -> Sample {
    let zero = || vec![0.0; model.nv()];
    Sample { q: model.neutral(), v: zero(), a: zero(), tau: zero() }
}

/// `dtau state`: writes a state to edit.
pub fn template(args: &StateArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load(&args.robot)?;
    let state =
        if args.random { samples(args.robot.model.scene(&model), 2, SEED)?.swap_remove(0) } else { neutral(&model) };
    let comment = Comment { q: coordinate_names(&model), rates: dof_names(&model) };
    let Sample { q, v, a, tau } = state;
    json::write(out, &Template { comment, q, v, a, tau })?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Template {
    comment: Comment,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

#[derive(Serialize)]
struct Comment {
    q: Vec<String>,
    #[serde(rename = "v, a, tau")]
    rates: Vec<String>,
}

/// Reads a file (`-` is standard input). Checks that its states fit the model and contain what `asked` needs.
fn read(
    path: &Path,
    model: &Model,
    held: Option<&Constraints>,
    asked: &[&'static Declaration],
) -> Result<States, Failure> {
    let from_stdin = path.as_os_str() == "-";
    let file = if from_stdin { "standard input".into() } else { path.display().to_string() };
    let in_file = |message: String| Failure::Input(format!("{file}: {message}"));

    let text = if from_stdin { read_text(io::stdin().lock()) } else { open(path).and_then(read_text) };
    let text = text.map_err(in_file)?;
    let (records, is_list) = parse(&text)
        .map_err(|Misread { line, column, message }| Failure::Input(format!("{file}:{line}:{column}: {message}")))?;
    let mut settled = Settled::default();
    let mut list = Vec::with_capacity(records.len());
    for (k, record) in records.into_iter().enumerate() {
        let state = record.fit(model, held, asked, k, &mut settled);
        list.push(state.map_err(|message| in_file(place(is_list, k) + &message))?);
    }
    settled.report(&file);
    Ok(States { list, is_list })
}

/// Prefix of a message: `state 3: `, if the file is a list.
pub fn place(is_list: bool, k: usize) -> String {
    if is_list { format!("state {k}: ") } else { String::new() }
}

/// Most bytes that are read.
const LONGEST: u64 = 256 << 20;

fn open(path: &Path) -> Result<File, String> {
    if path.is_dir() {
        return Err("is a directory; give a JSON file".into());
    }
    File::open(path).map_err(|error| format!("cannot be read: {error}"))
}

fn read_text(source: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let length =
        source.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if length as u64 > LONGEST {
        return Err("is longer than 256 MiB; split it".into());
    }
    // A number of two characters becomes one of eight bytes, in a list whose capacity may double while it
    // grows; wrenches take less.
    if Vec::<u8>::new().try_reserve_exact(length.saturating_mul(32)).is_err() {
        return Err("there is no memory to read it; split it".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        format!("line {line}: the text is not UTF-8; a state file is JSON")
    })
}

/// An error in the text.
struct Misread {
    line: usize,
    column: usize,
    message: String,
}

/// Parses one state or a list of them; true if it is a list.
fn parse(text: &str) -> Result<(Vec<Record>, bool), Misread> {
    let is_list = text.trim_start().starts_with('[');
    let objects: Vec<Object<Record>> = if is_list { from_json(text)? } else { vec![from_json(text)?] };
    Ok((objects.into_iter().map(|object| object.0).collect(), is_list))
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Misread> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        let after = text.lines().nth(line.saturating_sub(1)).and_then(|line| line.get(column.saturating_sub(1)..));
        let hint = match after {
            _ if text.trim().is_empty() => "; the file is empty",
            Some(after) if ["NaN", "Inf", "inf", "nan", "-"].iter().any(|word| after.starts_with(word)) => {
                "; NaN and Infinity are no numbers"
            }
            _ => "",
        };
        Misread { line, column, message: format!("{message}{hint}") }
    })
}

/// A JSON object. Without it, serde would also accept a list for a struct, its members by position.
struct Object<T>(T);

/// Contents of an [`Object`].
trait Described: DeserializeOwned {
    /// Description for messages: "expected …".
    const WHAT: &'static str;
}

impl<'de, T: Described> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Described> Visitor<'de> for Members<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(T::WHAT)
            }
            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members)).map(Object)
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

/// A state as in the file.
#[derive(Default)]
struct Record {
    arrays: BTreeMap<&'static str, Numbers>,
    wrenches: Vec<Object<WrenchRecord>>,
    active: Option<Vec<f64>>,
    desired: Option<Object<DesiredRecord>>,
}

impl Described for Record {
    const WHAT: &'static str = r#"a state, {"q": [...], ...}, or a list of states"#;
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(Record::WHAT)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Record, A::Error> {
                let (mut record, mut has_wrenches) = (Record::default(), false);
                while let Some(key) = members.next_key::<String>()? {
                    let twice = if key == "comment" {
                        members.next_value::<IgnoredAny>()?;
                        false
                    } else if key == "active" {
                        record.active.replace(members.next_value()?).is_some()
                    } else if key == "desired" {
                        record.desired.replace(members.next_value()?).is_some()
                    } else if key == "wrenches" {
                        record.wrenches = members.next_value()?;
                        std::mem::replace(&mut has_wrenches, true)
                    } else if let Some(arg) = arrays().find(|arg| arg.name == key) {
                        record.arrays.insert(arg.name, members.next_value()?).is_some()
                    } else {
                        return Err(unknown(&key));
                    };
                    if twice {
                        return Err(A::Error::custom(format!("duplicate field `{key}`")));
                    }
                }
                Ok(record)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

fn unknown<E: serde::de::Error>(key: &str) -> E {
    let mut names: Vec<&str> = Vec::new();
    for name in arrays().map(|arg| arg.name).chain(["wrenches", "active", "desired"]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    E::custom(format!("unknown field `{key}`; there are `{}`", names.join("`, `")))
}

/// A list of numbers, or of rows.
#[derive(Default)]
struct Numbers {
    /// The entries; of a matrix, column-major.
    entries: Vec<f64>,
    /// Number of columns; `None` for a list of numbers.
    columns: Option<usize>,
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Numbers;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of numbers, or of rows of numbers")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Numbers, E> {
                Ok(Numbers { entries: vec![number], columns: None })
            }
            fn visit_i64<E>(self, number: i64) -> Result<Numbers, E> {
                Ok(Numbers { entries: vec![number as f64], columns: None })
            }
            fn visit_u64<E>(self, number: u64) -> Result<Numbers, E> {
                Ok(Numbers { entries: vec![number as f64], columns: None })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Numbers, A::Error> {
                let (mut entries, mut rows) = (Vec::new(), Vec::<Vec<f64>>::new());
                while let Some(item) = items.next_element()? {
                    match item {
                        Item::Number(number) => entries.push(number),
                        Item::Row(row) => rows.push(row),
                    }
                }
                if rows.is_empty() {
                    return Ok(Numbers { entries, columns: None });
                }
                let columns = rows[0].len();
                if !entries.is_empty() || rows.iter().any(|row| row.len() != columns) {
                    return Err(A::Error::custom("the rows of a matrix are lists of equal length"));
                }
                entries.extend((0..columns).flat_map(|j| rows.iter().map(move |row| row[j])));
                Ok(Numbers { entries, columns: Some(columns) })
            }
        }
        deserializer.deserialize_any(List) // a single number stands for itself
    }
}

/// A number, or a row of them.
enum Item {
    Number(f64),
    Row(Vec<f64>),
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Item, E> {
                Ok(Item::Number(number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Item, E> {
                Ok(Item::Number(number as f64))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Item, E> {
                Ok(Item::Number(number as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Item, A::Error> {
                let mut row = Vec::new();
                while let Some(number) = numbers.next_element()? {
                    row.push(number);
                }
                Ok(Item::Row(row))
            }
        }
        deserializer.deserialize_any(One)
    }
}

/// A wrench as in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrenchRecord {
    frame: String,
    axes: AxesRecord,
    #[serde(default)]
    at: PointRecord,
    force: Triple,
    torque: Triple,
}

impl Described for WrenchRecord {
    const WHAT: &'static str = r#"a wrench, {"frame": ..., "axes": "world", "force": [...], "torque": [...]}"#;
}

/// A desired motion as in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct DesiredRecord {
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Described for DesiredRecord {
    const WHAT: &'static str = r#"a motion, {"position": [...], "velocity": [...], "acceleration": [...]}"#;
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AxesRecord {
    Frame,
    World,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PointRecord {
    #[default]
    Origin,
    InFrame(Triple),
    InWorld(Triple),
}

/// Three numbers.
#[derive(Deserialize)]
#[serde(try_from = "Vec<f64>")]
struct Triple([f64; 3]);

impl TryFrom<Vec<f64>> for Triple {
    type Error = String;
    fn try_from(numbers: Vec<f64>) -> Result<Self, String> {
        let count = numbers.len();
        numbers.try_into().map(Self).map_err(|_| format!("a vector has 3 numbers, not {count}"))
    }
}

impl Record {
    fn fit(
        self,
        model: &Model,
        held: Option<&Constraints>,
        asked: &[&'static Declaration],
        k: usize,
        settled: &mut Settled,
    ) -> Result<State, String> {
        for function in asked {
            let counts = Counts { columns: 1, rows: held.map_or(0, Constraints::rows) };
            let missing = function.inputs.iter().filter(|arg| !self.arrays.contains_key(arg.name));
            let named = |arg: &Arg| format!("`{}` ({} numbers)", arg.name, arg.size.of(model, counts));
            let missing = missing.map(named).collect::<Vec<_>>().join(" and ");
            if !missing.is_empty() {
                return Err(format!("{} needs {missing}, which the state does not have", function.name));
            }
        }
        let read = || asked.iter().flat_map(|function| function.inputs);
        let mut configurations = BTreeMap::new();
        for (&name, numbers) in &self.arrays {
            let asked: Vec<&Arg> = read().filter(|arg| arg.name == name).collect();
            let all = if asked.is_empty() { arrays().filter(|arg| arg.name == name).collect() } else { asked };
            check_length(model, held, all[0], numbers)?;
            // Inputs of `normalise` alone may have quaternions of any length.
            if all.iter().any(|arg| arg.size == Size::Nq) {
                let mut q = numbers.entries.clone();
                for touched in model.settle(&mut q).map_err(|error| error.to_string())? {
                    settled.0.entry(touched.into()).or_default().push(k);
                }
                configurations.insert(name, q);
            }
        }
        let wrenches: Result<_, String> = self.wrenches.into_iter().map(|wrench| wrench.0.fit(model)).collect();
        let (active, desired) = of_constraints(held, self.active, self.desired)?;
        Ok(State { given: self.arrays, settled: configurations, wrenches: wrenches?, active, desired })
    }
}

/// Activity of the constraints and their desired motion, with checked sizes.
type OfConstraints = (Option<Vec<f64>>, Option<Vec<f64>>);

fn of_constraints(
    held: Option<&Constraints>,
    active: Option<Vec<f64>>,
    desired: Option<Object<DesiredRecord>>,
) -> Result<OfConstraints, String> {
    let Some(held) = held else {
        return if active.is_none() && desired.is_none() {
            Ok((None, None))
        } else {
            Err("`active` and `desired` are of constraints; give a file that has them: --constraints FILE".into())
        };
    };
    if let Some(given) = active.as_ref().filter(|active| active.len() != held.len()) {
        return Err(format!("`active` has {} numbers, but there are {} constraints", given.len(), held.len()));
    }
    let Some(Object(DesiredRecord { position, velocity, acceleration })) = desired else { return Ok((active, None)) };
    let mut numbers = Vec::new();
    for (name, part) in [("position", position), ("velocity", velocity), ("acceleration", acceleration)] {
        match part.len() {
            0 => numbers.extend(vec![0.0; held.rows()]),
            n if n == held.rows() => numbers.extend(part),
            n => {
                return Err(format!(
                    "`desired`: `{name}` has {n} numbers, but the constraints have {} rows",
                    held.rows()
                ));
            }
        }
    }
    Ok((active, Some(numbers)))
}

impl WrenchRecord {
    fn fit(self, model: &Model) -> Result<Wrench<f64>, String> {
        Ok(Wrench {
            frame: model.frame(&self.frame).map_err(|error| format!("wrenches: {error}"))?,
            axes: match self.axes {
                AxesRecord::Frame => Axes::Frame,
                AxesRecord::World => Axes::World,
            },
            at: match self.at {
                PointRecord::Origin => Point::Origin,
                PointRecord::InFrame(point) => Point::InFrame(point.0),
                PointRecord::InWorld(point) => Point::InWorld(point.0),
            },
            force: self.force.0,
            torque: self.torque.0,
        })
    }
}

/// Checks that a function accepts this many numbers.
fn check_length(model: &Model, held: Option<&Constraints>, arg: &Arg, given: &Numbers) -> Result<(), String> {
    let columns = given.columns.unwrap_or(1);
    let counts = Counts { columns, rows: held.map_or(0, Constraints::rows) };
    let (key, got, want) = (arg.name, given.entries.len(), arg.size.of(model, counts));
    if given.columns.is_some() && arg.size != Size::Columns {
        return Err(format!("`{key}` is a list of numbers, not of rows"));
    }
    if got == want {
        return Ok(());
    }
    let (size, of_root) = match arg.size {
        Size::Nq | Size::Coordinates => ("nq", 7),
        Size::Columns => ("nv × k", 6 * columns),
        Size::Fixed(_) => return Err(format!("`{key}` has {got} numbers; it takes {want}")),
        Size::Rows => return Err(format!("`{key}` has {got} numbers, but the constraints have {want} rows")),
        _ => ("nv", 6),
    };
    let hint = match model.options().root {
        Root::Fixed if got == want + of_root => "; with --root floating it would fit",
        Root::Floating if got + of_root == want => "; with --root fixed it would fit",
        _ => "",
    };
    Err(format!("`{key}` has {got} numbers, but \"{}\" needs {size} = {want}{hint}", model.name()))
}

/// Quaternions that were normalised: the states, by joint.
#[derive(Default)]
struct Settled(BTreeMap<String, Vec<usize>>);

impl Settled {
    fn report(&self, file: &str) {
        for (joint, states) in &self.0 {
            let states = match states[..] {
                [only] => format!("in state {only}"),
                [first, ..] => format!("in {} states, the first is state {first}", states.len()),
                [] => continue,
            };
            say(
                "note",
                &format!("{file}: joint \"{joint}\": a quaternion a little off unit length was normalised, {states}"),
            );
        }
    }
}
