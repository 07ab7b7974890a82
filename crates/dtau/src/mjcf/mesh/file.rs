//! Mesh files: STL (binary and text), OBJ, MSH, and vertices written in the model. Coordinates have single
//! precision, as in MuJoCo.

use super::Mesh;
use crate::spatial::Vec3;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Reads a file of a format: `stl`, `obj` or `msh`.
pub(super) fn read(bytes: &[u8], kind: &str) -> Result<Mesh, String> {
    let mesh = match kind {
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        "msh" => msh(bytes)?,
        other => return Err(format!("there is no reader for meshes of kind {other:?}; save it as STL or OBJ")),
    };
    check(mesh)
}

/// Reads a mesh from the attributes `vertex` and `face`.
pub(super) fn inline(vertex: &str, face: Option<&str>) -> Result<Mesh, String> {
    let numbers: Vec<f64> = vertex.split_ascii_whitespace().map(number).collect::<Result<_, _>>()?;
    if !numbers.len().is_multiple_of(3) {
        return Err(format!("vertex has {} numbers; they must be three for each", numbers.len()));
    }
    let points = numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let index = |word: &str| word.parse::<usize>().map_err(|_| format!("face has {word:?}, which is no index"));
    let corners: Vec<usize> = face.unwrap_or("").split_ascii_whitespace().map(index).collect::<Result<_, _>>()?;
    if !corners.len().is_multiple_of(3) {
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
    if !mesh.points.iter().all(|p| p.norm_squared() < 1e18) {
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
                // In 7/2/3 the first number is the vertex; −1 is the latest vertex.
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

/// Reads MuJoCo's own format: four counts (points, normals, texture coordinates, triangles), then all of them.
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
    /// Adds a triangle with its own points.
    fn add(&mut self, corners: impl Iterator<Item = Vec3<f64>>) {
        let first = self.points.len();
        self.points.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A tetrahedron in every format.
    fn tetrahedron() -> [(Vec<u8>, &'static str); 4] {
        let points = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0_u32, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let (mut binary, mut text) = (alloc::vec![0_u8; 80], String::from("solid t\n"));
        binary.extend(4_u32.to_le_bytes());
        for face in faces {
            binary.extend([0; 12]);
            text.push_str("facet normal 0 0 0\nouter loop\n");
            for corner in face.map(|k| points[k as usize]) {
                binary.extend(corner.iter().flat_map(|x| x.to_le_bytes()));
                text.push_str(&format!("vertex {} {} {}\n", corner[0], corner[1], corner[2]));
            }
            binary.extend([0; 2]);
            text.push_str("endloop\nendfacet\n");
        }
        let mut obj = String::from("# a tetrahedron\n");
        points.iter().for_each(|p| obj.push_str(&format!("v {} {} {}\n", p[0], p[1], p[2])));
        faces.iter().for_each(|f| obj.push_str(&format!("f {}/1/1 {} {}\n", f[0] + 1, f[1] + 1, i64::from(f[2]) - 4)));
        let mut msh: Vec<u8> = [4_i32, 0, 0, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        msh.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        msh.extend(faces.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        [(binary, "stl"), (text.into_bytes(), "stl"), (obj.into_bytes(), "obj"), (msh, "msh")]
    }

    #[test]
    fn every_format_has_the_same_volume() {
        for (bytes, kind) in tetrahedron() {
            let mesh = read(&bytes, kind).unwrap();
            for way in ["legacy", "exact", "convex"] {
                let part = mesh.part(way, false).unwrap();
                assert!((part.amount - 1.0 / 6.0).abs() < 1e-15, "{kind} {way}: {part:?}");
                assert!((part.com - Vec3::new(0.25, 0.25, 0.25)).norm_squared() < 1e-30, "{kind} {way}: {part:?}");
            }
            let part = mesh.part("shell", false).unwrap();
            assert!((part.amount - (1.5 + libm::sqrt(3.0) / 2.0)).abs() < 1e-15, "{kind}: {part:?}");
        }
    }

    #[test]
    fn damaged_files_are_refused_or_read() {
        let random = &mut Random::seeded(1);
        for round in 0..4000 {
            let (mut bytes, kind) = tetrahedron()[round % 4].clone();
            for _ in 0..1 + round % 3 {
                let at = (random.within(0.0, 1.0) * bytes.len() as f64) as usize % bytes.len().max(1);
                match round % 5 {
                    0 => bytes.truncate(at.max(1)),
                    _ => bytes[at] = random.within(0.0, 256.0) as u8,
                }
            }
            if let Ok(mesh) = read(&bytes, kind) {
                for way in ["legacy", "exact", "shell", "convex"] {
                    let _ = mesh.part(way, false);
                }
            }
        }
    }
}
