//! MJCF: small models compared with MuJoCo's stored numbers, and refused input.
#![cfg(feature = "mjcf")]

use dtau::model::{Ignore, Model, Options, Root};
use dtau::{
    ErrorKind, FdDerivatives, IdDerivatives, Matrix, Workspace, aba, bias, crba, fd_derivatives, frame_placement,
    id_derivatives, rnea,
};
use serde_json::Value;

/// MuJoCo's results for models that cover every element, in dtau's coordinates. Written by
/// `parity/store_mujoco.py`.
fn stored() -> Value {
    serde_json::from_str(include_str!("references/mjcf.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |most, x| f64::max(most, x.abs()))
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

/// Returns the pose of a frame: three axes and a position.
fn placed(robot: &Model, ws: &mut Workspace, q: &[f64], frame: &str) -> [f64; 12] {
    let mut placement = [0.0; 12];
    frame_placement(robot, ws, robot.frame(frame).unwrap(), q, &mut placement).unwrap();
    placement
}

/// Tolerances are those of the live comparison, see `parity/mujoco_parity.py`.
#[test]
fn models_are_mujocos() {
    for model in stored()["models"].as_array().unwrap() {
        let (name, xml) = (model["name"].as_str().unwrap(), model["xml"].as_str().unwrap());
        let tolerance = model["tolerance"].as_f64().unwrap();
        let robot = Model::from_mjcf(xml, &Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (pose, want) in model["poses"].as_object().unwrap() {
            let (got, want) = (robot.pose(pose).unwrap(), numbers(want));
            assert!(far(&got, &want) < 1e-14, "{name}, pose {pose}: {got:?}, not {want:?}");
        }
        let scene = robot.scene().friction(false);
        let (mut ws, nv) = (Workspace::new(&robot), robot.nv());
        for state in model["states"].as_array().unwrap() {
            let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|key| numbers(&state[key]));
            let (mut m, mut got) = (Matrix::zeros(nv, nv), vec![0.0; nv]);
            crba(scene, &mut ws, &q, &mut m).unwrap();
            let want = rows(&state["crba"]);
            for i in 0..nv {
                for j in 0..nv {
                    let scale = (want[i][i] * want[j][j]).sqrt();
                    let difference = (m[(i, j)] - want[i][j]).abs();
                    assert!(difference <= tolerance * scale, "{name}: M[{i}, {j}] = {}, not {}", m[(i, j)], want[i][j]);
                }
            }
            let size = state["size"].as_f64().unwrap();
            bias(scene, &mut ws, &q, &v, &mut got).unwrap();
            assert!(far(&got, &numbers(&state["bias"])) <= tolerance * size, "{name}: bias {got:?}");
            rnea(scene, &mut ws, &q, &v, &a, &mut got).unwrap();
            assert!(far(&got, &numbers(&state["rnea"])) <= tolerance * size, "{name}: rnea {got:?}");
            aba(scene, &mut ws, &q, &v, &tau, &mut got).unwrap();
            let theirs = numbers(&state["aba"]);
            let force =
                |x: &[f64]| (0..nv).map(|i| (0..nv).map(|j| want[i][j] * x[j]).sum::<f64>()).collect::<Vec<_>>();
            let size = size + largest(force(&theirs.iter().map(|x| x.abs()).collect::<Vec<_>>()));
            assert!(far(&force(&got), &force(&theirs)) <= tolerance * size, "{name}: aba {got:?}, not {theirs:?}");
            for (frame, want) in state["frames"].as_object().unwrap() {
                let (got, want) = (placed(&robot, &mut ws, &q, frame), rows(want));
                for (k, want) in want.iter().enumerate() {
                    let row = [0, 3, 6, 9].map(|column| got[column + k]); // by columns: axes, then position
                    assert!(far(&row, want) < 1e-12, "{name}: {frame}: {got:?}, not {want:?}");
                }
            }
        }
    }
}

/// Springs are included in τ and q̈ and in their derivatives by q, compared with central differences of the
/// same functions.
#[test]
fn springs_are_in_the_derivatives() {
    let model = stored();
    let models = model["models"].as_array().unwrap();
    let springs = models.iter().find(|m| m["name"].as_str().unwrap().starts_with("springs")).unwrap();
    let robot = Model::from_mjcf(springs["xml"].as_str().unwrap(), &Options::default()).unwrap();
    let state = &springs["states"][0];
    let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|key| numbers(&state[key]));
    let (mut ws, n) = (Workspace::new(&robot), robot.nv());
    let (mut id, mut fd) = (IdDerivatives::new(&robot), FdDerivatives::new(&robot));
    id_derivatives(&robot, &mut ws, &q, &v, &a, &mut id).unwrap();
    fd_derivatives(&robot, &mut ws, &q, &v, &tau, &mut fd).unwrap();
    const STEP: f64 = 1e-6;
    for k in 0..n {
        let mut sides = [vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let mut moved = q.clone();
            moved[k] += sign * STEP;
            rnea(&robot, &mut ws, &moved, &v, &a, &mut sides[side]).unwrap();
            aba(&robot, &mut ws, &moved, &v, &tau, &mut sides[2 + side]).unwrap();
        }
        for r in 0..n {
            let slope = |up: usize| (sides[up][r] - sides[up + 1][r]) / (2.0 * STEP);
            assert!((id.dtau_dq[(r, k)] - slope(0)).abs() < 1e-7, "∂τ{r}/∂q{k}");
            assert!((fd.dqdd_dq[(r, k)] - slope(2)).abs() < 1e-6, "∂q̈{r}/∂q{k}");
        }
    }
    // Without springs, the first derivative differs only by the stiffness.
    let mut still = IdDerivatives::new(&robot);
    id_derivatives(robot.scene().springs(false), &mut ws, &q, &v, &a, &mut still).unwrap();
    assert!((id.dtau_dq[(0, 0)] - still.dtau_dq[(0, 0)] - 5.0).abs() < 1e-12);
}

/// Errors for invalid or unsupported input give the line and the element.
#[test]
fn refusals_say_where_and_what() {
    let body =
        |inside: &str| format!("<mujoco>\n<worldbody>\n<body name=\"b\">\n{inside}\n</body></worldbody></mujoco>");
    let rod = r#"<geom size="0.1"/>"#;
    for (text, want) in [
        (
            body(r#"<joint type="screw"/>"#),
            r#"line 4: <joint>: there is no type "screw"; write hinge, slide, ball or free"#,
        ),
        (
            body(r#"<joint name="j" axis="0 0 0"/>"#),
            r#"line 4: joint "j": the axis is zero; give it a direction, such as "0 0 1""#,
        ),
        (body(r#"<joint dampin="1"/>"#), r#"line 4: <joint>: there is no attribute "dampin"; did you mean "damping"?"#),
        (body(r#"<geom type="box" size="1 2"/><joint/>"#), "line 4: <geom>: a box needs 3 positive sizes, below 1e9 m"),
        (body(r#"<geom size="1" mesh="m"/><joint/>"#), "its sphere is fitted to a mesh"),
        (body(r#"<geom type="mesh" mesh="m"/><joint/>"#), r#"there is no mesh "m"; there are none"#),
        (body(r#"<joint class="x"/>"#), r#"class="x": there is no such class; there are "main""#),
        (
            body(&format!(r#"<joint type="ball" stiffness="1"/>{rod}"#)),
            "stiffness of a joint with several degrees of freedom",
        ),
        (body(&format!(r#"<joint damping="1 2"/>{rod}"#)), "damping is a polynomial"),
        (body(&format!(r#"<joint springdamper="1 1"/>{rod}"#)), "springdamper makes it a spring"),
        (body(&format!(r#"<joint euler="1"/>{rod}"#)), r#"there is no attribute "euler""#),
        (body(r#"<composite type="rope"/>"#), "line 4: <composite>: <composite> makes bodies"),
        (body("<wheel/>"), "there is no <wheel> in a body"),
        (
            body(r#"<geom size="1" euler="1 2 3" quat="1 0 0 0"/><joint/>"#),
            "its orientation is given twice, by quat and euler",
        ),
        (body(r#"<freejoint/><joint/><geom size="1"/>"#), "a free joint has to be the only one of a body of the world"),
        (body(r#"<inertial mass="1" diaginertia="1 1 1"/><joint/>"#), r#""pos" is missing; add it"#),
        (
            "<mujoco><option density=\"1.2\"/><worldbody/></mujoco>".into(),
            r#"density="1.2" surrounds the robot with a fluid"#,
        ),
        ("<mujoco><worldbody><joint/></worldbody></mujoco>".into(), "the world has no joints and no inertia"),
        ("<mujoco><include file=\"a.xml\"/></mujoco>".into(), r#"line 1: <include>: "a.xml" is another file"#),
        ("<mujoco><wheels/></mujoco>".into(), "there is no <wheels> in a model"),
        ("<mujoco><compiler angle=\"grad\"/></mujoco>".into(), r#"angle="grad": write "degree" or "radian""#),
        ("<robot name=\"r\"/>".into(), "the root element is <robot>, not <mujoco>"),
        (
            format!(
                "<mujoco><worldbody><body><joint name=\"j\"/>{rod}</body></worldbody>\n<tendon><fixed stiffness=\"1\"><joint joint=\"j\" coef=\"1\"/></fixed></tendon></mujoco>"
            ),
            "line 2: <fixed>: a tendon with stiffness; dtau does not compute that",
        ),
    ] {
        let message = dtau::mjcf::parse(&text).unwrap_err().to_string();
        assert!(message.contains(want), "{message:?} has no {want:?}");
    }
    let fluid = dtau::mjcf::parse("<mujoco><option viscosity=\"1\"/></mujoco>").unwrap_err();
    assert_eq!(fluid.kind(), ErrorKind::Unsupported);
}

/// Effects that are not computed are refused, and the message names the option. With it, they are left out with
/// a warning.
#[test]
fn effects_are_ignored_by_name() {
    let ball = r#"<joint type="ball" stiffness="1"/>"#;
    let model = |before: &str, body: &str, joint: &str| {
        format!(
            "<mujoco>{before}<worldbody><body name=\"b\" {body}>{joint}<geom size=\"0.1\"/></body></worldbody></mujoco>"
        )
    };
    let plain = |joint: &str| Model::from_mjcf(&model("", "", joint), &Options::default()).unwrap();
    for (effect, text) in [
        (Ignore::Fluid, model(r#"<option density="1.2" viscosity="1"/>"#, "", "<joint/>")),
        (Ignore::SpringDamper, model("", "", r#"<joint springdamper="1 1"/>"#)),
        (Ignore::SpringYield, model("", "", r#"<joint stiffness="1" springyield="1"/>"#)),
        (Ignore::BallSpring, model("", "", ball)),
        (Ignore::Polynomial, model("", "", r#"<joint damping="1 2"/>"#)),
        (Ignore::GravComp, model("", r#"gravcomp="1""#, "<joint/>")),
        (Ignore::Tendon, model(r#"<tendon><spatial name="t" damping="1"/></tendon>"#, "", "<joint/>")),
        (Ignore::Actuator, model(r#"<actuator><motor name="m" site="s" armature="1"/></actuator>"#, "", "<joint/>")),
        (Ignore::Flex, model(r#"<deformable><flex name="f"/></deformable>"#, "", "<joint/>")),
        (Ignore::Plugin, model("", "", "<joint/><plugin/>")),
        (Ignore::Align, model("", "", r#"<freejoint align="true"/>"#)),
    ] {
        let name = effect.name();
        assert_eq!(Ignore::named(name).unwrap(), effect);
        let error = Model::from_mjcf(&text, &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        let way = format!("--ignore {name}, in Python ignore=[\"{name}\"], in Rust Options::ignore");
        assert!(error.to_string().contains(&way), "{error}");
        let ignore = vec![effect];
        let model = Model::from_mjcf(&text, &Options { ignore, ..Options::default() }).unwrap();
        let warning = format!("left out as asked, which changes the dynamics: {name}: ");
        assert!(model.warnings().iter().any(|w| w.starts_with(&warning)), "{name}: {:?}", model.warnings());
        let joint = if effect == Ignore::BallSpring { r#"<joint type="ball"/>"# } else { "<joint/>" };
        let joint = if effect == Ignore::Align { "<freejoint/>" } else { joint };
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&plain(joint)));
        let (q, rest) = (model.neutral(), vec![0.0; model.nv()]);
        let (mut tau, mut want) = (rest.clone(), rest.clone());
        rnea(&model, &mut ws, &q, &rest, &rest, &mut tau).unwrap();
        rnea(&plain(joint), &mut other, &q, &rest, &rest, &mut want).unwrap();
        assert_eq!(tau, want, "{name}");
    }
    let error = Ignore::named("fluids").unwrap_err().to_string();
    assert!(error.contains("there is no effect \"fluids\"") && error.contains("did you mean \"fluid\""), "{error}");
}

/// All faults, in the order of the file, those of numbers beside those of the format.
#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let text = r#"<mujoco><option density="1.2"/>
        <worldbody><light/><camera/><wheel/>
        <body name="a"><joint type="screw"/><geom type="box" size="1"/>
        <body name="b" pos="1 2"><joint name="j" springdamper="1 1"/><geom size="0.1"/></body></body>
        <body name="c"><joint name="k" range="2 1" limited="true" damping="-1"/><geom size="0.1"/></body></worldbody>
        <actuator><motor name="m" joint="j" gear="x"/></actuator></mujoco>"#;
    let error = dtau::mjcf::parse(text).unwrap_err().in_file("robot.xml");
    let told = error.to_string();
    let wanted = [
        "robot.xml:1: <option>: density",
        "robot.xml:2: <wheel>: there is no <wheel> in a body",
        "robot.xml:3: <joint>: there is no type",
        "robot.xml:3: <geom>: a box needs 3",
        "robot.xml:4: body \"b\": pos=\"1 2\" has 2 numbers",
        "robot.xml:4: joint \"j\": springdamper",
        "robot.xml:5: joint \"k\": the damping is -1",
        "robot.xml:5: joint \"k\": the lower limit",
        "robot.xml:6: motor \"m\": gear=\"x\"",
    ];
    for (told, want) in told.lines().zip(wanted) {
        assert!(told.starts_with(want), "{told}, not {want}");
    }
    assert_eq!(told.lines().count(), wanted.len(), "{told}");
}

/// A root that moves would let the world of an MJCF fly above its own free joint.
#[test]
fn a_free_joint_needs_no_floating_root() {
    let floating = Options { root: Root::Floating, ..Options::default() };
    for joint in ["<freejoint name=\"root\"/>", "<joint name=\"root\" type=\"free\" armature=\"1\"/>"] {
        let text = format!("<mujoco>\n<worldbody><body>\n{joint}<geom size=\"0.1\"/></body></worldbody></mujoco>");
        let error = Model::from_mjcf(&text, &floating).unwrap_err().to_string();
        assert!(error.starts_with("line 3: joint \"root\" lets the robot fly already"), "{error}");
        assert!(error.ends_with("leave the root fixed"), "{error}");
        assert_eq!(Model::from_mjcf(&text, &Options::default()).unwrap().nv(), 6);
    }
    let arm = "<mujoco><worldbody><body><joint/><geom size=\"0.1\"/></body></worldbody></mujoco>";
    assert_eq!(Model::from_mjcf(arm, &floating).unwrap().nv(), 7);
}

/// Elements without effect on bodies give no warning.
#[test]
fn cameras_are_no_warning() {
    let text = r#"<mujoco><visual><map/></visual><asset><texture name="t"/><material name="m"/></asset><worldbody><light/>
        <body><camera/><joint/><geom size="0.1"/></body></worldbody><sensor><jointpos joint="j"/></sensor></mujoco>"#;
    assert_eq!(dtau::mjcf::parse(text).unwrap().warnings, Vec::<String>::new());
}

/// Included files are inserted in place, and an error in one names it.
#[test]
fn included_files_stand_where_they_are_included() {
    let main = r#"<mujoco><worldbody><body name="a"><include file="parts/joint.xml"/><geom size="0.1"/></body>
        <body name="b"><joint/><geom type="mesh" mesh="t"/></body></worldbody><asset><mesh file="t.obj"/></asset>
        <compiler meshdir="meshes"/></mujoco>"#;
    let open = |bad: bool| {
        move |path: &str| match path {
            "parts/joint.xml" => Ok(b"<mujocoinclude>\n<include file=\"more.xml\"/></mujocoinclude>".to_vec()),
            "parts/more.xml" if bad => Ok(b"<mujocoinclude>\n<joint type=\"x\"/></mujocoinclude>".to_vec()),
            "parts/more.xml" => Ok(b"<mujocoinclude><joint name=\"j\" axis=\"1 0 0\"/></mujocoinclude>".to_vec()),
            "meshes/t.obj" => Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n".to_vec()),
            _ => Err("is not there".to_string()),
        }
    };
    let robot = dtau::mjcf::parse_with(main, open(false)).unwrap();
    assert_eq!(robot.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["j", "joint1"]);
    let mass = robot.links.iter().find(|link| link.name == "b").unwrap().inertial.unwrap().mass;
    assert!((mass - 1000.0 / 6.0).abs() < 1e-12, "{mass}");
    let error = dtau::mjcf::parse_with(main, open(true)).unwrap_err().to_string();
    assert!(error.starts_with(r#"parts/more.xml:2: <joint>: there is no type "x""#), "{error}");
    let twice = r#"<mujoco><include file="parts/more.xml"/><include file="parts/more.xml"/></mujoco>"#;
    let error = dtau::mjcf::parse_with(twice, open(false)).unwrap_err().to_string();
    assert!(error.contains("is included already"), "{error}");
}

/// The format is detected from the text. Gravity is the file's unless another is requested.
#[test]
fn the_text_says_its_format_and_gravity() {
    let text = r#"<!-- a model --><mujoco><option gravity="0 0 -1.62"/><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let options = Options::default();
    assert_eq!(Model::from_text(text, &options).unwrap().gravity(), [0.0, 0.0, -1.62]);
    let given = Options { gravity: [0.0, 0.0, -3.7], ..Options::default() };
    assert_eq!(Model::from_text(text, &given).unwrap().gravity(), [0.0, 0.0, -3.7]);
    let again = Model::from_mjcf(text, &options).unwrap();
    assert_eq!(Model::build(again.description(), again.options()).unwrap().gravity(), [0.0, 0.0, -1.62]);
}

/// A model saved as URDF and as JSON reads back to the same bits of M, τ and q̈.
#[test]
fn models_are_saved_and_read_back_to_the_same_bits() {
    let all = |robot: &Model, state: &Value| {
        let (mut ws, n) = (Workspace::new(robot), robot.nv());
        let [q, v, a, tau] = ["q", "v", "a", "tau"].map(|key| numbers(&state[key]));
        let (mut m, mut x, mut y) = (Matrix::zeros(n, n), vec![0.0; n], vec![0.0; n]);
        crba(robot, &mut ws, &q, &mut m).unwrap();
        rnea(robot, &mut ws, &q, &v, &a, &mut x).unwrap();
        aba(robot, &mut ws, &q, &v, &tau, &mut y).unwrap();
        let m = (0..n * n).map(|k| m[(k / n, k % n)]);
        m.chain(x).chain(y).map(f64::to_bits).collect::<Vec<_>>()
    };
    for model in stored()["models"].as_array().unwrap() {
        let name = model["name"].as_str().unwrap();
        let robot = Model::from_mjcf(model["xml"].as_str().unwrap(), &Options::default()).unwrap();
        let want = all(&robot, &model["states"][0]);
        match robot.description().to_urdf() {
            Ok(urdf) => {
                let again =
                    Model::from_urdf(&urdf, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}\n{urdf}"));
                assert_eq!(all(&again, &model["states"][0]), want, "{name} as URDF");
            }
            Err(error) => assert!(error.message().contains("gravity"), "{name}: {error}"),
        }
        #[cfg(feature = "serde")]
        {
            let json = serde_json::to_string(robot.description()).unwrap();
            let again: dtau::model::Description = serde_json::from_str(&json).unwrap();
            assert_eq!(&again, robot.description(), "{name}");
            assert_eq!(
                all(&Model::build(&again, &Options::default()).unwrap(), &model["states"][0]),
                want,
                "{name} as JSON"
            );
        }
    }
}

/// Actuators and equalities are stored as data. Active equalities become constraints on request.
#[test]
fn actuators_and_equalities_are_kept() {
    let text = r#"<mujoco><worldbody><body name="a"><joint name="x"/><geom size="0.1"/><site name="s"/></body>
        <body name="b"><joint name="y" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
        <default><motor gear="5"/></default>
        <actuator><motor name="m" joint="x"/><position joint="y" gear="2 1"/></actuator>
        <equality><connect name="c" body1="a" body2="b" anchor="0 0 1"/><joint joint1="x" joint2="y" polycoef="0 2"/>
        <weld site1="s" body2="b" active="false"/></equality></mujoco>"#;
    let robot = dtau::mjcf::parse(text).unwrap();
    assert_eq!(robot.actuators[0].gear, [5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((robot.actuators[1].target.as_str(), &robot.actuators[1].gear[..2]), ("y", &[2.0, 1.0][..]));
    assert_eq!(robot.equalities.len(), 3);
    assert!(!robot.equalities[2].active);
    let model = Model::build(&robot, &Options::default()).unwrap();
    let constraints = model.equality_constraints().unwrap();
    assert_eq!(constraints.rows(), 3 + 1); // a point and a gear; the weld is not active
}
