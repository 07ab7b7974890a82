//! Mutated robots in URDF and MJCF: reading any file neither panics nor hangs, and accepted models are valid.
//!
//! 3,000 mutants by default; `DTAU_FUZZ=100000 cargo test --release --test this_cpu urdf_fuzz::` for more,
//! and `DTAU_FUZZ_SEED=…` to run and print one mutant.
#![cfg(all(feature = "urdf", feature = "mjcf"))]

use dtau::model::{Description, MimicMode, Model, Options, Root};
use dtau::{ErrorKind, Workspace, aba, rnea};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ROBOTS: [&str; 8] = [
    include_str!("../robots/double_pendulum.urdf"),
    include_str!("../robots/arm6.urdf"),
    include_str!("../robots/arm7_gripper.urdf"),
    include_str!("../robots/quadruped.urdf"),
    include_str!("../robots/humanoid.urdf"),
    EVERYTHING,
    MJCF,
    MJCF,
];

/// One of each element that the reader supports.
const EVERYTHING: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- every element -->
<robot name="everything" xmlns:drake="http://drake.mit.edu">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="a"><inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
    <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="c"/><link name="d"/><link name="e"/><link name="f"/><link name="g"/><link name="h"/>
  <joint name="ja" type="revolute"><parent link="base"/><child link="a"/><origin xyz="1 2 3" rpy="0 1.57 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2" armature="0.01"/></joint>
  <joint name="jb" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <mimic joint="ja" multiplier="-2" offset="0.5"/></joint>
  <joint name="jc" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0.6 0.8 0"/>
    <limit upper="0.1"/><mimic joint="jb"/></joint>
  <joint name="jd" type="helical"><parent link="b"/><child link="d"/><axis xyz="0 0 1" pitch="0.01"/></joint>
  <joint name="je" type="spherical"><parent link="d"/><child link="e"/></joint>
  <joint name="jf" type="planar"><parent link="e"/><child link="f"/><axis xyz="0 0 1"/></joint>
  <joint name="jg" type="floating"><parent link="base"/><child link="g"/></joint>
  <joint name="jh" type="fixed"><parent link="g"/><child link="h"/><drake:rotor_inertia value="0"/></joint>
  <transmission name="t"><type>SimpleTransmission</type><joint name="jb"/>
    <actuator name="m"><mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-4</rotorInertia></actuator></transmission>
  <gazebo reference="a"><![CDATA[<link name="not me"/>]]></gazebo>
</robot>
"#;

/// One of each element of the other format.
const MJCF: &str = r#"<mujoco model="everything">
  <compiler angle="radian" eulerseq="ZyX" boundmass="0.001" boundinertia="0.0001" balanceinertia="true" inertiagrouprange="0 3"/>
  <option gravity="0 0 -9.8" timestep="0.01"><flag contact="disable"/></option>
  <default><joint damping="0.1" armature="0.01"/><default class="arm"><geom type="box" size="0.1 0.2 0.3"/>
    <default class="hand"><geom size="0.05" density="500"/></default></default></default>
  <asset><mesh name="rock" vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.2" inertia="convex" scale="0.1 0.1 0.1"/>
    <mesh name="shell" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" inertia="shell" refpos="1 0 0"/></asset>
  <worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1" quat="1 0 0 1"><freejoint name="root"/><geom type="capsule" size="0.1" fromto="0 0 0 0 0 1"/>
      <site name="imu" pos="0 0 0.1"/>
      <frame pos="0.1 0 0" axisangle="1 0 0 0.3"><body name="a" childclass="arm" euler="0.1 0.2 0.3">
        <joint name="j1" axis="0 1 0" pos="0 0 0.1" range="-1 1" ref="0.2" stiffness="3" springref="0.1"/>
        <joint name="j2" type="slide" axis="1 0 0" range="0 1" frictionloss="0.1"/><geom/>
        <body name="b" xyaxes="1 0 0 0 1 1" childclass="hand"><joint name="j3" type="ball" pos="0.1 0 0"/><geom/>
          <geom type="mesh" mesh="rock" mass="0.3"/><geom type="mesh" mesh="shell" density="2"/></body></body></frame>
      <body name="c" zaxis="0 1 1"><joint name="j4"/><inertial pos="0 0 0.1" mass="1" fullinertia="1 1 1 0.1 0 0"/></body></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="j1" coef="1"/></fixed></tendon>
  <equality><joint joint1="j1" joint2="j4" polycoef="0 2"/><weld body1="a" body2="c"/><connect body1="a" anchor="0 0 1"/></equality>
  <actuator><motor name="m" joint="j1" gear="2" armature="0.1"/><general tendon="t"/></actuator>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 0.1 0.2 1 0 0 0 0.3"/></keyframe>
  <sensor><gyro site="imu"/></sensor>
