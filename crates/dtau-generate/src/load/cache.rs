//! Compiled libraries, kept in a folder of the user.
//!
//! ```text
//! KEY-CONTENT.so    KEY: hash of the C, the compiler, its flags and what it knows of this CPU;  CONTENT: hash of the file itself
//! ```
//!
//! A file appears complete, because it is renamed into place, and never changes. Its name contains its checksum.
//! So processes can compile the same code at the same time, and a truncated or modified file is replaced.

use super::{Build, Error};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

/// FNV-1a with 128 bits: enough to distinguish files. No secrecy is needed.
fn hash(parts: &[&[u8]]) -> u128 {
    let mut hash = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D_u128;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
        }
    };
    for part in parts {
        add(&part.len().to_le_bytes());
        add(part);
    }
    hash
}

/// Hash of all inputs of a library.
#[derive(Debug)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn of(parts: &[&str]) -> Self {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        Key(format!("{:032x}", hash(&parts)))
    }
}

#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(super) fn of(build: &Build) -> Result<Self, Error> {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = (build.cache.clone())
            .or_else(|| named("DTAU_CACHE"))
            .or_else(|| Some(named("XDG_CACHE_HOME").filter(|folder| folder.is_absolute())?.join("dtau")))
            .or_else(|| Some(named("HOME")?.join(".cache").join("dtau")))
            .ok_or_else(|| Error::Files("there is no folder for what is compiled; name one in DTAU_CACHE".into()))?;
        // The loader treats a path without a slash as a library name and searches elsewhere, so the path is
        // made absolute.
        let folder = std::path::absolute(&folder).map_err(|error| cannot("find", &folder, &error))?;
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Returns the file of a key if it exists and matches its checksum. Other files of the key are removed.
    pub(super) fn find(&self, key: &Key) -> Option<PathBuf> {
        for entry in fs::read_dir(&self.folder).ok()?.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Some(content) = name.to_str().and_then(|name| name.strip_prefix(&key.0)?.strip_prefix('-')) else {
                continue;
            };
            let content = content.strip_suffix(env::consts::DLL_SUFFIX).unwrap_or_default();
            if fs::read(&path).is_ok_and(|bytes| format!("{:032x}", hash(&[&bytes])) == content) {
                return Some(path);
            }
            let _ = fs::remove_file(&path);
        }
        None
    }

    /// Removes a file.
    pub(super) fn forget(&self, file: &Path) -> Result<(), Error> {
        match fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot("remove", file, &error)),
            _ => Ok(()),
        }
    }

    /// Stores the file that `make` creates in a temporary folder.
    pub(super) fn put(&self, key: &Key, make: impl FnOnce(&Path) -> Result<PathBuf, Error>) -> Result<PathBuf, Error> {
        let here = Temporary::new(&self.folder)?;
        let made = make(&here.0)?;
        let bytes = fs::read(&made).map_err(|error| cannot("read", &made, &error))?;
        let content = hash(&[&bytes]);
        let file = self.folder.join(format!("{}-{content:032x}{}", key.0, env::consts::DLL_SUFFIX));
        fs::rename(&made, &file).map_err(|error| cannot("write", &file, &error))?;
        Ok(file)
    }
}

/// Folder that is removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    /// Creates the folder next to the files, so that a file can be renamed out of it. Its name is unique
    /// among processes and threads.
    fn new(within: &Path) -> Result<Self, Error> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("making-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = within.join(name);
        let _ = fs::remove_dir_all(&folder); // left by a killed process with the same id
        make_folder(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Creates a folder that only the user can access, if the system supports it.
fn make_folder(folder: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder).map_err(|error| cannot("make", folder, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::Files(format!("cannot {what} {}: {error}; DTAU_CACHE may name another folder", path.display()))
}
