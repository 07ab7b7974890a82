//! `<mesh>`: volume, centre of mass and inertia, by MuJoCo's four methods.
//!
//! Only meshes that give a body its mass are opened.

mod file;
mod hull;
mod integral;

use super::Files;
use super::defaults::{Defaults, Given};
use super::settings::Compiler;
use super::tree::Element;
use crate::error::{Error, ErrorKind};
use crate::model::names::suggest;
use crate::spatial::{Quaternion, Sym3, Transform, Vec3};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Mass properties for density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    /// Volume \[m³\], or surface \[m²\].
    pub(super) amount: f64,
    pub(super) com: Vec3<f64>,
    /// Rotational inertia about the centre of mass.
    pub(super) about: Sym3<f64>,
}

/// Points and triangles between them.
#[derive(Default)]
pub(super) struct Mesh {
    points: Vec<Vec3<f64>>,
    triangles: Vec<[usize; 3]>,
}

const MESH: [&str; 17] = [
    "name",
    "class",
    "file",
    "content_type",
    "scale",
    "refpos",
    "refquat",
    "inertia",
    "vertex",
    "face",
    "normal",
    "texcoord",
    "smoothnormal",
    "maxhullvert",
    "material",
    "builtin",
    "params",
];

/// The way round a mesh that is not read.
const OWN_INERTIA: &str = "dtau does not compute its mass; give the body an <inertial>";

/// The meshes of a model.
pub(super) struct Meshes<'a, 'b> {
    assets: BTreeMap<String, Given<'a, 'b>>,
    known: BTreeMap<String, Part>,
    files: &'b mut Files<'b>,
}

impl<'a, 'b> Meshes<'a, 'b> {
    pub(super) fn new(root: Element<'a>, defaults: &'b Defaults<'a>, files: &'b mut Files<'b>) -> Result<Self, Error> {
        let mut assets = BTreeMap::new();
        for asset in root.all("asset") {
            for element in asset.all("mesh") {
                element.only_has(&MESH)?;
                let given = defaults.of(element, defaults.main())?;
                // A mesh without a name is named after its file.
                let file = base_name(element.attribute("file").unwrap_or(""));
                let file = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
                assets.insert(element.name().unwrap_or(file).into(), given);
            }
        }
        Ok(Self { assets, known: BTreeMap::new(), files })
    }

