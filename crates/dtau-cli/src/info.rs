//! `dtau info`: the structure of a robot.

use crate::args::{Format, InfoArgs, ModelArgs};
use crate::escape::line;
use crate::failure::Failure;
use crate::style::Style;
use crate::table::{Align, Cell, Table};
use crate::{json, robot};
use dtau::model::{Frame, FrameKind, JointId, JointOrder, MimicMode, Model, Options, Root};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;

pub fn run(args: &InfoArgs, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let model = robot::load(&args.robot)?;
    let mut info = Info::of(&model, &args.robot.model);
    if args.parameters {
        info.base_parameters = Some(Base::of(&model));
    }
    match args.format {
        Format::Json => json::write(out, &info)?,
        Format::Table => write_table(out, &info)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A robot, for JSON output.
#[derive(Serialize)]
struct Info<'a> {
    name: &'a str,
    nq: usize,
    nv: usize,
    bodies: usize,
    /// Total mass of the moving bodies \[kg\].
    mass: f64,
    depth: usize,
    options: OptionsInfo,
    joints: Vec<JointLine<'a>>,
    frames: Vec<FrameLine<'a>>,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    base_parameters: Option<Base>,
}

/// The inertial parameters of the links that can be identified from motion.
#[derive(Serialize)]
struct Base {
    /// Number of all parameters, ten per link.
    of: usize,
    combinations: Vec<String>,
}

impl Base {
    fn of(model: &Model) -> Self {
        let base = model.base_parameters();
        Self { of: base.count(), combinations: (0..base.len()).map(|k| base.name(k).into()).collect() }
    }
}

#[derive(Serialize)]
struct OptionsInfo {
    root: &'static str,
    order: &'static str,
    mimic: &'static str,
    allow_massless: bool,
    exact: bool,
    gravity: [f64; 3],
    damping: bool,
    friction: bool,
    armature: bool,
    friction_speed: f64,
}

/// A moving joint and the body it carries.
#[derive(Serialize)]
struct JointLine<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    parent: Option<&'a str>,
    link: &'a str,
    /// Links welded to that link.
    welded: Vec<&'a str>,
    /// Number of coordinates; 0, as `nv`, for a joint that mimics another.
    nq: usize,
    nv: usize,
    /// Index of the first of its coordinates in `q`, and of its degrees of freedom in `v`. For a joint that
    /// mimics another, those of the joint it follows.
    q: usize,
    v: usize,
    depth: usize,
    mass: f64,
    axis: Option<[f64; 3]>,
    pitch: Option<f64>,
    limits: LimitsInfo,
    damping: f64,
    friction: f64,
    armature: f64,
    mimic: Option<MimicInfo<'a>>,
}

/// Limits; `null` for unbounded ones.
#[derive(Serialize)]
struct LimitsInfo {
    lower: Option<f64>,
    upper: Option<f64>,
    velocity: Option<f64>,
    effort: Option<f64>,
}

#[derive(Serialize)]
struct MimicInfo<'a> {
    joint: &'a str,
    multiplier: f64,
    offset: f64,
}

#[derive(Serialize)]
struct FrameLine<'a> {
    name: &'a str,
    of: &'static str,
    /// The joint it moves with; `null` for the world.
    joint: Option<&'a str>,
}

impl<'a> Info<'a> {
    fn of(model: &'a Model, args: &ModelArgs) -> Self {
        let mut links: BTreeMap<JointId, Vec<&str>> = BTreeMap::new();
        for frame in model.frames().iter().filter(|frame| frame.kind == FrameKind::Link) {
            if let Some(body) = frame.body {
                links.entry(model.joint_of(body)).or_default().push(&frame.name);
            }
        }
        // Every joint carries a link, so this covers all joints, in order.
        let joints: Vec<_> = links.into_iter().map(|(joint, links)| JointLine::of(model, joint, links)).collect();
        Self {
            name: model.name(),
            nq: model.nq(),
            nv: model.nv(),
            bodies: model.body_count(),
            mass: model.mass(),
            depth: joints.iter().map(|joint| joint.depth).max().unwrap_or(0),
            options: OptionsInfo::of(model.options(), args),
            joints,
            frames: FrameLine::all(model),
            warnings: model.warnings(),
            base_parameters: None,
        }
    }
}

