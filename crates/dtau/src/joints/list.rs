//! The macro that generates [`Joint`](super::Joint) and [`JointKind`](super::JointKind) from the list in
//! `joints/mod.rs`.

/// A line of the list has a kind with its axis and numbers, its name, and the type that algorithms use. `is`
/// adds that type to [`Joint`](super::Joint); `as` refers to one that an earlier line added.
macro_rules! joints {
    (
        $d:tt
        $(
            $(#[$doc:meta])*
            $Kind:ident $({ $axis:ident $(, $number:ident)* })? $name:literal
            $(is $Type:ident $({ $($given:ident),* })?)? $(as $Other:ident)?;
        )*
    ) => {
        /// A joint, as algorithms use it.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Joint {
            $($($Type($Type),)?)*
        }

        /// Runs the same expression on the type inside a [`Joint`].
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
            /// Names of all kinds, as returned by [`name`](Self::name).
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name used in files and messages.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$Kind { .. } => $name,)*
                }
            }

            /// The kind with this name, axis and [`numbers`](Self::numbers), as far as it has them. Missing
            /// numbers become NaN, which building a model refuses.
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

            /// The joint that algorithms use, whose axis is `z`; `None` for a fixed joint.
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
