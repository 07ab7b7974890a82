//! Mesh files: STL (binary and text), OBJ, MSH, and vertices written in the model. Coordinates have single precision, as
//! MuJoCo's have.

use super::Mesh;
use crate::spatial::Vec3;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Reads a file of a kind: `stl`, `obj` or `msh`.
pub(super) fn read(bytes: &[u8], kind: &str) -> Result<Mesh, String> {
    let mesh = match kind {
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        "msh" => msh(bytes)?,
        other => return Err(format!("there is no reader for meshes of kind {other:?}; save it as STL or OBJ")),
    };
    check(mesh)
}

/// From the attributes `vertex` and `face`.
pub(super) fn inline(vertex: &str, face: Option<&str>) -> Result<Mesh, String> {
    let numbers: Vec<f64> = vertex.split_ascii_whitespace().map(number).collect::<Result<_, _>>()?;
    if numbers.len() % 3 != 0 {
        return Err(format!("vertex has {} numbers; they must be three for each", numbers.len()));
    }
    let points = numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let index = |word: &str| word.parse::<usize>().map_err(|_| format!("face has {word:?}, which is no index"));
    let corners: Vec<usize> = face.unwrap_or("").split_ascii_whitespace().map(index).collect::<Result<_, _>>()?;
    if corners.len() % 3 != 0 {
        return Err(format!("face has {} numbers; they must be three for each", corners.len()));
    }
    check(Mesh { points, triangles: corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect() })
}

fn check(mesh: Mesh) -> Result<Mesh, String> {
    let count = mesh.points.len();
    if count < 4 {
        return Err(format!("it has {count} points; a body needs four or more"));
    }
    if let Some(bad) = mesh.triangles.as_flattened().iter().find(|&&k| k >= count) {
        return Err(format!("a triangle has the corner {bad}; there are {count} points"));
    }
    if mesh.points.iter().any(|p| !(p.norm_squared() < 1e18)) {
        return Err("a coordinate is not finite or larger than 1e9".into());
    }
    Ok(mesh)
}

/// A coordinate, in single precision.
fn number(word: &str) -> Result<f64, String> {
    word.parse::<f32>().map(f64::from).map_err(|_| format!("{:?} is not a number", crate::xml::clip(word)))
}

/// Little-endian words of four bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]])
}

fn stl(bytes: &[u8]) -> Result<Mesh, String> {
    const HEAD: usize = 84;
    const TRIANGLE: usize = 50;
    let count = bytes.get(80..HEAD).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]) as usize);
    let binary = count.is_some_and(|count| count.checked_mul(TRIANGLE).is_some_and(|size| bytes.len() >= HEAD + size));
    if !binary && bytes.starts_with(b"solid") {
        return stl_text(bytes);
    }
    let Some(count) = count.filter(|_| binary) else {
        return Err(format!("it is no STL: {} bytes are too few for the triangles that it announces", bytes.len()));
    };
    let mut mesh = Mesh::default();
    for triangle in bytes[HEAD..HEAD + TRIANGLE * count].chunks_exact(TRIANGLE) {
        let numbers: Vec<f64> = words(&triangle[12..48]).map(|w| f64::from(f32::from_le_bytes(w))).collect();
        mesh.add(numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])));
    }
    Ok(mesh)
}

fn stl_text(bytes: &[u8]) -> Result<Mesh, String> {
    let text = core::str::from_utf8(bytes).map_err(|_| String::from("it is no STL: neither binary nor text"))?;
    let (mut mesh, mut corners) = (Mesh::default(), Vec::new());
    for line in text.lines() {
        let mut line = line.split_ascii_whitespace();
        if line.next() == Some("vertex") {
            let p: Vec<f64> = line.map(number).collect::<Result<_, _>>()?;
            let &[x, y, z] = &p[..] else { return Err("a vertex has not three coordinates".into()) };
            corners.push(Vec3::new(x, y, z));
            if corners.len() == 3 {
                mesh.add(corners.drain(..));
            }
        }
    }
    Ok(mesh)
}

fn obj(bytes: &[u8]) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
    for line in text.lines() {
        let mut line = line.split_ascii_whitespace();
        match line.next() {
            Some("v") => {
                let p: Vec<f64> = line.take(3).map(number).collect::<Result<_, _>>()?;
                let &[x, y, z] = &p[..] else { return Err("a vertex has not three coordinates".into()) };
                mesh.points.push(Vec3::new(x, y, z));
            }
            Some("f") => {
                let count = mesh.points.len();
                // 7/2/3: the vertex is the first; −1 is the latest.
                let corner = |word: &str| {
                    let index = word.split('/').next().and_then(|first| first.parse::<i64>().ok());
                    let index = index.and_then(|k| usize::try_from(if k < 0 { k + count as i64 } else { k - 1 }).ok());
                    index.ok_or_else(|| format!("a face has the corner {:?}", crate::xml::clip(word)))
                };
                let corners: Vec<usize> = line.map(corner).collect::<Result<_, _>>()?;
                for k in 2..corners.len() {
                    mesh.triangles.push([corners[0], corners[k - 1], corners[k]]);
                }
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// MuJoCo's own: four counts (points, normals, texture coordinates, triangles), then all of them.
fn msh(bytes: &[u8]) -> Result<Mesh, String> {
    let mut words = words(bytes);
    let counts: Vec<usize> = words.by_ref().take(4).map(|w| i32::from_le_bytes(w).max(0) as usize).collect();
    let &[points, normals, textures, triangles] = &counts[..] else {
        return Err("it is no MSH: it is too short".into());
    };
    let needed = 4 * (4 + 3 * points as u64 + 3 * normals as u64 + 2 * textures as u64 + 3 * triangles as u64);
    if needed != bytes.len() as u64 {
        return Err(format!("it is no MSH: it has {} bytes, and its counts make {needed}", bytes.len()));
    }
    let mut mesh = Mesh::default();
    let numbers: Vec<f64> = words.by_ref().take(3 * points).map(|w| f64::from(f32::from_le_bytes(w))).collect();
    mesh.points.extend(numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])));
    let corners: Vec<usize> = words.skip(3 * normals + 2 * textures).map(|w| u32::from_le_bytes(w) as usize).collect();
    mesh.triangles.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
    Ok(mesh)
}

impl Mesh {
    /// A triangle of its own points.
    fn add(&mut self, corners: impl Iterator<Item = Vec3<f64>>) {
        let first = self.points.len();
        self.points.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }
}
