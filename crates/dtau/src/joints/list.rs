//! The macro that makes [`Joint`](super::Joint) and [`JointKind`](super::JointKind) of the list in `joints/mod.rs`.

/// A line of the list: a kind with its axis and its numbers, its name, and the type that algorithms compute with. `is` makes that type one of
/// [`Joint`](super::Joint), `as` names one that an earlier line has made.
macro_rules! joints {
    (
        $d:tt
        $(
            $(#[$doc:meta])*
            $Kind:ident $({ $axis:ident $(, $number:ident)* })? $name:literal
            $(is $Type:ident $({ $($given:ident),* })?)? $(as $Other:ident)?;
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

        /// A kind of joint. Axes are in the joint's frame and need not have unit length.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[allow(missing_docs)]
        pub enum JointKind {
            $($(#[$doc])* $Kind $({ $axis: Vec3<f64>, $($number: f64),* })?,)*
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
                let mut _numbers = numbers.iter().copied();
                match name {
                    $($name => Some(Self::$Kind { $($axis: axis, $($number: _numbers.next().unwrap_or(f64::NAN)),*)? }),)*
                    _ => None,
                }
            }

            /// The axis, or the normal of a plane.
            pub fn axis(&self) -> Option<Vec3<f64>> {
                match *self {
                    $(Self::$Kind { $($axis, ..)? } => None$(.or(Some($axis)))?,)*
                }
            }

            /// The joint that algorithms compute with, whose axis is `z`; none where nothing moves.
            #[allow(unused_variables)]
            pub fn joint(&self) -> Option<Joint> {
                match *self {
                    $(Self::$Kind { $($axis, $($number),*)? } => {
                        None$(.or(Some(Joint::$Type($Type { $($($given),*)? }))))?$(.or(Some(Joint::$Other($Other {}))))?
                    })*
                }
            }
        }
    };
}

pub(super) use joints;
