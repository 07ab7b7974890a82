//! The URDF reader: accepted input, warnings, and error messages.
#![cfg(all(feature = "std", feature = "urdf"))]
#![allow(non_snake_case)]

use dtau::ErrorKind;
use dtau::model::description::{Description, JointKind, Limits, Mimic};
use dtau::spatial::{Mat3, Sym3, Vec3};
use dtau::urdf::parse;
use std::f64::consts::FRAC_PI_2;

/// Bundled robots: name, text, number of links, joints, and fixed joints.
const BUNDLED: [(&str, &str, usize, usize, usize); 5] = [
    ("double_pendulum", include_str!("../robots/double_pendulum.urdf"), 4, 3, 1),
    ("arm6", include_str!("../robots/arm6.urdf"), 8, 7, 1),
    ("arm7_gripper", include_str!("../robots/arm7_gripper.urdf"), 13, 12, 3),
    ("quadruped", include_str!("../robots/quadruped.urdf"), 18, 17, 5),
    ("humanoid", include_str!("../robots/humanoid.urdf"), 40, 39, 6),
];

/// Two links and the joint "elbow" with this type and these elements. The joint's opening tag is on line 4.
fn elbow(kind: &str, inside: &str) -> String {
    format!(
        "<robot name=\"arm\">\n<link name=\"upper\"/>\n<link name=\"fore\"/>\n\
         <joint name=\"elbow\" type=\"{kind}\">\n<parent link=\"upper\"/>\n<child link=\"fore\"/>\n{inside}\n</joint>\n</robot>\n"
    )
}

/// A robot of one link with these elements. The link's opening tag is on line 2.
fn link(inside: &str) -> String {
    format!("<robot name=\"arm\">\n<link name=\"fore\">\n{inside}\n</link>\n</robot>\n")
}

/// A robot with these elements, from line 2.
fn robot(inside: &str) -> String {
    format!("<robot name=\"arm\">\n{inside}\n</robot>\n")
}

fn message(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("no error from:\n{text}"),
        Err(error) => error.in_file("arm.urdf").to_string(),
    }
}

fn parsed(text: &str) -> Description {
    parse(text).unwrap_or_else(|error| panic!("{error} in:\n{text}"))
}

// Accepted input

#[test]
fn bundled_robots_are_read_without_warnings() {
    for (name, text, links, joints, fixed) in BUNDLED {
        let robot = parsed(text);
        assert_eq!(robot.name, name);
        assert_eq!((robot.links.len(), robot.joints.len()), (links, joints), "{name}");
        assert_eq!(robot.joints.iter().filter(|j| j.kind == JointKind::Fixed).count(), fixed, "{name}");
        assert!(robot.warnings.is_empty(), "{name}: {:?}", robot.warnings);
        for link in &robot.links {
            let line = text.lines().nth(link.line as usize - 1).unwrap();
            assert!(line.contains(&format!("<link name=\"{}\"", link.name)), "{name}:{}: {line}", link.line);
        }
    }
}

/// Compares joints, types, origins, limits, dynamics, mimics and inertias with another reader.
///
/// Both parse the same decimals, so numbers agree exactly. Rotations agree to a few rounding errors with the
/// product of elementary ones.
#[test]
fn bundled_robots_are_what_urdf_rs_reads() {
    use urdf_rs::JointType;
    for (name, text, ..) in BUNDLED {
        let (ours, theirs) = (parsed(text), urdf_rs::read_from_string(text).unwrap());
        assert_eq!(ours.name, theirs.name);
        assert_eq!(ours.joints.len(), theirs.joints.len(), "{name}");
        for (a, b) in ours.joints.iter().zip(&theirs.joints) {
            let at = format!("{name}, joint {}", a.name);
            assert_eq!((&a.name, &a.parent, &a.child), (&b.name, &b.parent.link, &b.child.link), "{at}");
            let axis = Vec3::from(b.axis.xyz.0);
            let kind = match b.joint_type {
                JointType::Fixed => JointKind::Fixed,
                JointType::Revolute => JointKind::Revolute { axis },
                JointType::Continuous => JointKind::Continuous { axis },
                JointType::Prismatic => JointKind::Prismatic { axis },
                ref other => panic!("{at}: {other:?}"),
            };
            assert_eq!(a.kind, kind, "{at}");
            assert_eq!(a.origin.pos.to_array(), b.origin.xyz.0, "{at}");
            assert_close(&a.origin.rot, &roll_pitch_yaw(b.origin.rpy.0), &at);
            let dynamics = b.dynamics.as_ref().map_or((0.0, 0.0), |d| (d.damping, d.friction));
            assert_eq!((a.damping, a.friction), dynamics, "{at}");
            if matches!(a.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. }) {
                let limits = Limits {
                    lower: b.limit.lower,
                    upper: b.limit.upper,
                    velocity: b.limit.velocity,
                    effort: b.limit.effort,
                };
                assert_eq!(a.limits, limits, "{at}");
            }
            let mimic = b.mimic.as_ref().map(|m| Mimic {
                joint: m.joint.clone(),
                multiplier: m.multiplier.unwrap_or(1.0),
                offset: m.offset.unwrap_or(0.0),
            });
            assert_eq!(a.mimic, mimic, "{at}");
        }
        assert_eq!(ours.links.len(), theirs.links.len(), "{name}");
        for (a, b) in ours.links.iter().zip(&theirs.links) {
            let at = format!("{name}, link {}", a.name);
            assert_eq!(a.name, b.name, "{at}");
            // urdf-rs does not distinguish a missing inertial from a massless one.
            let Some(inertial) = a.inertial else {
                assert_eq!(b.inertial.mass.value, 0.0, "{at}");
                continue;
            };
            let i = &b.inertial.inertia;
            let own = Sym3 { xx: i.ixx, xy: i.ixy, xz: i.ixz, yy: i.iyy, yz: i.iyz, zz: i.izz };
            let R = roll_pitch_yaw(b.inertial.origin.rpy.0);
            assert_eq!(inertial.mass, b.inertial.mass.value, "{at}");
            assert_eq!(inertial.com.to_array(), b.inertial.origin.xyz.0, "{at}");
            assert_close(&inertial.about_com.to_mat3(), &(R * own.to_mat3() * R.transpose()), &at);
        }
    }
}