</mujoco>
"#;

/// An accepted description compiles under every option or gives an error. Compiled models run.
fn build_and_run(robot: &Description) {
    for (root, mimic, allow_massless) in [
        (Root::Fixed, MimicMode::Honour, false),
        (Root::Floating, MimicMode::Free, true),
        (Root::Floating, MimicMode::Honour, true),
    ] {
        let options = Options { root, mimic, allow_massless, ..Options::default() };
        let Ok(model) = Model::build(robot, &options) else { continue };
        let (q, v) = (model.neutral(), vec![0.1; model.nv()]);
        let (mut tau, mut qdd) = (v.clone(), v.clone());
        let mut ws = Workspace::new(&model);
        rnea(&model, &mut ws, &q, &v, &v, &mut tau).unwrap();
        // Massless or extreme bodies give errors that name them.
        if let Err(error) = aba(&model, &mut ws, &q, &v, &tau, &mut qdd) {
            assert!(matches!(error.kind(), ErrorKind::Singular | ErrorKind::Value), "{error}");
        }
    }
}

/// Tests a mutant. Returns true if it was accepted.
fn exercise(text: &str) -> bool {
    match Description::from_text(text) {
        Ok(robot) => {
            assert_eq!(robot.joints.len() + 1, robot.links.len());
            for joint in &robot.joints {
                assert!(joint.origin.pos.to_array().iter().all(|x| x.is_finite()));
                assert!(joint.damping >= 0.0 && joint.friction >= 0.0 && joint.armature >= 0.0);
                assert!(joint.limits.lower <= joint.limits.upper);
            }
            assert!(robot.warnings.len() < 12, "{:?}", robot.warnings);
            build_and_run(&robot);
            for pose in &robot.poses {
                assert!(pose.joints.iter().flat_map(|(_, q)| q).all(|x| x.is_finite()));
            }
            let _ = robot.to_urdf();
            true
        }
        Err(error) => {
            assert!(!error.message().is_empty());
            assert!(error.place().line as usize <= text.lines().count().max(1), "{error}");
            false
        }
    }
}

#[test]
fn mutated_robots_neither_panic_nor_hang() {
    if let Some(seed) = number("DTAU_FUZZ_SEED") {
        let text = mutant(seed);
        println!("{text}");
        println!("accepted: {}", exercise(&text));
        return;
    }
    let count = number("DTAU_FUZZ").unwrap_or(3_000);
    let running = AtomicU64::new(0);
    let mut accepted = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&running, count));
        for seed in 1..=count {
            running.store(seed, Ordering::Relaxed);
            let text = mutant(seed);
            match catch_unwind(AssertUnwindSafe(|| exercise(&text))) {
                Ok(ok) => accepted += u64::from(ok),
                Err(panic) => {
                    running.store(u64::MAX, Ordering::Relaxed);
                    eprintln!("run it again with DTAU_FUZZ_SEED={seed}");
                    std::panic::resume_unwind(panic);
                }
            }
        }
        running.store(u64::MAX, Ordering::Relaxed);
    });
    // The mutations should be neither too wild for the parser nor too tame to be refused.
    println!("{accepted} of {count} mutants were accepted");
    assert!(count < 1000 || (count / 10..count * 9 / 10).contains(&accepted), "{accepted} of {count}");
}

