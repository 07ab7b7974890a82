//! State files: `{"q": […], "v": […], "a": […], "tau": […], "wrenches": […]}`, or a list of those.

use crate::failure::{Failure, say};
use crate::quantity::{Name, Part};
use dtau::model::{Model, Root};
use dtau::{Axes, Point, Wrench};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::path::Path;

/// The states of a file, fit for a model.
pub struct States {
    pub list: Vec<State>,
    /// Whether the file is a list.
    pub is_list: bool,
}

/// A state, fit for a model.
pub struct State {
    pub q: Vec<f64>,
    pub v: Option<Vec<f64>>,
    pub a: Option<Vec<f64>>,
    pub tau: Option<Vec<f64>>,
    pub wrenches: Vec<Wrench<f64>>,
}

impl State {
    /// A part that [`read`] has made sure of.
    pub fn part(&self, part: Part) -> &[f64] {
        self.given(part).unwrap_or_default()
    }

    fn given(&self, part: Part) -> Option<&[f64]> {
        match part {
            Part::V => self.v.as_deref(),
            Part::A => self.a.as_deref(),
            Part::Tau => self.tau.as_deref(),
        }
    }
}

/// Reads a file (`-` is standard input) and checks that its states fit the model and have what `asked` needs.
pub fn read(path: &Path, model: &Model, asked: &[Name]) -> Result<States, Failure> {
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
        let state = record.fit(model, asked, k, &mut settled);
        list.push(state.map_err(|message| in_file(place(is_list, k) + &message))?);
    }
    settled.report(&file);
    Ok(States { list, is_list })
}

/// Where a message belongs: `state 3: `, if the file is a list.
pub fn place(is_list: bool, k: usize) -> String {
    if is_list { format!("state {k}: ") } else { String::new() }
}

/// More than this is not read.
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
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        format!("line {line}: the text is not UTF-8; a state file is JSON")
    })
}

/// A mistake in the text.
struct Misread {
    line: usize,
    column: usize,
    message: String,
}

/// One state, or a list of them, and whether it is a list.
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

/// A JSON object; serde would also take a list for a struct, its members by position.
struct Object<T>(T);

/// What is in an [`Object`].
trait Described: DeserializeOwned {
    /// For messages: "expected …".
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

/// A state as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    q: Vec<f64>,
    v: Option<Vec<f64>>,
    a: Option<Vec<f64>>,
    tau: Option<Vec<f64>>,
    #[serde(default)]
    wrenches: Vec<Object<WrenchRecord>>,
}

impl Described for Record {
    const WHAT: &'static str = r#"a state, {"q": [...], ...}, or a list of states"#;
}

/// A wrench as it stands in a file.
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
    fn fit(mut self, model: &Model, asked: &[Name], k: usize, settled: &mut Settled) -> Result<State, String> {
        check_length(model, "q", self.q.len(), model.nq(), 7)?;
        for touched in model.settle(&mut self.q).map_err(|error| error.to_string())? {
            settled.0.entry(touched.into()).or_default().push(k);
        }
        let wrenches: Result<_, String> = self.wrenches.into_iter().map(|wrench| wrench.0.fit(model)).collect();
        let state = State { q: self.q, v: self.v, a: self.a, tau: self.tau, wrenches: wrenches? };
        for part in [Part::V, Part::A, Part::Tau] {
            if let Some(numbers) = state.given(part) {
                check_length(model, part.key(), numbers.len(), model.nv(), 6)?;
            } else if let Some(name) = asked.iter().find(|name| name.needs().contains(&part)) {
                let (name, key) = (name.text(), part.key());
                return Err(format!(
                    "{name} needs `{key}`, which the state does not have; it takes {} numbers",
                    model.nv()
                ));
            }
        }
        Ok(state)
    }
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

/// `of_root` is how many more numbers a floating root takes.
fn check_length(model: &Model, key: &str, got: usize, want: usize, of_root: usize) -> Result<(), String> {
    if got == want {
        return Ok(());
    }
    let hint = match model.options().root {
        Root::Fixed if got == want + of_root => "; with --root floating it would fit",
        Root::Floating if got + of_root == want => "; with --root fixed it would fit",
        _ => "",
    };
    let size = if key == "q" { "nq" } else { "nv" };
    Err(format!("`{key}` has {got} numbers, but \"{}\" needs {size} = {want}{hint}", model.name()))
}

/// Quaternions that were made exactly unit: the states, by joint.
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