/// Rz(y) Ry(p) Rx(r), as a product of elementary rotations.
fn roll_pitch_yaw([r, p, y]: [f64; 3]) -> Mat3<f64> {
    let Rx = Mat3::from_rows([[1.0, 0.0, 0.0], [0.0, r.cos(), -r.sin()], [0.0, r.sin(), r.cos()]]);
    let Ry = Mat3::from_rows([[p.cos(), 0.0, p.sin()], [0.0, 1.0, 0.0], [-p.sin(), 0.0, p.cos()]]);
    let Rz = Mat3::from_rows([[y.cos(), -y.sin(), 0.0], [y.sin(), y.cos(), 0.0], [0.0, 0.0, 1.0]]);
    Rz * Ry * Rx
}

/// Tolerance: a few rounding errors of numbers of size 1 or less.
fn assert_close(got: &Mat3<f64>, want: &Mat3<f64>, at: &str) {
    let (got, want) = (got.to_rows(), want.to_rows());
    for i in 0..3 {
        for j in 0..3 {
            let difference = (got[i][j] - want[i][j]).abs();
            assert!(difference < 4e-15, "{at} ({i}, {j}): got {} want {} ({difference:e})", got[i][j], want[i][j]);
        }
    }
}

/// A quarter turn about z maps x to y and y to −x: Ixx and Iyy are exchanged, Ixy changes sign, Ixz becomes
/// Iyz, and Iyz becomes −Ixz. A quarter turn about x then does the same for y and z.
#[test]
fn the_inertia_is_rotated_into_the_axes_of_the_link() {
    let with = |rpy: &str| {
        parsed(&link(&format!(
            r#"<inertial><origin xyz="0.1 0.2 0.3" rpy="{rpy}"/><mass value="2"/>
               <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>"#
        )))
        .links[0]
            .inertial
            .unwrap()
    };
    let plain = with("0 0 0");
    assert_eq!((plain.mass, plain.com), (2.0, Vec3::new(0.1, 0.2, 0.3)));
    assert_eq!(plain.about_com, Sym3 { xx: 1.0, xy: 0.1, xz: 0.2, yy: 1.5, yz: 0.3, zz: 2.0 });
    let about_z = Sym3 { xx: 1.5, xy: -0.1, xz: -0.3, yy: 1.0, yz: 0.2, zz: 2.0 };
    let about_x = Sym3 { xx: 1.0, xy: -0.2, xz: 0.1, yy: 2.0, yz: -0.3, zz: 1.5 };
    for (rpy, want) in [(format!("0 0 {FRAC_PI_2}"), about_z), (format!("{FRAC_PI_2} 0 0"), about_x)] {
        let got = with(&rpy);
        assert_eq!(got.com, plain.com);
        assert_close(&got.about_com.to_mat3(), &want.to_mat3(), &rpy);
    }
}

