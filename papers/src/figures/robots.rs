//! Times on robots.

use super::{product_fd, product_id};
use crate::figure::titled;
use crate::figure::{Content, Known, Verdict, limits_of};
use crate::lab::{Lab, Subject};
use crate::plot::{DotSeries, Dots, Plot, Point, Unit};
use crate::robots::Named;
use crate::sweep::{Ratio, method, short};
use crate::work::{Work, product};
use dtau_cli::clock::{Timing, text};
use dtau_cli::product::Instructions;
use dtau_cli::table::Cell;
use dtau_methods::list::Quantity::{FdDerivatives, IdDerivatives, MassInverse};
use std::rc::Rc;

/// Measured works on robots.
struct Grid {
    subjects: Vec<Rc<Subject>>,
    /// Times by robot, then by work.
    times: Vec<Vec<Timing>>,
}

fn measure(lab: &mut Lab<'_>, robots: &[Named], works: &[Work], content: &mut Content) -> Result<Grid, String> {
    let mut grid = Grid { subjects: Vec::new(), times: Vec::new() };
    for (k, &named) in robots.iter().enumerate() {
        let subject = lab.robot(named)?;
        lab.at(&subject.name, k as f64 / robots.len() as f64);
        grid.times.push(lab.times(&subject, works)?);
        subject.note.iter().for_each(|note| content.note(note.clone()));
        grid.subjects.push(subject);
    }
    Ok(grid)
}

impl Grid {
    fn dots(&self, title: &str, series: &[(&str, usize, usize)]) -> Dots {
        let series = series.iter().map(|&(name, work, hue)| {
            let points = self.times.iter().enumerate().map(|(k, times)| Point::time(k as f64, &times[work])).collect();
            DotSeries { name: name.into(), hue, points }
        });
        Dots {
            title: title.into(),
            label: "dot: least time; tick: mean; line: 10–90 %".into(),
            unit: Unit::Time,
            groups: self.subjects.iter().map(|subject| subject.name.clone()).collect(),
            series: series.collect(),
            limit: None,
        }
    }

    fn ratio(&self, robot: usize, slow: usize, fast: usize) -> Ratio {
        Ratio::of(&self.times[robot][slow], &self.times[robot][fast])
    }
}

/// Adds Pinocchio's times, if a run of bench/ is given and has the robot.
fn add_opponent(lab: &Lab<'_>, grid: &Grid, dots: &mut Dots, quantity: &str, content: &mut Content) {
    let Some(opponent) = &lab.settings.opponent else { return };
    let mut builds = Vec::new();
    let points: Vec<Point> = grid
        .subjects
        .iter()
        .enumerate()
        .filter_map(|(k, subject)| {
            let (time, build) = opponent.time(subject.in_bench?, quantity)?;
            builds.push(build.to_string());
            Some(Point::new(k as f64, time))
        })
        .collect();
    if points.is_empty() {
        return content.note("The run of bench/ has no such times of these robots; --robots gives the real ones.");
    }
    dots.series.push(DotSeries { name: "Pinocchio (bench/)".into(), hue: 3, points });
    builds.sort();
    builds.dedup();
    content.note(format!("Pinocchio: {}, least times of a run of bench/ ({}).", builds.join("; "), opponent.label()));
}

/// [Singh21] Fig. 5.
pub fn singh21(lab: &mut Lab<'_>) -> Result<Content, String> {
    let robots = [Named::DoublePendulum, Named::Ur3, Named::Hyq, Named::Baxter, Named::Atlas];
    let claims: &[(usize, &str, f64)] =
        &[(4, "1.6× speedup of IDSVA over Pinocchio's RNEACR for the 36-dof ATLAS.", 1.6)];
    idsva_on_robots(lab, &robots, claims)
}