impl OptionsInfo {
    fn of(options: &Options, args: &ModelArgs) -> Self {
        Self {
            root: match options.root {
                Root::Fixed => "fixed",
                Root::Floating => "floating",
                Root::Joint(kind) => kind.name(),
            },
            order: match options.order {
                JointOrder::File => "file",
                JointOrder::Alphabetical => "alphabetical",
            },
            mimic: match options.mimic {
                MimicMode::Honour => "honour",
                MimicMode::Free => "free",
            },
            allow_massless: options.allow_massless,
            exact: options.exact,
            gravity: options.gravity,
            damping: !args.no_damping,
            friction: !args.no_friction,
            armature: !args.no_armature,
            friction_speed: options.friction_speed,
        }
    }
}

impl<'a> JointLine<'a> {
    /// `links` are all the links that it carries.
    fn of(model: &'a Model, joint: JointId, links: Vec<&'a str>) -> Self {
        let (joint, tree) = (model.joint_info(joint), model.tree());
        let bodies = &tree.bodies[joint.bodies.clone()];
        let dof = &tree.dofs[bodies[0].v.start];
        let follows = joint.mimic.is_some();
        let bound = |x: f64| x.is_finite().then_some(x);
        Self {
            name: &joint.name,
            kind: joint.kind.name(),
            parent: joint.parent.map(|parent| model.joint_info(parent).name.as_str()),
            link: &joint.link,
            welded: links.into_iter().filter(|name| *name != joint.link).collect(),
            nq: if follows { 0 } else { joint.q.len() },
            nv: if follows { 0 } else { joint.v.len() },
            q: joint.q.start,
            v: joint.v.start,
            depth: joint.depth,
            mass: bodies.iter().fold(0.0, |sum, body| sum + body.inertia.mass),
            axis: joint.kind.axis().map(|axis| axis.to_array()),
            pitch: joint.kind.numbers().into_iter().find(|(number, _)| number.name == "pitch").map(|(_, pitch)| pitch),
            limits: LimitsInfo {
                lower: bound(joint.limits.lower),
                upper: bound(joint.limits.upper),
                velocity: bound(joint.limits.velocity),
                effort: bound(joint.limits.effort),
            },
            damping: dof.damping,
            friction: dof.friction,
            armature: dof.armature,
            mimic: joint.mimic.as_ref().map(|mimic| MimicInfo {
                joint: &mimic.joint,
                multiplier: mimic.multiplier,
                offset: mimic.offset,
            }),
        }
    }
}

impl<'a> FrameLine<'a> {
    fn all(model: &'a Model) -> Vec<Self> {
        let line = |frame: &'a Frame| Self {
            name: &frame.name,
            of: match frame.kind {
                FrameKind::Link => "link",
                FrameKind::Joint => "joint",
                FrameKind::Custom => "custom",
            },
            joint: frame.body.map(|body| model.joint_info(model.joint_of(body)).name.as_str()),
        };
        model.frames().iter().map(line).collect()
    }
}

fn write_table(out: &mut impl Write, info: &Info) -> io::Result<()> {
    let Info { nq, nv, bodies, mass, depth, .. } = info;
    let frames = info.frames.len();
    writeln!(out, "{}", Style::Bold.paint(&line(info.name)))?;
    writeln!(out, "nq {nq}, nv {nv}, {bodies} bodies, {} kg, depth {depth}, {frames} frames", kilograms(*mass))?;
    let options = &info.options;
    let OptionsInfo { root, order, mimic, gravity: [x, y, z], .. } = options;
    let mut options_line = format!("root {root}, order {order}, mimic {mimic}, gravity {x} {y} {z} m/s²");
    for (said, text) in [
        (options.allow_massless, "massless bodies allowed"),
        (options.exact, "exact"),
        (!options.damping, "no damping"),
        (!options.friction, "no friction"),
        (!options.armature, "no armature"),
    ] {
        if said {
            options_line = options_line + ", " + text;
        }
    }
    writeln!(out, "{}", Style::Dim.paint(&options_line))?;

    writeln!(out)?;
    write_tree(out, &info.joints)?;
    if let Some(Base { of, combinations }) = &info.base_parameters {
        let count = combinations.len();
        writeln!(
            out,
            "\n{} of {of} inertial parameters that motions can tell:",
            Style::Bold.paint(&count.to_string())
        )?;
        for combination in combinations {
            writeln!(out, "  {}", line(combination))?;
        }
        let legend = "m: mass, mx my mz: first moment, Ixx … Izz: rotational inertia about the link's origin";
        writeln!(out, "{}", Style::Dim.paint(legend))?;
    }

    if !info.warnings.is_empty() {
        writeln!(out)?;
    }
    for warning in info.warnings {
        writeln!(out, "{} {}", Style::Bad.paint("warning:"), line(warning))?;
    }
    Ok(())
}