#[test]
fn origins_are_roll_then_pitch_then_yaw_about_fixed_axes() {
    let text = elbow("fixed", r#"<origin xyz="1 2 3" rpy="0.3 -0.8 2.1"/>"#);
    let origin = parsed(&text).joints[0].origin;
    assert_eq!(origin.pos.to_array(), [1.0, 2.0, 3.0]);
    assert_close(&origin.rot, &roll_pitch_yaw([0.3, -0.8, 2.1]), "origin");
}

#[test]
fn every_type_of_joint_is_read() {
    let axis = Vec3::new(0.0, 3.0, 4.0);
    for (kind, want) in [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute { axis }),
        ("continuous", JointKind::Continuous { axis }),
        ("prismatic", JointKind::Prismatic { axis }),
        ("planar", JointKind::Planar { normal: axis }),
        ("floating", JointKind::FreeFlyer),
        ("spherical", JointKind::Spherical),
        ("translation", JointKind::Translation),
        ("helical", JointKind::Helical { axis, pitch: 0.01 }),
    ] {
        let text = elbow(
            kind,
            r#"<axis xyz="0 3 4" pitch="0.01"/> <limit lower="-1" upper="2" velocity="3" effort="4"/>
               <dynamics damping="0.5" friction="0.25" armature="0.125"/>
               <calibration rising="0"/><safety_controller k_velocity="1"/>"#,
        );
        let robot = parsed(&text);
        let joint = &robot.joints[0];
        assert_eq!(joint.kind, want);
        assert_eq!((joint.damping, joint.friction, joint.armature, joint.line), (0.5, 0.25, 0.125, 4), "{kind}");
        let (lower, upper) = if kind == "continuous" { (f64::NEG_INFINITY, f64::INFINITY) } else { (-1.0, 2.0) };
        assert_eq!(joint.limits, Limits { lower, upper, velocity: 3.0, effort: 4.0 }, "{kind}");
        assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    }
}

