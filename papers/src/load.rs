//! Share of the machine that other programs use.

/// Processor time since the system started, in its ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    /// Ticks of all processors, busy or idle.
    all: u64,
    busy: u64,
    /// Ticks of this program.
    own: u64,
}

impl Used {
    /// Returns `None` if the system does not report it.
    pub fn now() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let own = std::fs::read_to_string("/proc/self/stat").ok()?;
        Self::of(&stat, &own)
    }

    /// Parses `cpu user nice system idle iowait irq softirq steal …`, and of the program, after its name in
    /// parentheses, user and system as the 12th and the 13th: man 5 proc.
    fn of(stat: &str, own: &str) -> Option<Self> {
        let ticks: Vec<u64> =
            stat.lines().next()?.split_whitespace().skip(1).take(8).filter_map(|x| x.parse().ok()).collect();
        let all: u64 = ticks.iter().sum();
        let idle = ticks.get(3)? + ticks.get(4)?;
        let mut after = own.rsplit_once(')')?.1.split_whitespace().skip(11);
        let (user, system): (u64, u64) = (after.next()?.parse().ok()?, after.next()?.parse().ok()?);
        Some(Self { all, busy: all - idle, own: user + system })
    }

    /// Share of the machine that other programs have used since `before`.
    pub fn others_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        let busy = self.busy.saturating_sub(before.busy);
        busy.saturating_sub(self.own.saturating_sub(before.own)) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 ticks on two processors: 150 are busy, 60 of them ours. The program's name contains a space and a
    /// parenthesis.
    #[test]
    fn others_are_what_is_busy_and_not_ours() {
        let of = |stat: &str, own: &str| Used::of(stat, own).unwrap();
        let before = of("cpu  100 10 20 1000 5 0 0 0 0 0\ncpu0 1", "7 (a) b) R 1 1 1 0 -1 4 1 0 0 0 30 10 0 0");
        let after = of("cpu  220 20 30 1045 10 5 5 0 0 0\ncpu0 1", "7 (a) b) R 1 1 1 0 -1 4 1 0 0 0 80 20 0 0");
        assert_eq!(after.others_since(before), 90.0 / 200.0);
        assert!(Used::of("", "").is_none());
    }
}
