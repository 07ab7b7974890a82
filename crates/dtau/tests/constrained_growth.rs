//! Growth of the cost of constrained dynamics with the number of rows. Operations are counted; a multiply-add is one.
//!
//! `cargo test -p dtau --all-features --test this_cpu constrained_growth:: -- --nocapture` prints the tables of `docs/constraints.md`.

use dtau::model::{Model, Root, generate};
use dtau::scalar::{Counted, Operations, Real};
use dtau::*;
use dtau_fixtures::robots;
use dtau_fixtures::states::State;

/// Returns the operations of a call with constraints, by the function's name.
fn operations(name: &str, set: &Constraints, x: &State) -> f64 {
    let (model, declaration) = (set.model(), function(name).unwrap());
    let counts = Counts { columns: 1, rows: set.rows() };
    let lift = |x: &[f64]| x.iter().map(|&x| Counted::from_f64(x)).collect::<Vec<_>>();
    let input = |arg: &Arg| match arg.name {
        "q" => lift(&x.q),
        "v" | "dq" => lift(&x.v),
        "w_lambda" => lift(&vec![0.5; set.rows()]),
        _ => lift(&x.a),
    };
    let x: Vec<Vec<Counted>> = declaration.inputs.iter().map(input).collect();
    let x: Vec<&[Counted]> = x.iter().map(|x| &x[..]).collect();
    let room = |arg: &Arg| vec![Counted::from_f64(0.0); arg.size.of(model, counts)];
    let mut y: Vec<Vec<Counted>> = declaration.outputs.iter().map(room).collect();
    let mut y: Vec<&mut [Counted]> = y.iter_mut().map(|y| &mut y[..]).collect();
    let call = declaration.with(&Parameters::default()).unwrap();
    let (mut ws, mut done) = (Workspace::<Counted>::new(model), Ok(()));
    let counted = Operations::of(|| done = call.call(model.scene().constraints(set), &mut ws, &x, &mut y));
    done.unwrap();
    counted.instructions() as f64
}

const FUNCTIONS: [&str; 4] =
    ["constrained_fd", "constrained_fd_derivatives", "constrained_fd_jvp", "constrained_fd_vjp"];

/// Two chains side by side on the world, with `links` links each.
fn ladder(links: usize) -> (Model, State) {
    let mut robot = generate::chain(2 * links);
    robot.joints[links].parent = robot.joints[0].parent.clone();
    let model = robots::build(&robot, Root::Fixed);
    let x = State::random(&model, 3);
    (model, x)
}

/// Constrains the distance between corresponding frames at the ends of two branches, rung by rung. Each rung
/// is a loop.
fn rungs(model: &Model, count: usize) -> Constraints {
    let n = model.nv();
    let names: Vec<String> = (0..n).map(|k| model.joints()[k].link.clone()).collect();
    let mut set = Constraints::new(model);
    for k in 0..count {
        let step = n / 2 / count;
        let (one, other) = (n / 2 - 1 - k * step, n - 1 - k * step);
        set = set.point(&names[one]).at([0.1, 0.2, 0.3]).at_distance_of(&names[other], [0.3, -0.1, 0.2], 0.5);
    }
    set.build().unwrap()
}

fn print(title: &str, rows: &[(usize, usize, [f64; 4])]) {
    println!("{title}\n| nv | rows | forward | with derivatives | jvp | vjp |\n| --- | --- | --- | --- | --- | --- |");
    for (nv, m, [a, b, c, d]) in rows {
        println!("| {nv} | {m} | {a:.0} | {b:.0} | {c:.0} | {d:.0} |");
    }
}

/// More loops on one robot. A product costs about twice as much as forward dynamics, for any number of rows.
/// Forward dynamics costs at most m² (N + m) more than without constraints.
#[test]
fn more_loops_on_one_robot() {
    let (model, x) = ladder(32);
    let table: Vec<_> = [1, 2, 4, 8, 16, 32]
        .map(|count| (model.nv(), count, FUNCTIONS.map(|name| operations(name, &rungs(&model, count), &x))))
        .into();
    print("more loops, 64 joints", &table);
    let (_, _, least) = table[0];
    for (nv, m, [forward, with, jvp, vjp]) in table {
        let (n, m) = (nv as f64, m as f64);
        assert!(forward - least[0] < m * m * (n + m) + 80.0 * n * m, "m = {m}: {forward}");
        assert!(
            jvp - forward < 300.0 * n + 8.0 * n * n + m * (200.0 + 2.0 * n + 4.0 * m),
            "m = {m}: {jvp} beside {forward}"
        );
        assert!(
            vjp - forward < 300.0 * n + 8.0 * n * n + m * (200.0 + 2.0 * n + 4.0 * m),
            "m = {m}: {vjp} beside {forward}"
        );
        assert!(with > 2.0 * jvp, "the matrices cost more than a product: {with} beside {jvp}");
    }
}

/// One loop for every four joints, on robots of increasing length. Only printed; `more_loops_on_one_robot`
/// asserts the growth.
#[test]
fn longer_ladders() {
    let table: Vec<_> = [4, 8, 16, 32]
        .map(|links| {
            let (model, x) = ladder(links);
            let set = rungs(&model, links / 2);
            (model.nv(), set.rows(), FUNCTIONS.map(|name| operations(name, &set, &x)))
        })
        .into();
    print("a loop for every four joints", &table);
    for pair in table.windows(2) {
        let [before, after] = [pair[0].2, pair[1].2];
        for (k, name) in FUNCTIONS.iter().enumerate() {
            let growth = after[k] / before[k];
            assert!(growth < 8.0, "{name}: {growth} times the work for twice the robot");
        }
    }
}

/// Derivatives are substitutions in factors that are as sparse as the paths of the rows. A rod between two
/// limbs costs little more than a gear.
#[test]
fn a_loop_costs_hardly_more_than_a_relation_of_joints() {
    let model = robots::bundled("humanoid", Root::Floating);
    let x = State::random(&model, 3);
    let single: Vec<&str> =
        model.joints().iter().filter(|joint| joint.v.len() == 1).map(|joint| joint.name.as_str()).collect();
    let (first, last) = (single[0], single[single.len() - 1]);
    let gear = Constraints::new(&model).joints(&[(first, 1.0), (last, -2.0)]).sum_to(0.1).build().unwrap();
    let leaf = |joint: &str| model.joint_info(model.joint(joint).unwrap()).link.clone();
    let loop_ = Constraints::new(&model).point(&leaf(first)).at_distance_of(&leaf(last), [0.1, 0.2, 0.3], 0.5);
    let [gear, loop_] = [gear, loop_.build().unwrap()].map(|set| operations("constrained_fd_derivatives", &set, &x));
    println!("derivatives of the humanoid, one row: a gear {gear:.0}, a rod between two limbs {loop_:.0} operations");
    assert!(loop_ < 1.1 * gear, "{gear} beside {loop_}");
}
