//! Documentation of functions and their results: from the declarations, and from additional text for Python.

use crate::arrays::python_name;
use dtau::{Arg, Declaration, Parameter, Size, Surrounding};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// Additional text of each function, by name. The file describes its own format. Its beginning, with the
/// usual meanings of fields, is the entry with an empty name.
static REMARKS: LazyLock<HashMap<&str, Remarks>> = LazyLock::new(|| {
    let (beginning, entries) = include_str!("text/functions.txt").split_once("\n## ").unwrap_or_default();
    let usual = beginning.split_once("\n\n").map_or("", |(_, usual)| usual);
    entries.split("\n## ").map(Remarks::parse).chain([("", Remarks::of(usual))]).collect()
});

/// Additional text of a function for Python.
#[derive(Default)]
struct Remarks {
    /// Arguments that are zero if left out.
    optional: Vec<&'static str>,
    /// Name and documentation of the class of its results.
    class: (&'static str, &'static str),
    /// Meanings of the fields of its results.
    fields: HashMap<&'static str, &'static str>,
    text: &'static str,
    example: &'static str,
}

impl Remarks {
    fn parse(entry: &'static str) -> (&'static str, Self) {
        let (head, body) = entry.split_once('\n').unwrap_or((entry, ""));
        let (head, class) = head.split_once(" -> ").unwrap_or((head, ""));
        let (name, optional) = head.strip_suffix(')').and_then(|head| head.split_once('(')).unwrap_or((head, ""));
        let mut remarks = Self::of(body);
        remarks.optional = optional.split(", ").filter(|name| !name.is_empty()).collect();
        remarks.class.0 = class;
        (name, remarks)
    }

    fn of(body: &'static str) -> Self {
        let (text, example) = body.split_at(body.find(">>> ").unwrap_or(body.len()));
        let mut remarks = Self { text, example: example.trim(), ..Self::default() };
        while let Some((line, rest)) = remarks.text.split_once('\n') {
            if let Some(documentation) = line.strip_prefix(": ") {
                remarks.class.1 = documentation;
            } else if let Some(field) = line.strip_prefix('.') {
                remarks.fields.extend(field.split_once(": "));
            } else if !line.is_empty() {
                break;
            }
            remarks.text = rest;
        }
        remarks.text = remarks.text.trim();
        remarks
    }
}

/// Returns the additional text of a function. Empty if there is none.
fn remarks(name: &str) -> &'static Remarks {
    static NONE: LazyLock<Remarks> = LazyLock::new(Remarks::default);
    REMARKS.get(name).unwrap_or(&NONE)
}

/// Returns the arguments that are zero if left out.
pub(crate) fn optional(name: &str) -> &'static [&'static str] {
    &remarks(name).optional
}

/// Returns the name and documentation of the class of a function's results.
pub(crate) fn class(declaration: &Declaration) -> (&'static str, &'static str) {
    remarks(declaration.name).class
}

/// Returns the documentation of a field of a function's results: its meaning and shape.
pub(crate) fn field(declaration: &Declaration, arg: &Arg) -> String {
    let (name, shape) = (python_name(arg.name), shape(arg.size));
    let own = remarks(declaration.name).fields.get(name).or_else(|| remarks("").fields.get(name));
    own.map_or_else(|| format!("{shape}."), |meaning| format!("{meaning}, {shape}."))
}

/// Returns a function's documentation in NumPy style. `class` is the class of its results.
pub(crate) fn documentation(declaration: &Declaration, signature: &str, class: &Option<String>) -> String {
    write(declaration, signature, class).expect("texts take what is written to them")
}

fn write(declaration: &Declaration, signature: &str, class: &Option<String>) -> Result<String, std::fmt::Error> {
    let Declaration { name, documentation, parameters, inputs, outputs, surroundings, .. } = declaration;
    let Remarks { optional, text, example, .. } = remarks(name);
    let mut doc = format!("{signature}\n--\n\n{}\n", summary(documentation));
    if !text.is_empty() {
        write!(doc, "\n{text}\n")?;
    }

    title(&mut doc, "Parameters")?;
    if !signature.contains("($self") {
        writeln!(doc, "model : dtau.Model")?;
    }
    let is_constrained = parameters.contains(&Parameter::Constraints);
    if is_constrained {
        writeln!(
            doc,
            "constraints : dtau.Constraints\n    Some constraints on this model; see :class:`dtau.Constraints`."
        )?;
    }
    for arg in *inputs {
        let shape = shape(arg.size);
        let zero = if optional.contains(&arg.name) { ", optional" } else { "" };
        writeln!(doc, "{} : array of shape {}{zero}", python_name(arg.name), with_states(shape))?;
        let meaning = meaning(arg);
        if !meaning.is_empty() {
            let zero = if zero.is_empty() { "" } else { " Zero if left out." };
            writeln!(doc, "    {meaning}{zero}")?;
        }
    }
    for parameter in *parameters {
        doc += match parameter {
            Parameter::Frame => {
                "frame : str, dtau.Frame, dtau.Joint, or a list of such\n    The frame; \"link:NAME\" and \"joint:NAME\" where both \
                 have one name. Of a list, results have an axis of its length before their own.\n"
            }
            Parameter::Reference => {
                "reference : \"local\", \"world\" or \"local_world_aligned\"\n    Axes and point of the motion: the \
                 frame's; the world's; the world's axes at the frame's origin.\n"
            }
            Parameter::Way | Parameter::Constraints => "",
        };
    }

    title(&mut doc, "Returns")?;
    match (class, outputs) {
        (None, [arg, ..]) => writeln!(doc, "array of shape {}", with_states(shape(arg.size)))?,
        (class, outputs) => {
            let fields = outputs.iter().map(|arg| format!("``.{}`` {}", python_name(arg.name), shape(arg.size)));
            let fields = fields.collect::<Vec<_>>().join(", ");
            let class = class.as_deref().unwrap_or("tuple");
            writeln!(doc, "dtau.{class}\n    {fields}; of many states, with their axes in front.")?;
        }
    }

    if !example.is_empty() {
        title(&mut doc, "Examples")?;
        writeln!(doc, "{example}")?;
    }

    title(&mut doc, "Keywords")?;
    if parameters.contains(&Parameter::Way) {
        doc += "way : \"dense\", \"aza\", \"ltdl\" or \"response\"\n    How; the one that should take the least time if left out.\n";
    }
    if is_constrained {
        doc += include_str!("text/constrained.txt");
    }
    for surrounding in *surroundings {
        doc += match surrounding {
            Surrounding::Wrenches => "f_ext : list of dtau.Wrench\n    External forces; see :class:`dtau.Wrench`.\n",
            Surrounding::Gravity => {
                "gravity : array_like of shape (3,)\n    Gravity in the world's axes [m/s²] for this call; the model's if \
                 left out.\n"
            }
            Surrounding::Damping => "damping : bool\n    Whether the joints' viscous damping counts.\n",
            Surrounding::Friction => "friction : bool\n    Whether the joints' smoothed Coulomb friction counts.\n",
            Surrounding::Armature => "armature : bool\n    Whether the joints' rotor inertia counts.\n",
        };
    }
    doc += include_str!("text/common.txt");
    Ok(doc)
}

