
/// Multiply-adds that round once.
#[cfg(all(@STD@any(target_arch = "x86_64", target_arch = "aarch64")))]
mod fused {
    use super::*;
    multiply_adds! { a, b, c: a.mul_add(b, c) }
    functions! { #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))] }
}
