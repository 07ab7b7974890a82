//! One comparison, and its floor.

use crate::quantity::Quantity;
use serde::{Deserialize, Serialize};

/// Mode of calling dtau.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One state per call.
    Single,
    /// Many states per call, on one core. The time is per state.
    Batch,
    /// Many states per call, on two threads.
    Threads,
    /// One state per call, from Python.
    Python,
    /// One state per call, by generated code.
    Generated,
    /// Many states per call, by generated code.
    #[serde(rename = "generated-batch")]
    GeneratedBatch,
}

impl Mode {
    /// Returns its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Single => "single",
            Mode::Batch => "batch",
            Mode::Threads => "threads",
            Mode::Python => "python",
            Mode::Generated => "generated",
            Mode::GeneratedBatch => "generated-batch",
        }
    }
}

/// Opponents of a comparison.
pub mod opponents {
    /// Pinocchio's fastest build: header-only, newest clang, `-O3 -march=native`. This is the main opponent.
    pub const NATIVE: &str = "Pinocchio, header-only, clang -march=native";
    /// Same, but each result overwrites the one before, while dtau keeps those of all states.
    pub const FORGETTING: &str = "Pinocchio, header-only, keeping one result";
    /// The library that `pip install pin` brings, called from C++.
    pub const SHIPPED: &str = "Pinocchio, library of the wheel";
    /// `pin`, called from Python.
    pub const PYTHON: &str = "Pinocchio, from Python";
    /// dtau on one thread.
    pub const ONE_THREAD: &str = "dtau, one thread";
    /// dtau's first derivatives, compared with second derivatives.
    pub const FIRST: &str = "dtau, first derivatives";
    /// dtau in double precision.
    pub const DOUBLE: &str = "dtau, f64";
}

/// One comparison. Times are per state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the robot or tree.
    pub robot: String,
    /// Number of degrees of freedom.
    pub nv: usize,
    /// Quantity that was computed.
    pub quantity: Quantity,
    /// Mode of calling dtau.
    pub mode: Mode,
    /// Scalar type of dtau.
    pub scalar: String,
    /// One of [`opponents`].
    pub opponent: String,
    /// Fastest of the opponent's ways.
    pub opponent_way: String,
    /// Least time of the opponent \[ns\].
    pub opponent_ns: f64,
    /// Least time of dtau \[ns\].
    pub dtau_ns: f64,
    /// `opponent_ns / dtau_ns`: the speed-up of dtau.
    pub ratio: f64,
    /// Required minimum of `ratio`. `None` if nothing was promised.
    pub floor: Option<f64>,
    /// Relative excess of the opponent's median pass over its least.
    pub opponent_spread: f64,
    /// Same for dtau.
    pub dtau_spread: f64,
    /// Largest difference of the two results, relative to the largest entry. `None` if they were not compared.
    pub difference: Option<f64>,
}

impl Row {
    /// True if it is below its floor.
    pub fn misses(&self) -> bool {
        self.floor.is_some_and(|floor| self.ratio < floor)
    }
}

/// Returns the promised floor of a comparison.
pub fn floor(quantity: Quantity, mode: Mode, opponent: &str, robot: &str, nv: usize) -> Option<f64> {
    let is_tree = robot.starts_with("chain_") || robot.starts_with("tree_");
    match (mode, opponent) {
        (Mode::Single, opponents::NATIVE) => match quantity {
            Quantity::FD_DERIVATIVES if nv >= 500 => Some(10.0),
            Quantity::ID_DERIVATIVES | Quantity::FD_DERIVATIVES => Some(2.0),
            Quantity::RNEA
            | Quantity::ABA
            | Quantity::CRBA
            | Quantity::MINVERSE
            | Quantity::FRAME_MOTION_DERIVATIVES => Some(1.3),
            Quantity::ID_SECOND_DERIVATIVES => Some(3.0),
            Quantity::JOINT_TORQUE_REGRESSOR => Some(3.0),
            Quantity::CONSTRAINED_FD => Some(1.5),
            Quantity::CONSTRAINED_FD_DERIVATIVES | Quantity::IMPULSE_DERIVATIVES => Some(2.5),
            _ => None,
        },
        (Mode::Batch, opponents::NATIVE) if nv >= 6 && !is_tree => match quantity {
            Quantity::ID_DERIVATIVES => Some(5.0),
            Quantity::FD_DERIVATIVES | Quantity::RNEA | Quantity::ABA | Quantity::CRBA | Quantity::MINVERSE => {
                Some(4.0)
            }
            Quantity::CONSTRAINED_FD | Quantity::CONSTRAINED_FD_DERIVATIVES => Some(4.0),
            _ => None,
        },
        (Mode::Generated | Mode::GeneratedBatch, opponents::NATIVE) => floor_of_generated(quantity, mode, robot),
        // At most 1.6 and 2.5 times the time of the first derivatives.
        (_, opponents::FIRST) if !is_tree => match quantity {
            Quantity::ID_HESSIAN => Some(1.0 / 1.6),
            Quantity::FD_HESSIAN => Some(1.0 / 2.5),
            _ => None,
        },
        (Mode::Batch, opponents::DOUBLE) => Some(1.6),
        (Mode::Threads, opponents::ONE_THREAD) => Some(1.8),
        (Mode::Python, opponents::PYTHON) => {
            let promised = matches!(robot, "hyq" | "talos_reduced" | "talos_full");
            (promised && matches!(quantity, Quantity::ID_DERIVATIVES | Quantity::FD_DERIVATIVES)).then_some(2.5)
        }
        _ => None,
    }
}