/// [Singh22] Fig. 5.
pub fn singh22(lab: &mut Lab<'_>) -> Result<Content, String> {
    let robots = [Named::Ur3, Named::Baxter, Named::Hyq, Named::Atlas, Named::Talos];
    let claims: &[(usize, &str, f64)] = &[
        (4, "1.4× speedup of IDSVA over Pinocchio's derivatives of ID for the 50-dof Talos (gcc-9.0).", 1.4),
        (4, "1.2× speedup of the same for the 50-dof Talos with Clang-10.", 1.2),
    ];
    idsva_on_robots(lab, &robots, claims)
}

fn idsva_on_robots(lab: &mut Lab<'_>, robots: &[Named], claims: &[(usize, &str, f64)]) -> Result<Content, String> {
    let works = [method(IdDerivatives, "pinocchio-style")?, method(IdDerivatives, "idsva-printed")?, product_id()];
    let mut content = Content::default();
    let grid = measure(lab, robots, &works, &mut content)?;
    for &(robot, words, paper) in claims {
        let (ratio, own) = (grid.ratio(robot, 0, 1), grid.ratio(robot, 0, 2));
        let ours = format!(
            "{} on {} for the two algorithms alike in Rust; dtau {}×.",
            ratio.beside(&limits_of(paper)),
            grid.subjects[robot].name,
            short(own.least.value)
        );
        content.claim(words, ours, Verdict::of_ratio(paper, ratio.least));
    }
    let mut dots = grid.dots("∂ID on robots", &[("Pinocchio's way", 0, 0), ("IDSVA", 1, 1), ("dtau", 2, 2)]);
    add_opponent(lab, &grid, &mut dots, "id_derivatives", &mut content);
    content.plots = vec![Plot::Dots(dots)];
    content.note(super::chains_id::own_note());
    Ok(content)
}

/// The functions of [Carpentier18] Table I in its order, with its times \[µs\] for KUKA LWR, HyQ and ATLAS.
const TABLE: [(&str, [f64; 3]); 8] = [
    ("ID", [1.20, 2.14, 5.51]),
    ("analytical derivatives of ID", [3.34, 7.01, 16.72]),
    ("finite differences of ID", [21.26, 88.52, 452.46]),
    ("FD", [1.78, 4.28, 9.81]),
    ("analytical derivatives of FD", [5.78, 14.24, 45.20]),
    ("finite differences of FD", [22.67, 94.23, 470.14]),
    ("M⁻¹ dedicated algorithm", [1.82, 4.86, 12.70]),
    ("M⁻¹ Cholesky factorization", [1.88, 5.82, 28.29]),
];

const CARPENTIER: [Named; 3] = [Named::KukaLwr, Named::Hyq, Named::Atlas];

fn carpentier_works() -> Result<[Work; 8], String> {
    let own = |product| Work::Product(product, Instructions::Best);
    Ok([
        own(product("rnea")),
        product_id(),
        method(IdDerivatives, "forward-difference")?,
        own(product("aba")),
        product_fd(),
        method(FdDerivatives, "forward-difference")?,
        method(MassInverse, "dedicated")?,
        method(MassInverse, "cholesky")?,
    ])
}

/// [Carpentier18] Table I.
pub fn carpentier_table(lab: &mut Lab<'_>) -> Result<Content, String> {
    let mut content = Content::default();
    let grid = measure(lab, &CARPENTIER, &carpentier_works()?, &mut content)?;
    for (robot, (subject, times)) in grid.subjects.iter().zip(&grid.times).enumerate() {
        let mut table = titled(&subject.name, &["", "here, least", "here, mean", "paper, mean"]);
        for ((name, paper), time) in TABLE.iter().zip(times) {
            let cell = |ns: f64| Cell::number(text(ns), ns);
            table.row([(*name).into(), cell(time.min), cell(time.mean), cell(1e3 * paper[robot])]);
        }
        content.tables.push(table);
    }
    claims_of_carpentier(&grid, &mut content);
    content.note(
        "ID, FD and their analytical derivatives are the library's, on the best instructions of this CPU; finite differences \
         call the library's ID and FD, 3N + 1 times, for all three inputs; both ways to M⁻¹ are those of the list of methods, \
         in one style, on the instructions every CPU has.",
    );
    Ok(content)
}

