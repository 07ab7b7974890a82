//! `dtau show`.

use super::RobotArgs;
use clap::Parser;
use std::path::PathBuf;

/// Show a robot in the browser: its shapes, inertias and frames, with a slider for each joint.
///
/// This is part of the Python package: `pip install '.[view]'` in a clone of dtau installs it.
#[derive(Debug, Parser)]
pub struct ShowArgs {
    #[command(flatten)]
    pub robot: RobotArgs,

    /// Save the page as one HTML file, instead of opening it
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Show the axes of a frame; may be given again
    #[arg(long = "frame", value_name = "NAME")]
    pub frames: Vec<String>,

    /// Show the inertia boxes of the links: same mass, centre of mass and principal moments
    #[arg(long)]
    pub inertias: bool,

    /// Port of the page on this machine
    #[arg(long, default_value_t = 8080)]
    pub port: u16,

    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
}
