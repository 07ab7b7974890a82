//! The macro that makes [`Joint`](super::Joint) and [`JointKind`](super::JointKind) of the list in `joints/mod.rs`.

use crate::spatial::Vec3;

/// A line of the list: a kind with its fields, its name, and the type that algorithms compute with: `is` that of its own file, `as` that
/// of an earlier line.
macro_rules! joints {
    (
        $d:tt
        $(
            $(#[$doc:meta])*
            $Kind:ident $({ $($field:ident: $Field:ty),* })? $name:literal
            $(is $Type:ident { $($number:ident),* })? $(as $Other:ident {})?;
        )*
    ) => {
        /// The list of joints, as algorithms compute with them.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Joint {
            $($($Type($Type),)?)*
        }

        /// Runs the same expression on whichever type a [`Joint`] is.
        macro_rules! on_joint {
            ($d joint:expr, $d j:ident => $d body:expr) => {
                match $d joint {
                    $($(Joint::$Type($d j) => $d body,)?)*
                }
            };
        }

        /// How a joint moves. Axes are in the joint's frame and need not have unit length.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[allow(missing_docs)]
        pub enum JointKind {
            $($(#[$doc])* $Kind $({ $($field: $Field),* })?,)*
        }

        impl JointKind {
            /// Names of all kinds, as [`name`](Self::name) gives them.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name used in files and messages.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Kind { .. } => $name,)*
                }
            }

            /// The kind of this name, with this axis and these [`numbers`](Self::numbers) if it has any. Numbers that are not given are
            /// NaN, which no model is built with.
            pub fn named(name: &str, axis: Vec3<f64>, numbers: &[f64]) -> Option<Self> {
                #[allow(unused_mut)]
                let mut numbers = numbers.iter().copied();
                Some(match name {
                    $($name => Self::$Kind { $($($field: $crate::joints::list::Field::of(axis, &mut numbers)),*)? },)*
                    _ => return None,
                })
            }

            /// The axis, the normal of a plane; none where it has neither.
            pub fn axis(&self) -> Option<Vec3<f64>> {
                match *self {
                    $(Self::$Kind { $($($field),*)? } => {
                        [None, $($($crate::joints::list::Field::axis($field)),*)?].into_iter().flatten().next()
                    })*
                }
            }

            /// What algorithms compute with; none where nothing moves. Its axis is `z`.
            #[allow(unused_variables)]
            pub fn joint(&self) -> Option<Joint> {
                match *self {
                    $(Self::$Kind { $($($field),*)? } => {
                        None$(.or(Some(Joint::$Type($Type { $($number),* }))))?$(.or(Some(Joint::$Other($Other {}))))?
                    })*
                }
            }
        }
    };
}

pub(super) use joints;

/// A field of a kind: its axis, or one of its numbers.
pub(super) trait Field: Sized {
    fn of(axis: Vec3<f64>, numbers: &mut impl Iterator<Item = f64>) -> Self;
    fn axis(self) -> Option<Vec3<f64>>;
}

impl Field for Vec3<f64> {
    fn of(axis: Vec3<f64>, _: &mut impl Iterator<Item = f64>) -> Self {
        axis
    }

    fn axis(self) -> Option<Vec3<f64>> {
        Some(self)
    }
}

impl Field for f64 {
    fn of(_: Vec3<f64>, numbers: &mut impl Iterator<Item = f64>) -> Self {
        numbers.next().unwrap_or(f64::NAN)
    }

    fn axis(self) -> Option<Vec3<f64>> {
        None
    }
}