fn title(doc: &mut String, title: &str) -> std::fmt::Result {
    let line = "-".repeat(title.len());
    write!(doc, "\n{title}\n{line}\n")
}

/// Returns the meaning of an argument, by its name.
fn meaning(arg: &Arg) -> &'static str {
    match (arg.name, arg.size) {
        (_, Size::Coordinates) => "Configuration [rad, m]; quaternions [x, y, z, w] of any length.",
        (_, Size::Nq) => "Configuration [rad, m]; quaternions are [x, y, z, w].",
        ("v", _) => "Velocity, in the body's axes for joints of several degrees of freedom.",
        ("a", _) => "Acceleration, in the body's axes for joints of several degrees of freedom.",
        ("tau", _) => "Torques and forces [N m, N].",
        ("w" | "w_frame" | "w_com", _) => "The weights.",
        ("target", _) => "Where the frame should be: position [m] and quaternion [x, y, z, w] of any length but zero.",
        ("dq", _) => "The direction: of the configuration, along its tangent.",
        ("dv", _) => "Of the velocity.",
        ("da", _) => "Of the acceleration.",
        ("dtau", _) => "Of the torques.",
        ("restitution", _) => "e, from 0 for none to 1 for all.",
        _ => "",
    }
}

/// Returns the shape for one state.
fn shape(size: Size) -> String {
    match size {
        Size::Nq | Size::Coordinates => "(nq,)".into(),
        Size::Nv | Size::Columns => "(nv,)".into(),
        Size::Square | Size::Symmetric => "(nv, nv)".into(),
        Size::Cube | Size::SymmetricCube => "(nv, nv, nv)".into(),
        Size::Wide(rows) => format!("({rows}, nv)"),
        Size::Frames(12) => "(frames, 3, 4)".into(),
        Size::Frames(n) => format!("(frames, {n})"),
        Size::Fixed(1) => "()".into(),
        Size::Fixed(12) => "(3, 4)".into(),
        Size::Fixed(n) => format!("({n},)"),
        Size::TenPerLink => "(10 links,)".into(),
        Size::JointPlacements => "(nv, 6 joints)".into(),
        Size::FramePlacements => "(6, 6 joints)".into(),
        Size::Rows => "(rows,)".into(),
        Size::RowsWide => "(rows, nv)".into(),
        Size::RowsTall => "(nv, rows)".into(),
        Size::RowsSquare => "(rows, rows)".into(),
        _ => "(nv, 10 links)".into(),
    }
}

/// Adds the states' axes: `(nv,) or (..., nv)`.
fn with_states(shape: String) -> String {
    let inner = shape.trim_start_matches('(').trim_end_matches([',', ')']);
    if inner.is_empty() { "() or (...)".into() } else { format!("{shape} or (..., {inner})") }
}

/// Returns the first paragraph of a Rust documentation with links converted: `` [`rnea`](crate::rnea()) ``
/// becomes `` :func:`dtau.rnea` ``.
fn summary(documentation: &str) -> String {
    let lines = documentation.lines().map(str::trim).take_while(|line| !line.is_empty());
    let paragraph = lines.collect::<Vec<_>>().join("\n").replace("\\[", "\u{1}").replace("\\]", "\u{2}");
    let mut plain = String::new();
    let mut rest = paragraph.as_str();
    while let Some((before, link)) = rest.split_once('[') {
        let Some((name, after)) = link.split_once(']') else { break };
        plain += before;
        plain += name;
        rest = match after
            .strip_prefix('(')
            .and_then(|target| target.split_once("())").or_else(|| target.split_once(')')))
        {
            Some((_, after)) => after,
            None => after,
        };
    }
    plain += rest;
    // Converts code in backticks to Python's markup.
    let mut doc = String::new();
    for (k, part) in plain.split('`').enumerate() {
        let is_function = dtau::functions().iter().any(|f| f.name == part);
        match k % 2 {
            0 => doc += part,
            _ if is_function => doc += &format!(":func:`dtau.{part}`"),
            _ => doc += &format!("``{}``", part.replace("::", ".")),
        }
    }
    doc.replace('\u{1}', "[").replace('\u{2}', "]")
}
