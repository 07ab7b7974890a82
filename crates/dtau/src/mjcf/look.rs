//! Geoms as shapes for pictures. They do not concern the dynamics: one that has no picture is noted.

use super::bodies::Reader;
use super::defaults::{Class, Defaults, Given};
use super::geom;
use super::inertia::read_shape;
use super::placement::placement;
use super::tree::Element;
use crate::error::Error;
use crate::model::description::{Role, Shape, ShapeDescription};
use crate::spatial::Transform;
use alloc::collections::BTreeMap;
use alloc::string::ToString;

/// MuJoCo's viewer shows the groups up to this one, unless it is told otherwise.
const LAST_SHOWN_GROUP: f64 = 2.0;
/// The colour of a geom that has none.
const GREY: [f32; 4] = [0.5, 0.5, 0.5, 1.0];

impl<'a> Reader<'a, '_> {
    /// Keeps a geom as a shape of a link.
    pub(super) fn read_look(&mut self, geom: Element<'a>, class: Class, around: &Transform<f64>, link: &str) {
        let given = self.defaults.of(geom, class);
        match given.and_then(|given| self.look(&given, around, link)) {
            Ok(Some(shape)) => self.robot.shapes.push(shape),
            Ok(None) | Err(_) => self.notes.unseen.add(geom.name().unwrap_or(link), geom),
        }
    }

    fn look(
        &self,
        geom: &Given<'a, '_>,
        around: &Transform<f64>,
        link: &str,
    ) -> Result<Option<ShapeDescription>, Error> {
        let kind = geom.text("type").unwrap_or("sphere");
        let (shape, at) = match kind {
            "mesh" => {
                let Some((file, at, scale)) = self.masses.meshes.look_of(geom, self.compiler) else { return Ok(None) };
                (Shape::Mesh { file, path: None, scale }, placement(geom, self.compiler)? * at)
            }
            "plane" => {
                let mut size = [0.0; 3];
                geom.numbers("size", 1, &mut size)?;
                let size = [2.0 * size[0], 2.0 * size[1]];
                (Shape::Plane { size }, placement(geom, self.compiler)?)
            }
            "hfield" | "sdf" => return Ok(None),
            _ if geom.text("mesh").is_some() => return Ok(None), // fitted to the mesh
            _ => {
                let (shape, at) = read_shape(geom, kind, self.compiler)?;
                (shape.into(), at)
            }
        };
        let collides = geom.number("contype", 1.0)? != 0.0 || geom.number("conaffinity", 1.0)? != 0.0;
        let shown = geom.number("group", 0.0)? <= LAST_SHOWN_GROUP;
        let role = match (shown, collides) {
            (true, true) => Role::Both,
            (false, true) => Role::Collision,
            (_, false) => Role::Visual,
        };
        let (link, line) = (link.to_string(), geom.element.line());
        Ok(Some(ShapeDescription { link, role, shape, origin: *around * at, color: self.color_of(geom)?, line }))
    }

    /// The colour of a geom: its own, or that of its material.
    fn color_of(&self, geom: &Given) -> Result<Option<[f32; 4]>, Error> {
        let mut rgba = GREY.map(f64::from);
        let mut found = geom.numbers("rgba", 4, &mut rgba)?;
        let material = geom.text("material").and_then(|name| self.materials.get(name));
        if let (0, Some(material)) = (found, material) {
            rgba = [1.0; 4];
            found = material.numbers("rgba", 4, &mut rgba)?;
        }
        Ok((found > 0).then(|| rgba.map(|x| x as f32)))
    }
}

/// All materials of a model, by name.
pub(super) fn materials<'a, 'b>(
    root: Element<'a>,
    defaults: &'b Defaults<'a>,
) -> Result<BTreeMap<&'a str, Given<'a, 'b>>, Error> {
    let all = root.all("asset").flat_map(|asset| asset.all("material"));
    all.filter_map(|it| Some((it.name()?, it)))
        .map(|(name, it)| Ok((name, defaults.of(it, defaults.main())?)))
        .collect()
}

impl From<geom::Shape> for Shape {
    fn from(shape: geom::Shape) -> Self {
        match shape {
            geom::Shape::Sphere { radius } => Shape::Sphere { radius },
            geom::Shape::Capsule { radius, half } => Shape::Capsule { radius, length: 2.0 * half },
            geom::Shape::Cylinder { radius, half } => Shape::Cylinder { radius, length: 2.0 * half },
            geom::Shape::Ellipsoid { half } => Shape::Ellipsoid { radii: half },
            geom::Shape::Box { half } => Shape::Box { size: half.map(|x| 2.0 * x) },
        }
    }
}