fn write_tree(out: &mut impl Write, joints: &[JointLine]) -> io::Result<()> {
    if joints.is_empty() {
        return writeln!(out, "nothing moves");
    }
    use Align::{Left, Right};
    let mut table = Table::new([Left, Left, Left, Right, Right, Right, Right, Left]);
    table.head(["joint", "type", "link", "q", "v", "mass [kg]", "depth", ""]);
    let branches = branches(&joints.iter().map(|joint| joint.depth).collect::<Vec<_>>());
    for (joint, branch) in joints.iter().zip(branches) {
        let welded = match joint.welded.len() {
            0 => String::new(),
            n => format!(" +{n}"),
        };
        let follows = joint.mimic.as_ref().map_or_else(String::new, formula);
        table.row([
            Cell::new(format!("{branch}{}", joint.name)),
            Cell::new(joint.kind),
            Cell::new(format!("{}{welded}", joint.link)),
            Cell::new(span(joint.q..joint.q + joint.nq)),
            Cell::new(span(joint.v..joint.v + joint.nv)),
            Cell::new(kilograms(joint.mass)),
            Cell::new(joint.depth.to_string()),
            Cell::new(follows).dim(),
        ]);
    }
    table.write(out)?;
    if joints.iter().any(|joint| !joint.welded.is_empty()) {
        let legend = "+n: with n links behind fixed joints, whose mass it carries";
        writeln!(out, "{}", Style::Dim.paint(legend))?;
    }
    Ok(())
}

/// The lines in front of each joint of a tree, given their depths in depth-first order: `│  ├─ `.
fn branches(depths: &[usize]) -> Vec<String> {
    /// Deeper levels are not drawn: a chain of 10,000 links would take 10,000 characters per line.
    const DRAWN: usize = 24;
    // From the last joint to the first: the levels that have a joint still to come below, before the tree
    // returns to a lower level.
    let mut to_come: Vec<bool> = Vec::new();
    let mut branches = Vec::with_capacity(depths.len());
    for &depth in depths.iter().rev() {
        to_come.resize(depth + 1, false);
        let first = depth.saturating_sub(DRAWN).max(2);
        let mut branch = String::from(if first > 2 { "⋯ " } else { "" });
        for level in first..=depth {
            branch += match (level == depth, to_come[level]) {
                (false, true) => "│  ",
                (false, false) => "   ",
                (true, true) => "├─ ",
                (true, false) => "└─ ",
            };
        }
        to_come[depth] = true;
        branches.push(branch);
    }
    branches.reverse();
    branches
}

/// Formats a range as `7` or `0–6`; empty for an empty range.
fn span(range: Range<usize>) -> String {
    match range.len() {
        0 => String::new(),
        1 => range.start.to_string(),
        _ => format!("{}–{}", range.start, range.end - 1),
    }
}

/// Formats a mimic as `= −0.5 · finger + 0.1`.
fn formula(mimic: &MimicInfo) -> String {
    let MimicInfo { joint, multiplier, offset } = mimic;
    let times = if *multiplier == 1.0 { String::new() } else { format!("{multiplier} · ") };
    let plus = match *offset {
        0.0 => String::new(),
        x if x < 0.0 => format!(" - {}", -x),
        x => format!(" + {x}"),
    };
    format!("= {times}{joint}{plus}")
}

/// Formats kilograms with three decimals, or with an exponent for very small and very large masses.
fn kilograms(mass: f64) -> String {
    if mass != 0.0 && !(0.001..1e6).contains(&mass.abs()) { format!("{mass:.1e}") } else { format!("{mass:.3}") }
}
