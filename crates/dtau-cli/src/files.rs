//! Files that are whole or not there: written beside, then renamed.

use crate::failure::Failure;
use std::io;
use std::path::Path;

/// Writes a file at once; whoever stops the program finds the old one or the new one.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = Path::new(&beside);
    let result = std::fs::write(beside, content).and_then(|()| std::fs::rename(beside, path));
    result.map_err(|error| {
        let _ = std::fs::remove_file(beside);
        cannot_write(path, &error)
    })
}

/// Makes sure, before long work, that a file can be written there.
pub fn require_writable_file(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::input(format!("{}: is a directory; give a file to write", path.display())));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        let shown = directory.display();
        return Err(Failure::input(format!("{}: there is no directory \"{shown}\"", path.display())));
    }
    probe(directory).map_err(|error| cannot_write(path, &error))
}

/// Makes sure, before long work, that a directory is there and can be written into; makes it if need be.
pub fn require_writable_directory(path: &Path) -> Result<(), Failure> {
    if path.exists() && !path.is_dir() {
        return Err(Failure::input(format!("{}: is a file; give a directory to write into", path.display())));
    }
    std::fs::create_dir_all(path).and_then(|()| probe(path)).map_err(|error| cannot_write(path, &error))
}

fn probe(directory: &Path) -> io::Result<()> {
    let file = directory.join(format!(".dtau.{}.part", std::process::id()));
    std::fs::write(&file, b"")?;
    std::fs::remove_file(file)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("{} cannot be written: {error}", path.display()))
}
