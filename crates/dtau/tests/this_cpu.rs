//! All other claims, in one program, because compiling the algorithms for every scalar takes as long as
//! everything else. `cargo test -p dtau --test this_cpu claims::` runs those of one file.

#[cfg(all(feature = "batch", feature = "f32"))]
mod batch;
mod bridges;
mod claims;
#[cfg(feature = "batch")]
mod compiled;
mod constrained_growth;
mod constrained_products;
mod constraints;
mod coverage;
mod every_function;
mod exactness;
mod fd_derivatives;
mod forward_scalars;
mod frames;
mod hostile;
mod kinematic_derivatives;
mod kinematics_scalars;
mod large;
mod massless;
mod mjcf;
mod pages;
mod references;
mod regressor;
mod scalars;
mod second_order;
mod shapes;
mod spatial;
mod springs;
mod urdf;
mod urdf_fuzz;
