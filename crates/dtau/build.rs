//! Decides whether code for CPUs without AVX2 and FMA is compiled (`cfg(dtau_any_cpu)`): where the feature `any-cpu` asks for it, where
//! the target has no such twin of `f64`, and where the machine that builds lacks the instructions, so that what is built there runs there.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(dtau_any_cpu)");
    let has_native = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => true, // fused multiply-add belongs to the base instruction set
        // Without `std` the instructions are not looked for when a program runs.
        Ok("x86_64") => target_has_avx2() || (has_feature("STD") && !(is_native_build() && lacks_avx2())),
        _ => false,
    };
    if !has_native || has_feature("ANY_CPU") {
        println!("cargo::rustc-cfg=dtau_any_cpu");
    }
}

fn has_feature(name: &str) -> bool {
    env::var(format!("CARGO_FEATURE_{name}")).is_ok()
}

fn is_native_build() -> bool {
    env::var("HOST").ok() == env::var("TARGET").ok()
}

/// True if the target's own flags say that the instructions are there.
fn target_has_avx2() -> bool {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    ["avx2", "fma"].iter().all(|feature| features.split(',').any(|found| found == *feature))
}

#[cfg(target_arch = "x86_64")]
fn lacks_avx2() -> bool {
    !(std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma"))
}

#[cfg(not(target_arch = "x86_64"))]
fn lacks_avx2() -> bool {
    false
}