/// Returns the promised floor of generated code, by kind of robot.
fn floor_of_generated(quantity: Quantity, mode: Mode, robot: &str) -> Option<f64> {
    let one = mode == Mode::Generated;
    match quantity {
        Quantity::CONSTRAINED_FD => return Some(if one { 1.5 } else { 4.0 }),
        Quantity::CONSTRAINED_FD_DERIVATIVES => return Some(if one { 2.5 } else { 4.0 }),
        Quantity::IMPULSE_DERIVATIVES => return one.then_some(2.5),
        Quantity::JOINT_TORQUE_REGRESSOR => return one.then_some(3.0),
        _ => {}
    }
    let [rnea, aba, crba, minverse, id, fd] = match robot {
        "ur3" | "ur5" | "iiwa" | "panda" if one => [3.5, 3.0, 2.5, 3.0, 2.4, 2.3],
        "ur3" | "ur5" | "iiwa" | "panda" => [13.0, 11.0, 8.0, 11.0, 9.0, 8.0],
        "hyq" | "anymal_c" | "go2" if one => [7.5, 5.5, 3.2, 3.8, 4.0, 4.0],
        "hyq" | "anymal_c" | "go2" => [10.5, 8.5, 4.5, 5.0, 5.3, 4.0],
        "g1" | "talos_reduced" | "icub" if one => [5.3, 3.3, 2.0, 2.0, 2.7, 2.0],
        "g1" | "talos_reduced" | "icub" => [11.5, 7.5, 3.0, 3.4, 3.0, 2.5],
        _ => return None,
    };
    match quantity {
        Quantity::RNEA => Some(rnea),
        Quantity::ABA => Some(aba),
        Quantity::CRBA => Some(crba),
        Quantity::MINVERSE => Some(minverse),
        Quantity::ID_DERIVATIVES => Some(id),
        Quantity::FD_DERIVATIVES => Some(fd),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_those_that_were_promised() {
        let single = |q, robot, nv| floor(q, Mode::Single, opponents::NATIVE, robot, nv);
        assert_eq!(single(Quantity::ID_DERIVATIVES, "ur3", 6), Some(2.0));
        assert_eq!(single(Quantity::FD_DERIVATIVES, "chain_200", 200), Some(2.0));
        assert_eq!(single(Quantity::FD_DERIVATIVES, "tree_bf5_500", 500), Some(10.0));
        assert_eq!(single(Quantity::FRAME_MOTION_DERIVATIVES, "chain_2", 2), Some(1.3));
        assert_eq!(single(Quantity::CORIOLIS, "ur3", 6), None);
        assert_eq!(single(Quantity::ID_SECOND_DERIVATIVES, "chain_50", 50), Some(3.0));
        assert_eq!(floor(Quantity::ID_HESSIAN, Mode::Batch, opponents::FIRST, "hyq", 18), Some(0.625));
        assert_eq!(floor(Quantity::FD_HESSIAN, Mode::Single, opponents::FIRST, "hyq", 18), Some(0.4));
        let batch = |q, robot, nv| floor(q, Mode::Batch, opponents::NATIVE, robot, nv);
        assert_eq!(batch(Quantity::ID_DERIVATIVES, "ur3", 6), Some(5.0));
        assert_eq!(batch(Quantity::RNEA, "hyq", 18), Some(4.0));
        assert_eq!(batch(Quantity::RNEA, "double_pendulum", 2), None);
        assert_eq!(batch(Quantity::ID_DERIVATIVES, "chain_100", 100), None);
        assert_eq!(floor(Quantity::RNEA, Mode::Batch, opponents::DOUBLE, "ur3", 6), Some(1.6));
        assert_eq!(floor(Quantity::RNEA, Mode::Threads, opponents::ONE_THREAD, "ur3", 6), Some(1.8));
        assert_eq!(floor(Quantity::ID_DERIVATIVES, Mode::Python, opponents::PYTHON, "hyq", 18), Some(2.5));
        assert_eq!(floor(Quantity::RNEA, Mode::Python, opponents::PYTHON, "hyq", 18), None);
        assert_eq!(floor(Quantity::RNEA, Mode::Single, opponents::SHIPPED, "hyq", 18), None);
    }

    #[test]
    fn a_row_survives_json_and_knows_whether_it_misses() {
        let text = r#"{"robot": "ur3", "nv": 6, "quantity": "id_derivatives", "mode": "single", "scalar": "f64",
            "opponent": "o", "opponent_way": "w", "opponent_ns": 1900.5, "dtau_ns": 1000.0, "ratio": 1.9005,
            "floor": 2.0, "opponent_spread": 0.1, "dtau_spread": 0.0, "difference": null}"#;
        let row: Row = serde_json::from_str(text).unwrap();
        assert!(row.misses());
        assert!(!Row { ratio: 2.0, ..row.clone() }.misses());
        assert!(!Row { floor: None, ..row.clone() }.misses());
        let again: Row = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
        assert_eq!(row, again);
    }
}
