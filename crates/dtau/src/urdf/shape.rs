//! `<visual>`, `<collision>` and `<material>`: shapes for pictures.

use super::element::{Element, read_origin};
use super::notes::Notes;
use crate::error::Error;
use crate::model::description::{Role, Shape, ShapeDescription};
use crate::spatial::Vec3;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

/// The shapes so far, and the materials that they may refer to, earlier or later in the file.
#[derive(Default)]
pub(super) struct Looks<'a> {
    shapes: Vec<ShapeDescription>,
    materials: BTreeMap<&'a str, [f32; 4]>,
    /// Shapes whose material is a name.
    named: Vec<(usize, &'a str)>,
}

impl<'a> Looks<'a> {
    /// Keeps the shapes of a link. A shape that cannot be read is noted: it does not concern the dynamics.
    pub(super) fn read_link(&mut self, link: Element<'a>, notes: &mut Notes) {
        let name = link.attribute("name").unwrap_or("");
        for element in link.children().filter(|e| !e.is_foreign()) {
            let role = match element.tag() {
                "visual" => Role::Visual,
                "collision" => Role::Collision,
                _ => continue,
            };
            if let Err(error) = self.read(name, role, element) {
                notes.unreadable_shapes.add(&format!("{name:?}: {}", error.message()), element);
            }
        }
    }

    /// A colour with a name.
    pub(super) fn read_material(&mut self, material: Element<'a>) {
        if let (Some(name), Some(color)) = (material.attribute("name"), color_of(material)) {
            self.materials.insert(name, color);
        }
    }

    /// All shapes, with the colours of the materials that they name.
    pub(super) fn into_shapes(mut self) -> Vec<ShapeDescription> {
        for (shape, name) in self.named {
            self.shapes[shape].color = self.materials.get(name).copied();
        }
        self.shapes
    }

    fn read(&mut self, link: &str, role: Role, element: Element<'a>) -> Result<(), Error> {
        let Some(geometry) = element.child("geometry")? else { return Ok(()) };
        let origin = read_origin(element)?;
        let shape = read_shape(geometry)?;
        let mut color = None;
        if let Some(material) = element.child("material")? {
            color = color_of(material);
            match (color, material.attribute("name")) {
                (None, Some(name)) => self.named.push((self.shapes.len(), name)),
                _ => self.read_material(material),
            }
        }
        self.shapes.push(ShapeDescription { link: link.into(), role, shape, origin, color, line: element.line() });
        Ok(())
    }
}

fn read_shape(geometry: Element) -> Result<Shape, Error> {
    let known = ["box", "sphere", "cylinder", "capsule", "mesh"];
    let Some(it) = geometry.children().find(|e| known.contains(&e.tag())) else {
        return Err(geometry.error(format!("<geometry> has no shape; write one of {}", known.join(", "))));
    };
    let length = |name: &str| {
        let x = it.required_number(name, "0.1")?;
        if x > 0.0 { Ok(x) } else { Err(it.error(format!("{name}=\"{x}\" in <{}> must be positive", it.tag()))) }
    };
    Ok(match it.tag() {
        "box" => {
            let example = "0.1 0.2 0.3";
            it.required("size", example)?;
            let size = it.vector("size")?.unwrap_or_default().to_array();
            if size.iter().any(|&x| x <= 0.0) {
                return Err(it.error("\"size\" of a <box> must be three positive lengths"));
            }
            Shape::Box { size }
        }
        "sphere" => Shape::Sphere { radius: length("radius")? },
        "cylinder" => Shape::Cylinder { radius: length("radius")?, length: length("length")? },
        "capsule" => Shape::Capsule { radius: length("radius")?, length: length("length")? },
        _ => {
            let file = it.required("filename", "package://arm/meshes/forearm.stl")?.trim().into();
            let scale = it.vector("scale")?.unwrap_or(Vec3::new(1.0, 1.0, 1.0)).to_array();
            Shape::Mesh { file, path: None, scale }
        }
    })
}

/// The colour of a material; none if it has no readable one.
fn color_of(material: Element) -> Option<[f32; 4]> {
    let rgba = material.child("color").ok()??.attribute("rgba")?;
    let mut numbers = rgba.split_ascii_whitespace().map(|word| word.parse::<f32>());
    let mut next = || numbers.next()?.ok().filter(|x| x.is_finite());
    Some([next()?, next()?, next()?, next().unwrap_or(1.0)])
}
