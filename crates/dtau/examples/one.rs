use dtau::model::{Model, Options, generate};
use dtau::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args[2].parse().unwrap();
    let reps: usize = args[3].parse().unwrap();
    let model = Model::build(&generate::chain(n), &Options::default()).unwrap();
    let ws = &mut Workspace::new(&model);
    let q: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let (mut qdd, mut m) = (vec![0.0; n], vec![0.0; n * n]);
    let mut factor = MassFactor::new(&model);
    for _ in 0..reps {
        match args[1].as_str() {
            "aba" => aba(&model, ws, &q, &q, &q, &mut qdd).unwrap(),
            "crba" => crba(&model, ws, &q, &mut m).unwrap(),
            "factor" => crba_factor(&model, ws, &q, &mut factor).unwrap(),
            _ => minverse(&model, ws, &q, &mut m).unwrap(),
        }
    }
}
