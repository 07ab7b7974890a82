//! Steps over the tree that several algorithms share: bodies side by side, ground coordinates, articulated
//! inertias.

pub(crate) mod articulate;
pub(crate) mod bodies;
pub(crate) mod ground;
pub(crate) mod side_by_side;
pub(crate) mod singular;
