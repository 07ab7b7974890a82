//! Atomic writing of files: written beside their places, then renamed.

use crate::failure::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file atomically. If the program is stopped, either the old file or the new one exists.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_all(&[(path, content.as_ref())])
}

/// Writes files that belong together, all or none. If it fails, the old files are kept.
///
/// All are written beside their places first, so that most errors occur before the first file is replaced. If
/// a replacement still fails, those before it are undone.
pub fn write_all(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let (new, old): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().map(|(path, _)| (beside(path, "part"), beside(path, "old"))).unzip();
    let clean = || new.iter().chain(&old).for_each(|file| drop(std::fs::remove_file(file))); // they may not exist
    for ((path, content), new) in files.iter().zip(&new) {
        std::fs::write(new, content).map_err(|error| {
            clean();
            cannot_write(path, &error)
        })?;
    }
    for (k, (path, _)) in files.iter().enumerate() {
        // The last one need not be kept: nothing after it can fail.
        let kept = if k + 1 < files.len() && path.is_file() { std::fs::copy(path, &old[k]).map(drop) } else { Ok(()) };
        if let Err(error) = kept.and_then(|()| std::fs::rename(&new[k], path)) {
            for ((path, _), old) in files[..k].iter().zip(&old) {
                // The file is the new one. If there is no old copy, it did not exist before.
                let _ = std::fs::rename(old, path).or_else(|_| std::fs::remove_file(path));
            }
            clean();
            return Err(cannot_write(path, &error));
        }
    }
    clean();
    Ok(())
}

/// Path of a temporary file of this process beside another file.
fn beside(path: &Path, what: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.{what}", std::process::id()));
    name.into()
}

/// Checks, before long work, that a file can be written there.
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

/// Checks, before long work, that a directory exists and is writable. Creates it if needed.
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
