//! The list of figures: every figure and table of the papers, in their order, and ours.

use super::figure::Content;
use super::figures::{accuracy, chains_fd, chains_id, many, methods_tables, noise, ours, robots};
use super::lab::Lab;

/// Source of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    Singh21,
    Singh22,
    Carpentier18,
    Ours,
}

impl Paper {
    pub const ALL: [Paper; 4] = [Paper::Singh21, Paper::Singh22, Paper::Carpentier18, Paper::Ours];

    pub fn title(self) -> &'static str {
        match self {
            Paper::Singh21 => "First IDSVA paper",
            Paper::Singh22 => "Second IDSVA paper",
            Paper::Carpentier18 => "Carpentier and Mansard",
            Paper::Ours => "What the papers do not have",
        }
    }

    pub fn source(self) -> &'static str {
        match self {
            Paper::Singh21 => {
                "S. Singh, R. P. Russell, P. M. Wensing, “Efficient analytical derivatives of rigid-body dynamics using spatial \
                 vector algebra”, arXiv:2105.05102v1, 2021."
            }
            Paper::Singh22 => {
                "The same, second version: multi-dof joints, IEEE Robotics and Automation Letters 7(2), 2022."
            }
            Paper::Carpentier18 => {
                "J. Carpentier, N. Mansard, “Analytical derivatives of rigid body dynamics algorithms”, Robotics: Science and \
                 Systems, 2018."
            }
            Paper::Ours => "What dtau adds to the papers' methods, measured in the same way.",
        }
    }
}

