
/// Calls a function that is compiled for the instructions of this CPU.
macro_rules! on_this_cpu {
    ($function:ident($($x:expr),*)) => {'good: {
        #[cfg(all(@STD@target_arch = "x86_64"))]
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            // SAFETY: the CPU has the instructions that the function is compiled for.
            break 'good unsafe { fused::$function($($x),*) };
        }
        #[cfg(all(@STD@target_arch = "aarch64"))]
        break 'good fused::$function($($x),*);
        plain::$function($($x),*)
    }};
}