    /// The mass properties of the mesh of a geom.
    pub(super) fn of(&mut self, geom: &Given<'a, 'b>, compiler: &Compiler) -> Result<Part, Error> {
        let Some(name) = geom.text("mesh") else {
            return Err(geom.error(r#"it has no mesh; add mesh="…""#));
        };
        if geom.text("shellinertia").is_some_and(|said| said == "true") {
            return Err(geom.error(r#"shellinertia of a mesh is written in <mesh inertia="shell">"#));
        }
        if let Some(part) = self.known.get(name) {
            return Ok(*part);
        }
        let Some(asset) = self.assets.get(name).copied() else {
            let hint = suggest(name, self.assets.keys().map(String::as_str));
            return Err(geom.error(format!("there is no mesh {name:?}; {hint}")));
        };
        let mesh = self.read(&asset, compiler)?;
        let part = mesh.part(asset.text("inertia").unwrap_or("legacy"), asset.text("maxhullvert").is_some());
        let part = part.map_err(|what| match what.strip_prefix("unsupported: ") {
            Some(what) => asset.element.unsupported(format!("{what}; {OWN_INERTIA}")),
            None => asset.error(what),
        })?;
        self.known.insert(name.into(), part);
        Ok(part)
    }

    /// The file of the mesh of a geom, from the model's folder; how it is placed; and its scale. None if the mesh has no file.
    pub(super) fn look_of(&self, geom: &Given, compiler: &Compiler) -> Option<(String, Transform<f64>, [f64; 3])> {
        let asset = self.assets.get(geom.text("mesh")?)?;
        let file = path_of(asset.element, compiler)?;
        let (reference, scale) = reference_of(asset).ok()?;
        let moved = reference.inverse();
        let p = moved.pos;
        // p' = S (R p + t): exact where S or R is a multiple of 1, as it is nearly always.
        let at = Transform::new(moved.rot, Vec3::new(p.x * scale[0], p.y * scale[1], p.z * scale[2]));
        Some((file, at, scale))
    }

    /// Reads a mesh, moves it to its reference and scales it.
    fn read(&mut self, asset: &Given<'a, 'b>, compiler: &Compiler) -> Result<Mesh, Error> {
        let element = asset.element;
        for (name, what) in [("builtin", "a mesh that MuJoCo makes itself"), ("plugin", "a mesh of a plugin")] {
            if element.attribute(name).is_some() {
                return Err(element.unsupported(format!("{what}; {OWN_INERTIA}")));
            }
        }
        if element.children().any(|child| child.tag() == "plugin") {
            return Err(element.unsupported(format!("a mesh of a plugin; {OWN_INERTIA}")));
        }
        let mut mesh = match element.attribute("vertex") {
            Some(text) => file::inline(text, element.attribute("face")).map_err(|what| element.error(what))?,
            None => self.open(element, compiler)?,
        };
        let (reference, scale) = reference_of(asset)?;
        let to_reference = reference.inverse();
        for point in &mut mesh.points {
            let p = to_reference.act_point(*point);
            *point = Vec3::new(p.x * scale[0], p.y * scale[1], p.z * scale[2]);
        }
        if scale[0] * scale[1] * scale[2] < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2)); // a mirror turns them inside out
        }
        Ok(mesh)
    }

    /// Opens a mesh's file: in the mesh folder beside the model, or else beside the file that names it.
    fn open(&mut self, element: Element<'a>, compiler: &Compiler) -> Result<Mesh, Error> {
        let Some(in_folder) = path_of(element, compiler) else {
            return Err(element.error(r#"it has no file and no vertices; add file="…""#));
        };
        let bytes = (self.files)(&in_folder).or_else(|error| {
            let beside = element.file().rfind(['/', '\\']).map(|end| join(&element.file()[..end], &in_folder));
            match beside.map(|path| (self.files)(&path)) {
                Some(Ok(bytes)) => Ok(bytes),
                _ => Err(element.error(format!("file {in_folder:?} {error}")).of_kind(ErrorKind::Io)),
            }
        })?;
        let kind = match element.attribute("content_type") {
            Some(kind) => kind.rsplit('/').next().unwrap_or(""),
            None => in_folder.rsplit_once('.').map_or("", |(_, extension)| extension),
        };
        let mesh = file::read(&bytes, &kind.to_ascii_lowercase());
        mesh.map_err(|what| element.error(format!("file {in_folder:?}: {what}")))
    }
}

/// The file of a mesh, from the model's folder; none if it has no file.
fn path_of(element: Element, compiler: &Compiler) -> Option<String> {
    let path = element.attribute("file").filter(|path| !path.is_empty())?;
    let path = if compiler.strip_path { base_name(path) } else { path };
    Some(join(&compiler.mesh_dir, path))
}

/// Placement of a mesh's reference, and its scale.
fn reference_of(asset: &Given) -> Result<(Transform<f64>, [f64; 3]), Error> {
    let element = asset.element;
    let quat = match element.attribute("refquat") {
        None => Quaternion::identity(),
        Some(_) => {
            let mut w = [0.0; 4];
            super::defaults::numbers(element, "refquat", 4, &mut w)?;
            Quaternion::from_slice(&[w[1], w[2], w[3], w[0]])
        }
    };
    if !(quat.norm_squared() > 0.0 && quat.norm_squared().is_finite()) {
        return Err(element.error("refquat is zero or too large; write w x y z of length 1"));
    }
    let mut scale = [1.0; 3];
    asset.numbers("scale", 3, &mut scale)?;
    Ok((Transform::new(quat.normalised().to_matrix(), asset.vector("refpos")?.unwrap_or_default()), scale))
}

/// The part after the last separator.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Joins a folder and a path, unless the path is absolute.
fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with('/') {
        return path.into();
    }
    format!("{}/{path}", folder.trim_end_matches(['/', '\\']))
}

impl Mesh {
    /// Computes volume (or surface), centre of mass and inertia.
    fn part(&self, way: &str, bounded_hull: bool) -> Result<Part, String> {
        let hulled = |points: &[Vec3<f64>]| match bounded_hull {
            true => Err("unsupported: maxhullvert leaves out part of its convex hull".into()),
            false => hull::of(points),
        };
        let part = match way {
            "legacy" | "exact" | "shell" | "convex" if self.triangles.is_empty() || way == "convex" => {
                let hull = Mesh { points: self.points.clone(), triangles: hulled(&self.points)? };
                if way == "shell" { integral::shell(&hull) } else { integral::exact(&hull) }
            }
            "legacy" => integral::legacy(self),
            "exact" => integral::exact(self),
            "shell" => integral::shell(self),
            other => return Err(format!("inertia={other:?}: write convex, exact, legacy or shell")),
        };
        const LEAST: f64 = 1e-15;
        match part {
            Some(part) if part.amount > LEAST => Ok(part),
            Some(part) if part.amount < -LEAST => Err("its volume is negative: its triangles are inside out".into()),
            _ => Err("it encloses nothing".into()),
        }
    }
}
