//! Models from files and texts. The format is found from the root element: `<robot>` is URDF, `<mujoco>` is
//! MJCF.

use super::validate::Checked;
use super::{Description, Model, Options};
use crate::error::{Error, ErrorKind};
use crate::xml;
#[cfg(feature = "std")]
use std::path::Path;

impl Model {
    /// Builds a model from the text of a URDF or MJCF.
    ///
    /// # Errors
    /// If the text is neither, or breaks a rule. The message says where, what, and what to do.
    pub fn from_text(text: &str, options: &Options) -> Result<Model, Error> {
        let (description, checked) = parse(text, options)?;
        Model::build_checked(description, checked, options)
    }

    /// Builds a model from a URDF or MJCF file.
    ///
    /// # Errors
    /// If the file cannot be read as text, and those of [`from_text`](Self::from_text).
    #[cfg(feature = "std")]
    pub fn from_file(path: impl AsRef<Path>, options: &Options) -> Result<Model, Error> {
        let path = path.as_ref();
        let (description, checked) = read(path, options)?;
        Model::build_checked(description, checked, options).map_err(|e| e.in_file(path.display().to_string()))
    }

    /// Builds a model from the text of a URDF. An MJCF is accepted too, see [`from_text`](Self::from_text).
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text).
    #[cfg(feature = "urdf")]
    pub fn from_urdf(urdf: &str, options: &Options) -> Result<Model, Error> {
        Model::from_text(urdf, options)
    }

    /// Builds a model from a URDF file. An MJCF is accepted too, see [`from_file`](Self::from_file).
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    #[cfg(all(feature = "std", feature = "urdf"))]
    pub fn from_urdf_file(path: impl AsRef<Path>, options: &Options) -> Result<Model, Error> {
        Model::from_file(path, options)
    }

    /// Builds a model from the text of a self-contained MJCF, see [`mjcf`](crate::mjcf). The file's gravity
    /// is used unless the options differ from their default.
    ///
    /// # Errors
    /// If the text is not an MJCF, breaks a rule, needs other files, or contains dynamics that dtau does not
    /// compute.
    #[cfg(feature = "mjcf")]
    pub fn from_mjcf(mjcf: &str, options: &Options) -> Result<Model, Error> {
        let (description, checked) = crate::mjcf::parse_alone(mjcf, &options.ignore)?;
        Model::build_checked(description, checked, options)
    }

    /// Builds a model from an MJCF file and the files it refers to.
    ///
    /// # Errors
    /// Those of [`from_mjcf`](Self::from_mjcf), and if a file cannot be read.
    #[cfg(all(feature = "std", feature = "mjcf"))]
    pub fn from_mjcf_file(path: impl AsRef<Path>, options: &Options) -> Result<Model, Error> {
        let path = path.as_ref();
        let in_file = |error: Error| error.in_file(path.display().to_string());
        let text = xml::text_of(path).map_err(in_file)?;
        let (mut description, checked) = crate::mjcf::read_checked(&text, path, &options.ignore)?;
        super::meshes::locate(&mut description, path);
        Model::build_checked(description, checked, options).map_err(in_file)
    }
}

impl Description {
    /// Reads a description from the text of a URDF or MJCF.
    ///
    /// # Errors
    /// As [`Model::from_text`].
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Self::from_text_with(text, &Options::default())
    }

    /// A robot from the text of a URDF or MJCF, without the effects that [`Options::ignore`] names.
    ///
    /// # Errors
    /// As [`Model::from_text`].
    pub fn from_text_with(text: &str, options: &Options) -> Result<Self, Error> {
        parse(text, options).map(|(description, _)| description)
    }

    /// Reads a description from a URDF or MJCF file.
    ///
    /// The files of its meshes are looked for, not opened: `package://NAME/…` in the folders of `ROS_PACKAGE_PATH`, in `share` of those of
    /// `AMENT_PREFIX_PATH`, and in the folders around the file; relative paths in the file's folder and those around it. Missing ones
    /// are a [warning](Self::warnings).
    ///
    /// # Errors
    /// As [`Model::from_file`].
    #[cfg(feature = "std")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_file_with(path, &Options::default())
    }

    /// A robot from a URDF or MJCF file, without the effects that [`Options::ignore`] names.
    ///
    /// # Errors
    /// As [`Model::from_file`].
    #[cfg(feature = "std")]
    pub fn from_file_with(path: impl AsRef<Path>, options: &Options) -> Result<Self, Error> {
        read(path.as_ref(), options).map(|(description, _)| description)
    }
}

/// Format of a text.
enum Format {
    #[cfg(feature = "mjcf")]
    Mjcf,
    #[cfg(feature = "urdf")]
    Urdf,
}

fn format_of(text: &str) -> Result<Format, Error> {
    let mjcf = xml::root_of(text) == "mujoco";
    #[cfg(feature = "mjcf")]
    if mjcf {
        return Ok(Format::Mjcf);
    }
    #[cfg(feature = "urdf")]
    if !mjcf {
        return Ok(Format::Urdf);
    }
    let what = if mjcf { "an MJCF" } else { "no MJCF; if it is a URDF, that is a format" };
    Err(Error::new(ErrorKind::Unsupported, alloc::format!("the text is {what} that dtau was built without")))
}

#[cfg_attr(not(feature = "mjcf"), allow(unused_variables))]
fn parse(text: &str, options: &Options) -> Result<(Description, Checked), Error> {
    match format_of(text)? {
        #[cfg(feature = "mjcf")]
        Format::Mjcf => crate::mjcf::parse_alone(text, &options.ignore),
        #[cfg(feature = "urdf")]
        Format::Urdf => crate::urdf::parse_checked(text),
    }
}

#[cfg_attr(not(feature = "mjcf"), allow(unused_variables))]
#[cfg(feature = "std")]
fn read(path: &Path, options: &Options) -> Result<(Description, Checked), Error> {
    let text = xml::text_of(path).map_err(|error| error.in_file(path.display().to_string()))?;
    let format = format_of(&text).map_err(|error| error.in_file(path.display().to_string()))?;
    let (mut description, checked) = match format {
        #[cfg(feature = "mjcf")]
        Format::Mjcf => crate::mjcf::read_checked(&text, path, &options.ignore)?,
        #[cfg(feature = "urdf")]
        Format::Urdf => crate::urdf::parse_checked(&text).map_err(|error| error.in_file(path.display().to_string()))?,
    };
    super::meshes::locate(&mut description, path);
    Ok((description, checked))
}
