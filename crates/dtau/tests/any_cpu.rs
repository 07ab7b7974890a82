//! Tests that `test.sh` also runs on an emulated old CPU, and compiles for other architectures.

mod forward;
mod kinematics;
mod old_cpu;
mod products;
