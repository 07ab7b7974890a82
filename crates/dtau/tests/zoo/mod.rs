//! Robots with every kind of joint, states for them, and comparisons that say where they failed.
#![allow(dead_code)] // each test crate takes what it needs

use dtau::model::description::FrameDescription;
use dtau::model::{Description, Inertial, JointDescription, JointKind, Link, Mimic, Model, Options, Root, generate};
use dtau::spatial::{Quaternion, Sym3, Transform, Vec3};
use dtau::{Dispatch, Kinematics, Workspace, forward_kinematics};

pub const TOLERANCE: f64 = 1e-12;

pub struct Case {
    pub name: String,
    pub model: Model,
    pub x: State,
}

pub fn cases() -> Vec<Case> {
    let build = |robot: &Description, root| Model::build(robot, &Options { root, ..Options::default() }).unwrap();
    let planar = JointKind::Planar { normal: Vec3::new(0.3, -0.5, 0.8) };
    let mut tree = generate::tree(9, 2);
    tree.links[0].inertial = tree.links[1].inertial;
    let models = [
        ("chain", build(&generate::chain(6), Root::Fixed)),
        ("tree", build(&tree, Root::Floating)),
        ("zoo 1", zoo(1, Root::Fixed)),
        ("zoo 2", zoo(2, Root::Floating)),
        ("zoo 3", zoo(3, Root::Joint(planar))),
        ("zoo 4", zoo(4, Root::Joint(JointKind::Spherical))),
    ];
    let case = |(name, model): (&str, Model)| Case { name: name.into(), x: State::random(&model, 7), model };
    models.into_iter().map(case).collect()
}

/// Every kind of joint twice, branching, with welded links, extra frames, armature and joints that mimic, one in a chain.
pub fn zoo(seed: u64, root: Root) -> Model {
    let mut random = Random(seed);
    let r = &mut random;
    let mut robot = Description { name: format!("zoo_{seed}"), ..Description::default() };
    let link = |name: &str, r: &mut Random| Link { name: name.into(), inertial: Some(r.inertial()), line: 0 };
    robot.links.push(link("base", r));
    robot.links.push(link("plate", r));
    robot.joints.push(JointDescription::new("plate_weld", JointKind::Fixed, "base", "plate"));
    for i in 0..18 {
        let axis = r.vec3();
        let kind = match i % 9 {
            0 => JointKind::Revolute { axis },
            1 => JointKind::Spherical,
            2 => JointKind::Prismatic { axis },
            3 => JointKind::Planar { normal: axis },
            4 => JointKind::Helical { axis, pitch: r.number() },
            5 => JointKind::Continuous { axis },
            6 => JointKind::FreeFlyer,
            7 => JointKind::Translation,
            _ => JointKind::Revolute { axis: Vec3::new(0.0, 1.0, 0.0) },
        };
        let (name, parent) = (format!("link_{i}"), &robot.links[r.below(robot.links.len())].name.clone());
        let mut joint = JointDescription::new(&format!("joint_{i}"), kind, parent, &name);
        joint.origin = r.transform();
        (joint.armature, joint.damping, joint.friction) = (r.number().abs(), r.number().abs(), r.number().abs());
        // 8 follows 0; 9 follows 2; 17 follows 8, which follows 0.
        let leader = [(8, 0), (9, 2), (17, 8)].into_iter().find(|&(follower, _)| follower == i);
        joint.mimic = leader.map(|(_, leader)| Mimic {
            joint: format!("joint_{leader}"),
            multiplier: 1.5 * r.number(),
            offset: r.number(),
        });
        robot.joints.push(joint);
        robot.links.push(link(&name, r));
        if i % 4 == 0 {
            let tool = format!("tool_{i}");
            let mut weld = JointDescription::new(&format!("weld_{i}"), JointKind::Fixed, &name, &tool);
            weld.origin = r.transform();
            robot.joints.push(weld);
            robot.links.push(link(&tool, r));
        }
        if i % 5 == 0 {
            robot.frames.push(FrameDescription { name: format!("frame_{i}"), link: name, placement: r.transform() });
        }
    }
    Model::build(&robot, &Options { root, ..Options::default() }).unwrap()
}

pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
}

impl State {
    pub fn random(model: &Model, seed: u64) -> Self {
        let r = &mut Random(seed);
        let mut q: Vec<f64> = (0..model.nq()).map(|_| r.number()).collect();
        for joint in model.joints() {
            let at = match joint.kind {
                JointKind::Spherical => joint.q.start,
                JointKind::FreeFlyer => joint.q.start + 3,
                _ => continue,
            };
            let turn = Quaternion::exp(r.vec3() * 2.0);
            q[at..at + 4].copy_from_slice(&turn.to_array());
        }
        let (v, a) = ((0..model.nv()).map(|_| r.number()).collect(), (0..model.nv()).map(|_| r.number()).collect());
        Self { q, v, a }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In [−1, 1).
    fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// Mostly small: limbs as well as branches.
    fn below(&mut self, n: usize) -> usize {
        n - 1 - (self.bits() % n.min(4) as u64) as usize
    }
    fn vec3(&mut self) -> Vec3<f64> {
        Vec3::new(self.number(), self.number(), self.number())
    }
    fn transform(&mut self) -> Transform<f64> {
        Transform::new(Quaternion::exp(self.vec3() * 2.0).to_matrix(), self.vec3() * 0.5)
    }
    fn inertial(&mut self) -> Inertial {
        let (a, b) = (self.vec3(), self.vec3());
        let rods = Sym3 {
            xx: a.y * a.y + a.z * a.z + b.y * b.y + b.z * b.z,
            xy: -a.x * a.y - b.x * b.y,
            xz: -a.x * a.z - b.x * b.z,
            yy: a.x * a.x + a.z * a.z + b.x * b.x + b.z * b.z,
            yz: -a.y * a.z - b.y * b.z,
            zz: a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y,
        };
        Inertial { mass: 1.5 + self.number(), com: self.vec3() * 0.3, about_com: rods }
    }
}

/// Entry by entry, relative to the largest.
pub fn assert_close(what: &str, got: &[f64], want: &[f64], rows: usize, tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    let scale = want.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    for (n, (g, w)) in got.iter().zip(want).enumerate() {
        let difference = (g - w).abs();
        let (i, j) = (n % rows, n / rows);
        assert!(
            difference <= tolerance * scale,
            "{what} ({i}, {j}): got {g}, want {w}, difference {difference:e} at scale {scale:e}"
        );
    }
}
pub fn kinematics<T: Dispatch>(model: &Model, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T]) -> Kinematics<T> {
    let mut kin = Kinematics::new(model);
    forward_kinematics(model, ws, q, v, a, &mut kin).unwrap();
    kin
}
