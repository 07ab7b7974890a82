//! What a reader of times must know about the machine.

/// Name and value of what the operating system tells.
pub fn machine() -> Vec<(String, String)> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    vec![
        ("processor".into(), processor(&cpuinfo).unwrap_or_else(|| std::env::consts::ARCH.into())),
        ("cores".into(), cores.to_string()),
    ]
}

/// Model name, family and model of the first processor.
fn processor(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let detail = match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => format!(" (family {family}, model {model})"),
        _ => String::new(),
    };
    Some(field("model name")? + &detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_read_from_cpuinfo() {
        let text = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n";
        assert_eq!(processor(text).as_deref(), Some("AMD EPYC (family 25, model 1)"));
        assert_eq!(processor(""), None);
    }
}