/// Ends the process if one mutant takes ten seconds. A hang cannot be caught otherwise.
fn watch(running: &AtomicU64, count: u64) {
    let (mut last, mut since) = (0, 0);
    while last <= count {
        std::thread::sleep(Duration::from_millis(50));
        let now = running.load(Ordering::Relaxed);
        since = if now == last { since + 1 } else { 0 };
        last = now;
        if since == 200 {
            eprintln!("a mutant hangs: DTAU_FUZZ_SEED={now}");
            std::process::abort();
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|v| v.parse().unwrap_or_else(|_| panic!("{variable} must be a number")))
}

// Mutants

/// Xorshift64*.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

type Span = (usize, usize);

/// Makes a valid robot with one to four mutations.
fn mutant(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = ROBOTS[random.below(ROBOTS.len())].to_string();
    for _ in 0..1 + random.below(4) {
        text = mutate(text, random);
    }
    text
}

fn mutate(text: String, random: &mut Random) -> String {
    const NUMBERS: [&str; 16] = [
        "0", "-0", "-1", "nan", "inf", "-inf", "1e999", "1e-320", "1e308", "", "1,5", "${x}", "0 0 0", "0x10", "1e-13",
        "7 8",
    ];
    const SNIPPETS: [&str; 14] = [
        "<!DOCTYPE r [<!ENTITY a 'b'>]>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "&amp;",
        "&#0;",
        "&a;",
        "<link name=\"a\"/>",
        "</link>",
        "<axis xyz=\"0 0 1\"/>",
        "<mimic joint=\"ja\"/>",
        "<inertial/>",
        "\u{feff}",
    ];
    let replace = |(from, to): Span, with: &str| format!("{}{with}{}", &text[..from], &text[to..]);
    let (values, elements) = (attribute_values(&text), elements(&text));
    let mutated = match random.below(10) {
        0 => {
            let mut bytes = text.clone().into_bytes();
            let at = random.below(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        1 => {
            let from = boundary(&text, random.below(text.len()));
            let to = boundary(&text, from + random.below(40));
            Some(replace((from, to.max(from)), ""))
        }
        2 => random.pick(&values).map(|v| replace(v, NUMBERS[random.below(NUMBERS.len())])),
        // Replaces a value by another one: names of other links, text for numbers, …
        3 | 4 => random.pick(&values).zip(random.pick(&values)).map(|(v, (from, to))| replace(v, &text[from..to])),
        // Duplicates, moves or removes an element.
        5 => random.pick(&elements).map(|(from, to)| replace((to, to), &text[from..to])),
        6 => random
            .pick(&elements)
            .zip(random.pick(&elements))
            .map(|((from, to), (_, at))| replace((at, at), &text[from..to])),
        7 => random.pick(&elements).map(|e| replace(e, "")),
        8 => {
            let at = boundary(&text, random.below(text.len()));
            Some(replace((at, at), SNIPPETS[random.below(SNIPPETS.len())]))
        }
        _ => (random.below(8) == 0).then(|| text[..boundary(&text, random.below(text.len()))].to_string()),
    };
    mutated.unwrap_or(text)
}

/// Returns the last place at or before this one where the text can be cut.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the values between quotes.
fn attribute_values(text: &str) -> Vec<Span> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(i, _)| i).collect();
    quotes.chunks_exact(2).map(|pair| (pair[0] + 1, pair[1])).collect()
}

/// Returns elements with their content, as far as the text is XML.
fn elements(text: &str) -> Vec<Span> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, _) in text.match_indices('<') {
        let Some(end) = text[at..].find('>').map(|i| at + i + 1) else { break };
        if text[at..].starts_with("</") {
            found.extend(open.pop().map(|from| (from, end)));
        } else if text[..end].ends_with("/>") {
            found.push((at, end));
        } else if !text[at..].starts_with("<!") && !text[at..].starts_with("<?") {
            open.push(at);
        }
    }
    found
}