/// Every kind has a URDF type with the same name, except the free-flyer.
#[test]
fn types_that_are_unknown_are_told_with_those_that_are_known() {
    let types: Vec<&str> = JointKind::NAMES.iter().map(|&n| if n == "free-flyer" { "floating" } else { n }).collect();
    for (kind, name) in types.iter().zip(JointKind::NAMES) {
        let text = elbow(kind, r#"<axis xyz="0 3 4" pitch="0.01"/>"#);
        assert_eq!(parsed(&text).joints[0].kind.name(), *name);
    }
    let known = types.join(", ");
    let want = format!(r#"arm.urdf:4: joint "elbow": there is no type "hinge"; write one of {known}"#);
    assert_eq!(message(&elbow("hinge", "")), want);
}

#[test]
fn mimics_have_urdfs_defaults_and_may_chain() {
    let joint = |i: usize, mimic: &str| {
        format!(
            r#"<link name="l{i}"/><joint name="j{i}" type="continuous"><parent link="l{}"/><child link="l{i}"/><axis xyz="0 0 1"/>{mimic}</joint>"#,
            i - 1
        )
    };
    let text = robot(&format!(
        r#"<link name="l0"/>{}{}{}"#,
        joint(1, ""),
        joint(2, r#"<mimic joint="j1"/>"#),
        joint(3, r#"<mimic joint="j2" multiplier="-2" offset="0.5"/>"#)
    ));
    let mimics: Vec<_> = parsed(&text).joints.into_iter().map(|j| j.mimic).collect();
    let follow = |joint: &str, multiplier, offset| Some(Mimic { joint: joint.into(), multiplier, offset });
    assert_eq!(mimics, [None, follow("j1", 1.0, 0.0), follow("j2", -2.0, 0.5)]);
}

/// n² J = 50² · 2e-4 = 0.5, in every notation.
#[test]
fn rotor_inertias_become_armature() {
    let armature = |extra: &str, inside: &str| {
        let text = elbow("continuous", &format!("<axis xyz=\"0 0 1\"/>{inside}"));
        let text = text.replace("<robot", "<robot xmlns:drake=\"http://drake.mit.edu\"");
        let robot = parsed(&text.replace("</robot>", &format!("{extra}</robot>")));
        assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
        robot.joints[0].armature
    };
    let rotor = "<rotorInertia>2e-4</rotorInertia>";
    let transmission = |inside: &str| format!(r#"<transmission name="t"><joint name="elbow"/>{inside}</transmission>"#);
    for (extra, inside) in [
        (
            transmission(&format!(
                "<actuator name=\"a\"><mechanicalReduction>50</mechanicalReduction>{rotor}</actuator>"
            )),
            "",
        ),
        (
            transmission(
                "<mechanicalReduction> 50 </mechanicalReduction><actuator><motorInertia>2e-4</motorInertia></actuator>",
            ),
            "",
        ),
        (transmission(r#"<actuator><drake:gear_ratio value="50"/><drake:rotor_inertia value="2e-4"/></actuator>"#), ""),
        (String::new(), r#"<actuator><drake:gear_ratio value="50"/><drake:rotor_inertia value="2e-4"/></actuator>"#),
        (String::new(), r#"<drake:gear_ratio value="50"/><drake:rotor_inertia value="2e-4"/>"#),
        (String::new(), r#"<dynamics armature="0.5"/>"#),
    ] {
        assert!((armature(&extra, inside) - 0.5).abs() < 1e-15, "{extra}{inside}");
    }
    // Two motors on one joint without a reduction add up. A reduction alone has no effect.
    let two = transmission(&format!("<actuator>{rotor}</actuator><actuator>{rotor}</actuator>"));
    assert_eq!(armature(&two, ""), 4e-4);
    assert_eq!(armature(&transmission("<actuator><mechanicalReduction>abc</mechanicalReduction></actuator>"), ""), 0.0);
}

#[test]
fn what_is_not_dynamics_is_skipped_silently() {
    let text = r#"<?xml version="1.0"?>
        <!-- <link name="not me"> -->
        <robot name="arm" xmlns:foo="http://foo">
          <material name="grey"><color rgba="1 1 1 1"/></material>
          <gazebo reference="fore"><joint name="not me"/></gazebo>
          <ros2_control name="x"/><sensor name="y"/><foo:bar baz="1"/>
          <transmission name="t"><joint name="nobody"/></transmission>
          <link name="fore"><visual><geometry><mesh filename="/does/not/exist.stl"/></geometry></visual><collision/></link>
        </robot>"#;
    let robot = parsed(text);
    assert_eq!((robot.links.len(), robot.joints.len(), robot.warnings.len()), (1, 0, 0), "{:?}", robot.warnings);
}

#[test]
fn a_byte_order_mark_carriage_returns_and_a_default_namespace_are_fine() {
    let text = elbow("revolute", r#"<axis xyz="0 0 0"/>"#).replace('\n', "\r\n").replace("<robot", "\u{feff}<robot");
    let zero_axis = r#"arm.urdf:4: joint "elbow": the axis is zero; give it a direction, such as "0 0 1""#;
    assert_eq!(message(&text), zero_axis);
    assert_eq!(message(&text.replace("<robot", "<robot xmlns=\"http://drake.mit.edu\"")), zero_axis);
}

#[test]
fn files_are_named_in_errors() {
    let missing = dtau::urdf::read("no/such/arm.urdf").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert!(missing.to_string().starts_with("no/such/arm.urdf: cannot be read: "), "{missing}");
    let folder = std::env::temp_dir().join(format!("dtau-urdf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes, want) in [
        ("latin1.urdf", &b"<robot>\n\xe9</robot>"[..], ":2: the text is not UTF-8; save the file as UTF-8"),
        ("utf16.urdf", &b"\xff\xfe<\0r\0"[..], ": the file is in UTF-16; save it as UTF-8"),
        ("empty.urdf", &b""[..], ": the file is empty; it should hold a <robot>"),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = dtau::urdf::read(&path).unwrap_err().to_string();
        assert_eq!(error, format!("{}{want}", path.display()));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

// Warnings

#[test]
fn repeated_oddities_are_one_warning() {
    let joints: String = (1..=6)
        .map(|i| {
            format!(
                "<link name=\"l{i}\"/>\n<joint name=\"j{i}\" type=\"revolute\"><parent link=\"l{}\"/><child link=\"l{i}\"/><dynamics mu=\"1\"/><spring/></joint>\n",
                i - 1
            )
        })
        .collect();
    let text = robot(&format!("<link name=\"l0\"/>\n{joints}<loop_joint/>"));
    assert_eq!(
        parsed(&text).warnings,
        [
            r#"no <axis>, so URDF's default "1 0 0" is taken: "j1" on line 4, "j2" on line 6, "j3" on line 8, "j4" on line 10 and 2 more"#,
            r#"no <limit>, so nothing bounds the motion: "j1" on line 4, "j2" on line 6, "j3" on line 8, "j4" on line 10 and 2 more"#,
            r#"attributes of <dynamics> that are not URDF are ignored: "mu" on line 4"#,
            "elements that are not URDF are skipped: <spring> in <joint> on line 4, <loop_joint> on line 15",
        ]
    );
}

#[test]
fn a_missing_axis_is_urdfs_default() {
    let robot = parsed(&elbow("continuous", ""));
    assert_eq!(robot.joints[0].kind, JointKind::Continuous { axis: Vec3::new(1.0, 0.0, 0.0) });
    assert_eq!(robot.warnings, [r#"no <axis>, so URDF's default "1 0 0" is taken: "elbow" on line 4"#]);
}

#[test]
fn a_missing_bound_is_zero_and_two_are_none() {
    let limits = |limit: &str| {
        let robot = parsed(&elbow("prismatic", &format!("<axis xyz=\"0 0 1\"/>{limit}")));
        (robot.joints[0].limits, robot.warnings)
    };
    let bounded = |lower, upper| Limits { lower, upper, ..Limits::default() };
    assert_eq!(limits(r#"<limit upper="0.04"/>"#), (bounded(0.0, 0.04), vec![]));
    assert_eq!(limits(r#"<limit lower="-0.04"/>"#), (bounded(-0.04, 0.0), vec![]));
    let warning = r#"<limit> without "lower" and "upper", so nothing bounds the position: "elbow" on line 7"#;
    assert_eq!(limits(r#"<limit effort="1"/>"#), (Limits { effort: 1.0, ..Limits::default() }, vec![warning.into()]));
    let warning = r#"no <limit>, so nothing bounds the motion: "elbow" on line 4"#;
    assert_eq!(limits(""), (Limits::default(), vec![warning.into()]));
}

#[test]
fn inertias_that_no_body_has_are_warned_of_with_the_numbers() {
    let text = link(
        r#"<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.3"/></inertial>"#,
    );
    assert_eq!(
        parsed(&text).warnings,
        [concat!(
            "no rigid body has the inertia of one link; principal moments in kg m²: ",
            r#""fore" on line 2 (0.1, 0.1, 0.3: one exceeds the sum of the others)"#
        )]
    );
}

#[test]
fn unclear_rotors_and_prefixed_links_are_warned_of() {
    let text = robot(
        r#"<link name="a"/>
<transmission name="t"><joint name="x"/><joint name="y"/><actuator><rotorInertia>1</rotorInertia></actuator></transmission>
<o:link name="b" xmlns:o="http://o"/>"#,
    );
    assert_eq!(
        parsed(&text).warnings,
        [
            "elements that are not URDF are skipped: <link> with a prefix on line 4",
            r#"rotor inertias are ignored where a transmission does not name exactly one joint: "t" on line 3"#,
        ]
    );
}

/// Pinocchio and others read such files by letting every joint move independently.
#[test]
fn a_mimic_of_nobody_is_a_warning_because_it_can_be_freed() {
    let text = elbow("continuous", r#"<axis xyz="0 0 1"/><mimic joint="elbo"/>"#);
    assert_eq!(
        parsed(&text).warnings,
        [concat!(
            r#"mimic joints cannot be honoured, only freed: line 4: joint "elbow": it mimics "elbo", "#,
            r#"but there is no such joint; did you mean "elbow"?"#
        )]
    );
    let fixed = elbow("fixed", r#"<mimic joint="elbo"/>"#);
    assert_eq!(parsed(&fixed).warnings, [r#"fixed joints do not move, so their <mimic> is ignored: "elbow""#]);
}

// Errors

#[test]
fn files_that_are_not_xml_say_where() {
    for (text, want) in [
        ("", "arm.urdf: the file is empty; it should hold a <robot>"),
        ("\u{feff} \n", "arm.urdf: the file is empty; it should hold a <robot>"),
        ("hello", "arm.urdf:1: not XML: unknown token"),
        ("<!-- only this -->", "arm.urdf:1: not XML: there is no element; the file should hold a <robot>"),
        ("<robot name=\"a\">\n<link name=\"b\">\n</robot>", "arm.urdf:3: not XML: expected 'link' tag, not 'robot'"),
        ("<robot name=\"a\">\n<link name=\"b\">\n", "arm.urdf:2: not XML: <link> is never closed; add </link>"),
        ("<robot name=\"a\">\n<link name=\"b", "arm.urdf:2: not XML: <link> is never closed; add </link>"),
        (
            "<robot name=\"a\">\n<link name=\"b\" name=\"c\"/></robot>",
            "arm.urdf:2: not XML: attribute 'name' is already defined",
        ),
        ("<robot name=\"a\">\n<!-- never\nclosed", "arm.urdf:2: not XML: <!-- is never closed; add -->"),
        ("<robot name=\"a\">\n<link name=b/></robot>", "arm.urdf:2: not XML: expected a quote not 'b'"),
        ("<robot name=\"a\">\n&bomb;</robot>", "arm.urdf:2: not XML: unknown entity reference 'bomb'"),
        (
            "<robot name=\"a\">\n<drake:joint/></robot>",
            r#"arm.urdf:2: the prefix "drake" is not declared; add xmlns:drake="..." to <robot>, or remove the prefix"#,
        ),
        (
            "<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]>\n<robot name=\"&b;\"/>",
            "arm.urdf:2: the file has a DTD (<!DOCTYPE ...>), which can hide entities that expand without end; remove it",
        ),
    ] {
        assert_eq!(message(text), want);
        assert_eq!(parse(text).unwrap_err().kind(), ErrorKind::Syntax);
    }
}

/// Runs on a thread with a small stack. Comments and CDATA do not count.
#[test]
fn hostile_nesting_and_attributes_are_refused_quickly() {
    let hostile = || {
        let deep = format!("<robot name=\"a\">\n{}", "<a>".repeat(100_000));
        assert_eq!(message(&deep), "arm.urdf:2: elements are nested more than 256 deep; no robot needs that");
        assert_eq!(message(&format!("{deep}{}</robot>", "</a>".repeat(100_000))), message(&deep));
        let attributes: String = (0..100_000).map(|i| format!(" a{i}=''")).collect();
        assert_eq!(
            message(&format!("<robot name=\"a\">\n<b{attributes}/></robot>")),
            "arm.urdf:2: an element has 100000 attributes; at most 64 are read"
        );
        let namespaces: String = (0..200).map(|i| format!("<a xmlns:n{i}=\"u{i}\">")).collect();
        assert_eq!(
            message(&format!("<robot name=\"a\">\n{namespaces}")),
            "arm.urdf:2: more than 32 namespaces (xmlns:...) are declared around each other"
        );
        let harmless = format!("<!-- {0} --><![CDATA[{0}]]><link name=\"b\"/>", "<a>".repeat(1000));
        assert_eq!(parsed(&robot(&harmless)).links.len(), 1);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(hostile).unwrap().join().unwrap();
}

#[test]
fn a_hundred_thousand_links_are_read() {
    let mut text = String::from("<robot name=\"chain\"><link name=\"l0\"/>\n");
    for i in 1..100_000 {
        let axis = if i == 99_999 { "0 0 0" } else { "0 0 1" };
        text += &format!("<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"continuous\">");
        text += &format!("<parent link=\"l{}\"/><child link=\"l{i}\"/><axis xyz=\"{axis}\"/></joint>\n", i - 1);
    }
    text += "</robot>";
    assert_eq!(
        message(&text),
        r#"arm.urdf:100000: joint "j99999": the axis is zero; give it a direction, such as "0 0 1""#
    );
}

#[test]
fn wrong_files_are_recognised() {
    for (text, want) in [
        (
            "<sdf version=\"1.6\"/>",
            "arm.urdf:1: the root element is <sdf>, not <robot>; this is SDF; convert it to URDF first",
        ),
        (
            "<mujoco/>",
            "arm.urdf:1: the root element is <mujoco>, not <robot>; this is MJCF; read it by dtau::mjcf or Model::from_file",
        ),
        ("\n<html/>", "arm.urdf:2: the root element is <html>, not <robot>; a URDF file is one <robot>"),
        ("<robot/>", "arm.urdf: the robot has no links; describe at least one <link>"),
        ("<robot name=\"a\"/>", "arm.urdf: the robot has no links; describe at least one <link>"),
        (
            "<robot name=\"a\" xmlns:xacro=\"http://wiki.ros.org/xacro\">\n<xacro:macro/></robot>",
            "arm.urdf:2: <xacro:macro> has to be expanded first: xacro robot.urdf.xacro > robot.urdf",
        ),
    ] {
        assert_eq!(message(text), want);
    }
}

/// A label is not worth a refusal: ur3.urdf has none.
#[test]
fn a_robot_needs_no_name() {
    let robot = parsed("<robot>\n<link name=\"base\"/>\n</robot>");
    assert_eq!(robot.name, "robot");
    assert_eq!(robot.warnings, [r#"<robot> without "name", so it is called "robot": <robot> on line 1"#]);
}

/// Faults of elements, of their numbers and of the tree, in the order of the file; what would follow from others is left out.
#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let joint = |name: &str, kind: &str, parent: &str, child: &str, inside: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>\n"
        )
    };
    let links = |names: &str| names.split(' ').map(|name| format!("<link name=\"{name}\"/>\n")).collect::<String>();
    let first = joint("a", "revolut", "l0", "l1", "<origin xyz=\"0 0\"/>");
    let second = joint("b", "continuous", "l1", "l2", "<axis xyz=\"0 0 0\"/>");
    let heavy = "<link name=\"l3\"><inertial><mass value=\"-1\"/><inertia ixx=\"x\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\"/></inertial></link>\n";
    let third = joint("c", "continuous", "l2", "l4", "<axis xyz=\"0 0 1\"/>");
    let text = robot(&[&links("l0 l1 l2")[..], &first, heavy, &second, &third].concat());
    let error = parse(&text).unwrap_err().in_file("arm.urdf");
    let places: Vec<u32> = [&error].into_iter().chain(error.others()).map(|error| error.place().line).collect();
    assert_eq!(places, [5, 5, 6, 6, 7, 8]);
    let told = error.to_string();
    let told: Vec<&str> = told.lines().collect();
    for (told, want) in told.iter().zip([
        r#"arm.urdf:5: joint "a": there is no type "revolut""#,
        r#"arm.urdf:5: joint "a": xyz="0 0" in <origin> has 2 numbers where three are needed"#,
        r#"arm.urdf:6: link "l3": ixx="x" in <inertia> is not a number"#,
        r#"arm.urdf:6: link "l3": <inertia> has no "izz""#,
        r#"arm.urdf:7: joint "b": the axis is zero"#,
        r#"arm.urdf:8: joint "c": its child is unknown: there is no link "l4""#,
    ]) {
        assert!(told.starts_with(want), "{told}, not {want}");
    }
    assert_eq!(told.len(), 6);

    let many = robot(&(0..200).map(|k| format!("<link name=\"l{k}\"><inertial/></link>\n")).collect::<String>());
    let told = message(&many);
    assert_eq!(told.lines().count(), 101, "the others are counted");
    assert!(told.lines().all(|line| line.starts_with("arm.urdf:")) && told.ends_with("and 301 more errors"), "{told}");
}

#[test]
fn wrong_links_say_what_to_do() {
    let inertial = |inside: &str| link(&format!("<inertial>\n{inside}</inertial>"));
    let inertia = r#"<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>"#;
    for (text, want) in [
        (robot("<link/>"), r#"arm.urdf:2: <link> has no "name"; add it, such as name="forearm""#),
        (
            robot("<link name=\" \"/>"),
            r#"arm.urdf:2: name=" " in <link> is empty; write a value, such as name="forearm""#,
        ),
        (
            robot("<link name=\"a\"/>\n<link name=\"a\"/>"),
            r#"arm.urdf:3: link "a" is given twice, first on line 2; rename or remove one of them"#,
        ),
        (inertial(inertia), r#"arm.urdf:3: link "fore": there is no <mass>; add one, such as <mass value="1.5"/>"#),
        (
            inertial("<mass value=\"1\"/>"),
            r#"arm.urdf:3: link "fore": there is no <inertia>; add one, such as <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>"#,
        ),
        (
            inertial(&format!("<mass/>{inertia}")),
            r#"arm.urdf:4: link "fore": <mass> has no "value"; add it, such as value="1.5""#,
        ),
        (
            inertial(&format!("<mass value=\"1\"/>\n{}", inertia.replace("iyz=\"0\"", ""))),
            r#"arm.urdf:5: link "fore": <inertia> has no "iyz"; add it, such as iyz="0""#,
        ),
        (
            inertial(&format!("<mass value=\"1\"/>\n<mass value=\"2\"/>{inertia}")),
            r#"arm.urdf:5: link "fore": <mass> is given twice, first on line 4; keep one"#,
        ),
        (
            inertial(&format!("<mass value=\"-1\"/>{inertia}")),
            r#"arm.urdf:2: link "fore": the mass is -1; it must not be negative"#,
        ),
        (
            inertial(&format!("<mass\nvalue=\"heavy\"/>{inertia}")),
            r#"arm.urdf:5: link "fore": value="heavy" in <mass> is not a number; write one such as 0.5 or 5e-1"#,
        ),
        (
            inertial(&format!("<mass value=\"1,5\"/>{inertia}")),
            r#"arm.urdf:4: link "fore": value="1,5" in <mass> is not a number; separate numbers by spaces and write decimals with a point"#,
        ),
        (
            inertial(&format!("<mass value=\"${{m}}\"/>{inertia}")),
            r#"arm.urdf:4: link "fore": value="${m}" in <mass> is an expression of xacro; expand the file first: xacro robot.urdf.xacro > robot.urdf"#,
        ),
        (
            inertial(&format!("<mass value=\"1e999\"/>{inertia}")),
            r#"arm.urdf:4: link "fore": value="1e999" in <mass> is not finite; write a number, or leave the attribute out where it may be"#,
        ),
        (
            inertial(&format!("<origin xyz=\"0 nan 0\"/><mass value=\"1\"/>{inertia}")),
            r#"arm.urdf:4: link "fore": xyz="0 nan 0" in <origin> is not finite; write a number, or leave the attribute out where it may be"#,
        ),
        (
            inertial(&format!("<origin rpy=\"0 0\"/><mass value=\"1\"/>{inertia}")),
            r#"arm.urdf:4: link "fore": rpy="0 0" in <origin> has 2 numbers where three are needed, such as "0 0 1""#,
        ),
    ] {
        assert_eq!(message(&text), want);
        assert_eq!(parse(&text).unwrap_err().kind(), ErrorKind::Description);
    }
}

#[test]
fn wrong_joints_say_what_to_do() {
    let axis = r#"<axis xyz="0 0 1"/>"#;
    for (text, want) in [
        (
            elbow("revolute", r#"<axis xyz="0 0 0"/>"#),
            r#"arm.urdf:4: joint "elbow": the axis is zero; give it a direction, such as "0 0 1""#,
        ),
        (elbow("revolute", r#"<axis xyz="0 0 1e99"/>"#), r#"arm.urdf:4: joint "elbow": the axis is 1e99 long; give it length 1"#),
        (elbow("revolute", "<axis/>"), r#"arm.urdf:7: joint "elbow": <axis> has no "xyz"; add it, such as xyz="0 0 1""#),
        (
            elbow("revolute", r#"<axis xyz=""/>"#),
            r#"arm.urdf:7: joint "elbow": xyz="" in <axis> is empty; write three numbers, such as "0 0 1""#,
        ),
        (elbow("ball", axis), r#"arm.urdf:4: joint "elbow": there is no type "ball"; write "spherical""#),
        (elbow("helical", axis), r#"arm.urdf:7: joint "elbow": <axis> has no "pitch"; add it, such as pitch="0.01""#),
        (
            elbow("revolute", axis).replace(" type=\"revolute\"", ""),
            r#"arm.urdf:4: joint "elbow": <joint> has no "type"; add it, such as type="revolute""#,
        ),
        (
            elbow("revolute", axis).replace("<child link=\"fore\"/>", ""),
            r#"arm.urdf:4: joint "elbow": there is no <child>; add one, such as <child link="forearm"/>"#,
        ),
        (
            elbow("revolute", axis).replace("<child link=\"fore\"/>", "<child link=\"four\"/>"),
            r#"arm.urdf:4: joint "elbow": its child is unknown: there is no link "four"; did you mean "fore"?"#,
        ),
        (
            elbow("revolute", axis).replace("<parent link=\"upper\"/>", "<parent link=\"\"/>"),
            r#"arm.urdf:5: joint "elbow": link="" in <parent> is empty; write a value, such as link="upper_arm""#,
        ),
        (
            elbow("revolute", &format!(r#"{axis}<limit lower="2" upper="1"/>"#)),
            r#"arm.urdf:4: joint "elbow": the lower limit 2 is above the upper limit 1; swap them"#,
        ),
        (
            elbow("revolute", &format!(r#"{axis}<limit lower="-1" upper="inf"/>"#)),
            r#"arm.urdf:7: joint "elbow": upper="inf" in <limit> is not finite; write a number, or leave the attribute out where it may be"#,
        ),
        (
            elbow("revolute", &format!(r#"{axis}<dynamics damping="-0.1"/>"#)),
            r#"arm.urdf:4: joint "elbow": the damping is -0.1; it must not be negative"#,
        ),
        (
            elbow("revolute", &format!(r#"{axis}<mimic joint="elbow"/>"#)),
            r#"arm.urdf:4: joint "elbow": it mimics itself; name another joint, or remove the mimic"#,
        ),
        (
            elbow("floating", r#"<mimic joint="wrist"/>"#),
            r#"arm.urdf:4: joint "elbow": it is free-flyer and cannot mimic; joints with one degree of freedom can: remove the mimic"#,
        ),
        (
            elbow("revolute", &format!("{axis}<mimic/>")),
            r#"arm.urdf:7: joint "elbow": <mimic> has no "joint"; add it, such as joint="left_finger""#,
        ),
        (
            elbow("revolute", r#"<dynamics armature="1"/><actuator><rotorInertia>1</rotorInertia></actuator>"#),
            r#"arm.urdf:4: joint "elbow": its armature and its rotor inertia are both given; keep one"#,
        ),
        (
            elbow("revolute", "<actuator>\n<rotorInertia>big</rotorInertia></actuator>"),
            r#"arm.urdf:8: joint "elbow": "big" in <rotorInertia> is not a number; write one such as 0.5 or 5e-1"#,
        ),
        (
            elbow("revolute", axis).replace(
                "</robot>",
                r#"<transmission name="t"><joint name="elbo"/><actuator><rotorInertia>1</rotorInertia></actuator></transmission></robot>"#,
            ),
            r#"arm.urdf:9: transmission "t": there is no joint "elbo"; did you mean "elbow"?"#,
        ),
    ] {
        assert_eq!(message(&text), want);
        assert_eq!(parse(&text).unwrap_err().kind(), ErrorKind::Description);
    }
}

#[test]
fn links_and_joints_that_are_no_tree_are_named() {
    let tree = |links: &[&str], joints: &[(&str, &str, &str, &str)]| {
        let links = links.iter().map(|name| format!("<link name=\"{name}\"/>"));
        let joints = joints.iter().map(|(name, parent, child, mimic)| {
            format!(
                r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>{mimic}</joint>"#
            )
        });
        robot(&links.chain(joints).collect::<Vec<_>>().join("\n"))
    };
    let mimic = |joint: &str| format!("<mimic joint=\"{joint}\"/>");
    for (text, want) in [
        (
            tree(&["a", "b", "c"], &[("ab", "a", "b", "")]),
            r#"arm.urdf:4: 2 links are root links: "a", "c"; connect them by joints into one tree"#,
        ),
        (
            tree(&["a", "b", "c", "d"], &[("bc", "b", "c", ""), ("cd", "c", "d", ""), ("db", "d", "b", "")]),
            r#"arm.urdf:6: the joints "bc", "cd", "db" form a cycle; a robot must be a tree, so remove one of them"#,
        ),
        (
            tree(&["a", "b"], &[("ab", "a", "b", ""), ("ba", "b", "a", "")]),
            r#"arm.urdf:4: the joints "ab", "ba" form a cycle; a robot must be a tree, so remove one of them"#,
        ),
        (
            tree(&["a"], &[("aa", "a", "a", "")]),
            r#"arm.urdf:3: joint "aa": it connects link "a" to itself; change its parent or child"#,
        ),
        (
            tree(&["a", "b", "c"], &[("ac", "a", "c", ""), ("bc", "b", "c", "")]),
            r#"arm.urdf:6: joint "bc": link "c" already is the child of joint "ac" on line 5; a link hangs from one joint only, so cut the loop there"#,
        ),
        (
            tree(&["a", "b", "c"], &[("j", "a", "b", ""), ("j", "b", "c", "")]),
            r#"arm.urdf:6: joint "j" is given twice, first on line 5; rename or remove one of them"#,
        ),
        (
            tree(&["a", "b", "c"], &[("ab", "a", "b", &mimic("bc")), ("bc", "b", "c", &mimic("ab"))]),
            r#"arm.urdf:5: joint "ab": the joints "ab", "bc" mimic each other in a ring; one of them must move by itself"#,
        ),
    ] {
        assert_eq!(message(&text), want);
        assert_eq!(parse(&text).unwrap_err().kind(), ErrorKind::Description);
    }
}
