//! Results of functions.

use crate::args::ReferenceArg;
use dtau::model::{FrameId, Model};
use dtau::{Arg, Matrix, Reference, Size};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A result.
#[derive(Clone, Debug)]
pub enum Quantity {
    Number(f64),
    /// A number for each degree of freedom.
    Dofs(Vec<f64>),
    /// A number for each row of the constraints.
    Rows(Vec<f64>),
    /// A configuration.
    Coordinates(Vec<f64>),
    /// A vector in space: 3 numbers, or 6 with the linear part first.
    Spatial(Vec<f64>),
    Matrix(Over, Matrix<f64>),
    /// Three indices over degrees of freedom; a matrix of n × n².
    Tensor(Matrix<f64>),
    /// Several results by name.
    Group(Vec<(String, Quantity)>),
}

/// Meaning of the rows and columns of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Degrees of freedom by columns of any kind.
    Dofs,
    /// Directions in space by degrees of freedom.
    SpaceDofs,
    /// A placement: rotation and origin.
    Space,
    /// Rows of constraints by columns of any kind.
    Rows,
}

/// Length of a placement: the columns of the rotation, then the origin.
const PLACEMENT: usize = 12;

impl Quantity {
    /// The output of a function. Of arrays over all frames, only those of `frames` are kept. With `flat`, a
    /// matrix of one column becomes a vector.
    pub fn of(arg: &Arg, model: &Model, written: Matrix<f64>, frames: &[(String, FrameId)], flat: bool) -> Self {
        let numbers = || written.to_vec();
        match arg.size {
            Size::Nv => Self::Dofs(numbers()),
            Size::Columns if flat => Self::Dofs(numbers()),
            Size::Nq | Size::Coordinates => Self::Coordinates(numbers()),
            Size::Cube | Size::SymmetricCube => Self::Tensor(written),
            Size::Wide(_) | Size::FramePlacements => Self::Matrix(Over::SpaceDofs, written),
            Size::TenPerLink => Self::Spatial(numbers()),
            Size::Rows => Self::Rows(numbers()),
            Size::RowsWide | Size::RowsSquare => Self::Matrix(Over::Rows, written),
            Size::Fixed(_) => Self::in_space(&written),
            Size::Frames(_) => {
                let of_frame = |frame: FrameId| {
                    let place = model.frame_ids().position(|id| id == frame).expect("a frame of the model");
                    Self::in_space(written.column(place))
                };
                Self::Group(frames.iter().map(|(name, frame)| (name.clone(), of_frame(*frame))).collect())
            }
            _ => Self::Matrix(Over::Dofs, written),
        }
    }

    fn in_space(numbers: &[f64]) -> Self {
        match numbers {
            [number] => Self::Number(*number),
            _ if numbers.len() == PLACEMENT => {
                let mut placement = Matrix::zeros(3, 4);
                placement.copy_from_slice(numbers);
                Self::Matrix(Over::Space, placement)
            }
            _ => Self::Spatial(numbers.into()),
        }
    }

    /// Outputs by name; a single output stands for itself.
    pub fn by_name(mut members: Vec<(String, Quantity)>) -> Self {
        if members.len() == 1 { members.remove(0).1 } else { Self::Group(members) }
    }
}

impl From<ReferenceArg> for Reference {
    fn from(reference: ReferenceArg) -> Self {
        match reference {
            ReferenceArg::Local => Self::Local,
            ReferenceArg::World => Self::World,
            ReferenceArg::LocalWorldAligned => Self::LocalWorldAligned,
        }
    }
}

/// Serializes as numbers, lists of numbers, lists of rows, lists of matrices, and objects.
impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(x) => x.serialize(serializer),
            Self::Dofs(x) | Self::Rows(x) | Self::Coordinates(x) | Self::Spatial(x) => x.serialize(serializer),
            Self::Matrix(_, m) => {
                let mut rows = serializer.serialize_seq(Some(m.rows()))?;
                for i in 0..m.rows() {
                    rows.serialize_element(&(0..m.columns()).map(|j| m[(i, j)]).collect::<Vec<_>>())?;
                }
                rows.end()
            }
            Self::Tensor(m) => {
                let n = m.rows();
                let row = |i: usize, j: usize| (0..n).map(|k| m[(i, j + n * k)]).collect::<Vec<_>>();
                let mut matrices = serializer.serialize_seq(Some(n))?;
                for i in 0..n {
                    matrices.serialize_element(&(0..n).map(|j| row(i, j)).collect::<Vec<_>>())?;
                }
                matrices.end()
            }
            Self::Group(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    map.serialize_entry(name, member)?;
                }
                map.end()
            }
        }
    }
}