fn claims_of_carpentier(grid: &Grid, content: &mut Content) {
    let range = |slow: usize, fast: usize| -> (Known, Known) {
        let all = |robot: usize| grid.ratio(robot, slow, fast).least;
        (1..CARPENTIER.len()).map(all).fold((all(0), all(0)), |(low, high), x| (low.min(x), high.max(x)))
    };
    let times =
        |low: Known, high: Known, limits: &[f64]| format!("{} to {} times.", low.beside(&[]), high.beside(limits));
    let (low, high) = range(1, 0);
    let middle = |pick: fn(Known) -> f64| (pick(low) * pick(high)).sqrt();
    let typical = Known { value: middle(|x| x.value), low: middle(|x| x.low), high: middle(|x| x.high) };
    content.claim(
        "Analytical derivatives of ID take 3 times the time of ID itself.",
        format!(
            "{} to {} times, {} in the middle.",
            low.beside(&[]),
            high.beside(&[]),
            typical.beside(&limits_of(3.0))
        ),
        Verdict::of_ratio(3.0, typical),
    );
    let (low, high) = range(2, 1);
    content.claim(
        "Finite differences of ID take 7 to 26 times the time of analytical derivatives.",
        times(low, high, &limits_of(26.0)),
        Verdict::of_ratio(26.0, high),
    );
    let (low, high) = range(4, 3);
    content.claim(
        "Analytical derivatives of FD take at most 4 times the time of FD itself.",
        times(low, high, &[4.0]),
        high.judge(|high| Verdict::of(high <= 4.0)),
    );
    let (low, high) = range(5, 4);
    content.claim(
        "Finite differences of FD take 4 to 10 times the time of analytical derivatives.",
        times(low, high, &limits_of(10.0)),
        Verdict::of_ratio(10.0, high),
    );
    let (_, high) = range(7, 6);
    content.claim(
        "The dedicated algorithm for M⁻¹ is up to twice as fast as Cholesky for many degrees of freedom.",
        format!("Up to {} times (here Cholesky is tree-sparse).", high.beside(&limits_of(2.0))),
        Verdict::of_ratio(2.0, high),
    );
}

/// [Carpentier18] Fig. 2.
pub fn carpentier_figure(lab: &mut Lab<'_>) -> Result<Content, String> {
    let mut content = Content::default();
    let mut works: Vec<Work> = carpentier_works()?.into();
    works.push(Work::Product(product("minverse"), Instructions::Best));
    let grid = measure(lab, &CARPENTIER, &works, &mut content)?;
    let mut id =
        grid.dots("a) Inverse dynamics", &[("ID", 0, 5), ("analytical ∂ID", 1, 2), ("finite differences", 2, 0)]);
    let mut fd =
        grid.dots("b) Forward dynamics", &[("FD", 3, 5), ("analytical ∂FD", 4, 2), ("finite differences", 5, 0)]);
    let mut inverse = grid.dots("c) M⁻¹", &[("Cholesky", 7, 0), ("dedicated", 6, 1), ("dtau", 8, 2)]);
    add_opponent(lab, &grid, &mut id, "id_derivatives", &mut content);
    add_opponent(lab, &grid, &mut fd, "fd_derivatives", &mut content);
    add_opponent(lab, &grid, &mut inverse, "minverse", &mut content);
    content.plots = [id, fd, inverse].map(Plot::Dots).into();
    let last = CARPENTIER.len() - 1;
    let ratio = grid.ratio(last, 2, 1);
    content.claim(
        "Analytical derivatives are about 40 times faster than finite differences on a humanoid (conclusion; Table I gives 27 for ID).",
        format!("{} for ID on {}.", ratio.beside(&limits_of(40.0)), grid.subjects[last].name),
        Verdict::of_ratio(40.0, ratio.least),
    );
    let ratio = grid.ratio(last, 7, 6);
    content.claim(
        "The dedicated M⁻¹ outperforms Cholesky for many degrees of freedom.",
        format!("{ratio} on {}.", grid.subjects[last].name),
        ratio.faster(),
    );
    Ok(content)
}