/// A figure to make.
pub struct Spec {
    pub id: &'static str,
    pub paper: Paper,
    /// Label in the paper.
    pub label: &'static str,
    pub title: &'static str,
    /// Description of its measurement.
    pub how: &'static str,
    /// Approximate duration in seconds, quick and full, after the previous figures: for the remaining time.
    pub seconds: [f64; 2],
    pub make: fn(&mut Lab<'_>) -> Result<Content, String>,
}

const SWEEP: &str = "Chains of N revolute links of 1 kg and 1 m, random states, every method in turn on the same states; least \
                     times of many runs on one core, with a band from the 10th to the 90th percentile.";
const SWEEP_BF: &str = "Chains, and trees of branching factor (bf) 2 and 5, random states, every method in turn on the same states; \
                        least times of many runs on one core, with a band from the 10th to the 90th percentile.";
const ON_ROBOTS: &str =
    "Random states of each robot, every method in turn on the same states; least times of many runs on one core.";
const LANES: &str = "Chains of N revolute links of 1 kg and 1 m, batches of random states on one core; least times of many runs, with a \
                     band from the 10th to the 90th percentile.";
const THREADS: &str = "Batches of random states of each robot, on one thread up to one a core; least times of many runs. What else runs on \
                       this machine takes its share of the cores.";
const ACCURACY: &str = "Random states of the papers' chain; every method against complex step, entry by entry.";

const fn abbreviations(id: &'static str, paper: Paper) -> Spec {
    Spec {
        id,
        paper,
        label: "Table II",
        title: "What the abbreviations are here",
        how: "",
        seconds: [0.1, 0.1],
        make: methods_tables::abbreviations,
    }
}

pub static SPECS: &[Spec] = &[
    Spec {
        id: "singh21-fig1",
        paper: Paper::Singh21,
        label: "Fig. 1",
        title: "Notation of a kinematic tree",
        how: "",
        seconds: [0.1, 0.1],
        make: methods_tables::drawing,
    },
    Spec {
        id: "singh21-table1",
        paper: Paper::Singh21,
        label: "Table I",
        title: "Methods, with measured speed and accuracy",
        how: ON_ROBOTS,
        seconds: [1.4, 5.1],
        make: methods_tables::singh21,
    },
    abbreviations("singh21-table2", Paper::Singh21),
    Spec {
        id: "singh21-fig2",
        paper: Paper::Singh21,
        label: "Fig. 2",
        title: "DMM against AZA",
        how: SWEEP,
        seconds: [3.3, 22.0],
        make: chains_fd::dmm_or_aza,
    },
    Spec {
        id: "singh21-fig3",
        paper: Paper::Singh21,
        label: "Fig. 3",
        title: "Body against ground coordinates",
        how: SWEEP,
        seconds: [1.6, 19.0],
        make: chains_id::ground_or_body_singh21,
    },
    Spec {
        id: "singh21-fig4",
        paper: Paper::Singh21,
        label: "Fig. 4",
        title: "IDSVA against RNEACR",
        how: SWEEP,
        seconds: [1.5, 9.0],
        make: chains_id::idsva_or_rneacr,
    },
    Spec {
        id: "singh21-fig5",
        paper: Paper::Singh21,
        label: "Fig. 5",
        title: "IDSVA on robots",
        how: ON_ROBOTS,
        seconds: [0.8, 5.6],
        make: robots::singh21,
    },
    Spec {
        id: "singh21-fig6",
        paper: Paper::Singh21,
        label: "Fig. 6",
        title: "What FDSVA is made of",
        how: SWEEP,
        seconds: [0.7, 8.1],
        make: chains_fd::composition,
    },
    Spec {
        id: "singh21-fig7",
        paper: Paper::Singh21,
        label: "Fig. 7",
        title: "ABACR, FDCR and FDSVA",
        how: SWEEP,
        seconds: [11.3, 65.0],
        make: chains_fd::abacr_fdcr_fdsva,
    },
    Spec {
        id: "singh21-accuracy",
        paper: Paper::Singh21,
        label: "§VI-B",
        title: "Accuracy at N = 100",
        how: ACCURACY,
        seconds: [0.1, 0.2],
        make: accuracy::at_100,
    },
    Spec {
        id: "singh22-fig1",
        paper: Paper::Singh22,
        label: "Fig. 1",
        title: "Body numbering",
        how: "",
        seconds: [0.1, 0.1],
        make: methods_tables::drawing,
    },
    Spec {
        id: "singh22-table1",
        paper: Paper::Singh22,
        label: "Table I",
        title: "Methods, with measured speed and accuracy",
        how: ON_ROBOTS,
        seconds: [0.3, 1.1],
        make: methods_tables::singh22,
    },
    abbreviations("singh22-table2", Paper::Singh22),
    Spec {
        id: "singh22-accuracy",
        paper: Paper::Singh22,
        label: "§V-A",
        title: "Growth of the error with N",
        how: ACCURACY,
        seconds: [0.2, 1.8],
        make: accuracy::growth,
    },
    Spec {
        id: "singh22-fig2",
        paper: Paper::Singh22,
        label: "Fig. 2",
        title: "IDSVA, RNEACR; FDSVA, FDCR, ABACR",
        how: SWEEP,
        seconds: [0.6, 5.9],
        make: chains_fd::fortran,
    },
    Spec {
        id: "singh22-fig3",
        paper: Paper::Singh22,
        label: "Fig. 3",
        title: "Ground against body coordinates",
        how: SWEEP,
        seconds: [0.1, 0.1],
        make: chains_id::ground_or_body_singh22,
    },
    Spec {
        id: "singh22-fig4",
        paper: Paper::Singh22,
        label: "Fig. 4",
        title: "IDSVA against Pinocchio's derivatives of ID",
        how: SWEEP_BF,
        seconds: [4.5, 39.0],
        make: chains_id::idsva_or_pinocchio,
    },
    Spec {
        id: "singh22-fig5",
        paper: Paper::Singh22,
        label: "Fig. 5",
        title: "IDSVA on robots",
        how: ON_ROBOTS,
        seconds: [0.2, 1.0],
        make: robots::singh22,
    },
    Spec {
        id: "singh22-fig6",
        paper: Paper::Singh22,
        label: "Fig. 6",
        title: "FDSVA against Pinocchio's derivatives of FD",
        how: SWEEP_BF,
        seconds: [14.8, 108.0],
        make: chains_fd::fdsva_or_pinocchio,
    },
    Spec {
        id: "singh22-fig7",
        paper: Paper::Singh22,
        label: "Fig. 7",
        title: "DMM against AZA on trees",
        how: SWEEP_BF,
        seconds: [5.4, 50.0],
        make: chains_fd::dmm_or_aza_branched,
    },
    Spec {
        id: "singh22-table3",
        paper: Paper::Singh22,
        label: "Table III",
        title: "Crossover N with and without SIMD",
        how: SWEEP_BF,
        seconds: [14.6, 86.0],
        make: chains_fd::crossovers,
    },
    Spec {
        id: "carpentier18-fig1",
        paper: Paper::Carpentier18,
        label: "Fig. 1",
        title: "Spatial notation",
        how: "",
        seconds: [0.1, 0.1],
        make: methods_tables::drawing,
    },
    Spec {
        id: "carpentier18-table1",
        paper: Paper::Carpentier18,
        label: "Table I",
        title: "Analytical derivatives, finite differences, M⁻¹",
        how: ON_ROBOTS,
        seconds: [1.4, 8.0],
        make: robots::carpentier_table,
    },
    Spec {
        id: "carpentier18-fig2",
        paper: Paper::Carpentier18,
        label: "Fig. 2",
        title: "The same, drawn",
        how: ON_ROBOTS,
        seconds: [0.2, 1.0],
        make: robots::carpentier_figure,
    },
    Spec {
        id: "carpentier18-fig3",
        paper: Paper::Carpentier18,
        label: "Fig. 3",
        title: "Rounding noise of finite differences at rest",
        how: "A random configuration at rest, without gravity: every derivative by q̇ is zero.",
        seconds: [0.1, 0.1],
        make: noise::at_rest,
    },
    Spec {
        id: "lean-b",
        paper: Paper::Ours,
        label: "Lean B",
        title: "B in 12 numbers against a 6×6 matrix",
        how: SWEEP_BF,
        seconds: [1.9, 50.0],
        make: ours::lean_b,
    },
    Spec {
        id: "response",
        paper: Paper::Ours,
        label: "Response form",
        title: "The response form against AZA",
        how: SWEEP,
        seconds: [1.6, 12.0],
        make: ours::response,
    },
    Spec {
        id: "lanes",
        paper: Paper::Ours,
        label: "Lanes",
        title: "States side by side in SIMD lanes",
        how: LANES,
        seconds: [2.0, 10.0],
        make: many::lanes,
    },
    Spec {
        id: "threads",
        paper: Paper::Ours,
        label: "Threads",
        title: "Batches on threads",
        how: THREADS,
        seconds: [1.0, 5.0],
        make: many::threads,
    },
    Spec {
        id: "operations",
        paper: Paper::Ours,
        label: "Operations",
        title: "A machine-independent axis",
        how: "The same source on a scalar that counts, at one random state of a chain.",
        seconds: [0.1, 52.0],
        make: ours::operations,
    },
];

/// Finds a figure by its id.
pub fn find(id: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_fit_for_file_names() {
        for (k, spec) in SPECS.iter().enumerate() {
            assert!(SPECS[..k].iter().all(|other| other.id != spec.id), "{}", spec.id);
            assert!(spec.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", spec.id);
        }
    }

    /// The list contains every figure and table of the papers.
    #[test]
    fn nothing_of_the_papers_is_missing() {
        let of = |paper: Paper| -> Vec<&str> { SPECS.iter().filter(|s| s.paper == paper).map(|s| s.label).collect() };
        let figures = |n: usize| (1..=n).map(|k| format!("Fig. {k}"));
        for (paper, count, tables) in [(Paper::Singh21, 7, 2), (Paper::Singh22, 7, 3), (Paper::Carpentier18, 3, 1)] {
            let labels = of(paper);
            for figure in figures(count) {
                assert!(labels.contains(&figure.as_str()), "{paper:?} {figure}");
            }
            for table in ["Table I", "Table II", "Table III"].into_iter().take(tables) {
                assert!(labels.contains(&table), "{paper:?} {table}");
            }
        }
    }
}
