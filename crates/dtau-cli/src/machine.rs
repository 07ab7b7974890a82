//! The machine that times are measured on.

/// What the system calls its processor.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    field("model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
