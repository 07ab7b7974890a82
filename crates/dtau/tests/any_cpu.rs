//! What `test.sh` also runs on an old CPU, under an emulator, and as other architectures compile it.

mod forward;
mod kinematics;
mod old_cpu;
mod products;
