//! Shapes of links: what the readers keep, where files of meshes are looked for, and what a URDF gives back.
#![cfg(all(feature = "std", feature = "urdf", feature = "mjcf"))]

use dtau::model::description::{Description, Role, Shape, ShapeDescription};
use dtau::model::{Model, Options, generate};
use dtau::spatial::{Quaternion, Transform, Vec3};

const ARM: &str = r#"<robot name="arm">
<material name="blue"><color rgba="0 0 1 0.5"/></material>
<link name="base">
 <visual><origin xyz="1 2 3" rpy="0 0 1.5"/><geometry><box size="0.1 0.2 0.3"/></geometry><material name="blue"/></visual>
 <visual><geometry><mesh filename="package://arm/hand.stl" scale="1 1 -1"/></geometry><material name="late"/></visual>
 <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
 <collision><geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
 <collision><geometry><sphere radius="0"/></geometry></collision>
 <collision><geometry><pyramid/></geometry></collision><collision/>
</link>
<link name="fore"><visual><geometry><sphere radius="0.2"/></geometry><material name="late"><color rgba="1 0 0"/></material></visual></link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="fore"/><axis xyz="0 0 1"/></joint>
</robot>"#;

fn without_lines(shapes: &[ShapeDescription]) -> Vec<ShapeDescription> {
    shapes.iter().map(|shape| ShapeDescription { line: 0, ..shape.clone() }).collect()
}

#[test]
fn shapes_of_a_urdf_have_their_place_and_colour() {
    let robot = dtau::urdf::parse(ARM).unwrap();
    let said: Vec<_> = robot.shapes.iter().map(|s| (s.link.as_str(), s.role, s.color, s.line)).collect();
    let (blue, red) = (Some([0.0, 0.0, 1.0, 0.5]), Some([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(
        said,
        [
            ("base", Role::Visual, blue, 4),
            ("base", Role::Visual, red, 5), // of a material that comes later
            ("base", Role::Collision, None, 6),
            ("base", Role::Collision, None, 7),
            ("fore", Role::Visual, red, 11),
        ]
    );
    assert_eq!(robot.shapes[0].origin.pos.to_array(), [1.0, 2.0, 3.0]);
    assert!((robot.shapes[0].origin.rot.to_rows()[1][0] - 1.5_f64.sin()).abs() < 1e-15);
    assert_eq!(robot.shapes[0].shape, Shape::Box { size: [0.1, 0.2, 0.3] });
    let mesh = Shape::Mesh { file: "package://arm/hand.stl".into(), path: None, scale: [1.0, 1.0, -1.0] };
    assert_eq!(robot.shapes[1].shape, mesh);
}

/// They do not concern the dynamics, so the robot is read.
#[test]
fn shapes_that_cannot_be_read_are_a_warning_with_the_line() {
    let robot = dtau::urdf::parse(ARM).unwrap();
    let [warning] = &robot.warnings[..] else { panic!("{:?}", robot.warnings) };
    for said in ["radius=\"0\" in <sphere> must be positive on line 8", "<geometry> has no shape", "on line 9"] {
        assert!(warning.contains(said), "{warning}");
    }
}

#[test]
fn a_urdf_gives_shapes_back() {
    let mut robot = generate::random_tree(4, 3);
    let turned = Transform::new(Quaternion::exp(Vec3::new(0.3, -1.1, 0.7)).to_matrix(), Vec3::new(0.1, 0.2, 0.3));
    let shape = |shape, role| ShapeDescription {
        link: "base".into(),
        role,
        shape,
        origin: turned,
        color: Some([0.1, 0.2, 0.3, 1.0]),
        line: 0,
    };
    let mesh = |file: &str, path: Option<&str>| Shape::Mesh {
        file: file.into(),
        path: path.map(Into::into),
        scale: [0.001, 0.001, -0.001],
    };
    robot.shapes = vec![
        shape(Shape::Box { size: [0.1, 0.2, 1.0 / 3.0] }, Role::Visual),
        shape(Shape::Sphere { radius: 0.1 }, Role::Visual),
        shape(Shape::Cylinder { radius: 0.1, length: 0.7 }, Role::Visual),
        shape(mesh("package://arm/a&b.stl", None), Role::Visual),
    ];
    let again = dtau::urdf::parse(&robot.to_urdf().unwrap()).unwrap();
    assert_eq!(without_lines(&again.shapes), robot.shapes);
    assert_eq!(again.warnings, Vec::<String>::new());

    // URDF has no word for these.
    robot.shapes = vec![
        shape(Shape::Capsule { radius: 0.1, length: 0.4 }, Role::Both),
        shape(Shape::Ellipsoid { radii: [0.1, 0.2, 0.3] }, Role::Visual),
        shape(Shape::Plane { size: [0.0; 2] }, Role::Collision),
        shape(mesh("meshes/a.stl", Some("/robots/meshes/a.stl")), Role::Visual),
    ];
    let text = robot.to_urdf().unwrap();
    assert!(text.contains("an ellipsoid with radii 0.1 0.2 0.3") && text.contains("collision: a plane"), "{text}");
    assert!(text.contains("filename=\"/robots/meshes/a.stl\""), "{text}");
    let again = dtau::urdf::parse(&text).unwrap();
    assert_eq!(again.shapes.len(), 2 * 3 + 1);
    let top = again.shapes[2].origin.pos - turned.act_point(Vec3::new(0.0, 0.0, 0.2));
    assert!(again.shapes[2].shape == Shape::Sphere { radius: 0.1 } && top.norm_squared() < 1e-30);
}

const CAPSULES: &str = r#"<mujoco>
<default><geom rgba="1 0 0 1"/><default class="far"><geom group="4"/></default></default>
<asset><material name="gold" rgba="1 0.8 0 1"/><mesh name="hand" file="hand.stl" scale="2 2 2" refpos="0.1 0 0"/></asset>
<compiler meshdir="meshes"/>
<worldbody><geom type="plane" size="0 2 1"/>
 <body name="rod" pos="0 0 1"><joint name="hip" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -1"/>
  <frame pos="1 0 0"><geom type="ellipsoid" size="1 2 3" pos="0 1 0" class="far"/></frame>
  <geom type="box" size="1 2 3" contype="0" conaffinity="0" group="3" rgba="0 0 0 1"/>
  <geom type="mesh" mesh="hand" material="gold" pos="0 0 1"/>
 </body></worldbody></mujoco>"#;

#[test]
fn geoms_of_an_mjcf_are_shapes() {
    let robot = dtau::mjcf::parse(CAPSULES).unwrap();
    let said: Vec<_> =
        robot.shapes.iter().map(|s| (s.link.as_str(), s.role, s.shape.clone(), s.origin.pos.to_array())).collect();
    let mesh = Shape::Mesh { file: "meshes/hand.stl".into(), path: None, scale: [2.0; 3] };
    assert_eq!(
        said,
        [
            ("world", Role::Both, Shape::Plane { size: [0.0, 4.0] }, [0.0; 3]),
            ("rod", Role::Both, Shape::Capsule { radius: 0.05, length: 1.0 }, [0.0, 0.0, -0.5]),
            ("rod", Role::Collision, Shape::Ellipsoid { radii: [1.0, 2.0, 3.0] }, [1.0, 1.0, 0.0]),
            ("rod", Role::Visual, Shape::Box { size: [2.0, 4.0, 6.0] }, [0.0; 3]), // hidden, and touches nothing
            ("rod", Role::Both, mesh, [-0.2, 0.0, 1.0]),                           // 2 (p − refpos)
        ]
    );
    let colors: Vec<_> = robot.shapes.iter().map(|s| s.color.unwrap()).collect();
    assert_eq!((colors[1], colors[3]), ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn meshes_are_found_around_the_file_and_missing_ones_are_warned_of() {
    let folder = std::env::temp_dir().join(format!("dtau-shapes-{}", std::process::id()));
    let (package, urdf) = (folder.join("arm"), folder.join("arm/urdf/arm.urdf"));
    std::fs::create_dir_all(package.join("urdf")).unwrap();
    std::fs::create_dir_all(package.join("meshes")).unwrap();
    for mesh in ["meshes/a.stl", "urdf/b.stl"] {
        std::fs::write(package.join(mesh), "").unwrap();
    }
    let names =
        ["package:///arm/meshes/a.stl", "b.stl", "meshes/a.stl", "../meshes/a.stl", "package:///leg/a.stl", "no.stl"];
    let shapes = names.map(|name| format!("<visual><geometry><mesh filename=\"{name}\"/></geometry></visual>\n"));
    std::fs::write(&urdf, format!("<robot name=\"arm\"><link name=\"base\">\n{}</link></robot>", shapes.concat()))
        .unwrap();
    let robot = Description::from_file(&urdf).unwrap();
    let mjcf = folder.join("arm.xml");
    std::fs::write(&mjcf, CAPSULES).unwrap();
    let from_mjcf = Description::from_file(&mjcf).unwrap();
    let model = Model::from_mjcf_file(&mjcf, &Options::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();

    let found = |shape: &ShapeDescription| match &shape.shape {
        Shape::Mesh { path, .. } => path.clone(),
        other => panic!("{other:?}"),
    };
    let found: Vec<_> = robot.shapes.iter().map(found).collect();
    let a = Some(package.join("meshes/a.stl").display().to_string());
    let b = Some(package.join("urdf/b.stl").display().to_string());
    let up = Some(package.join("urdf/../meshes/a.stl").display().to_string());
    assert_eq!(found, [a.clone(), b, a, up, None, None]);
    let [warning] = &robot.warnings[..] else { panic!("{:?}", robot.warnings) };
    let place = urdf.display().to_string();
    assert!(
        warning.starts_with(&place) && warning.contains("\"package:///leg/a.stl\" on line 6, \"no.stl\" on line 7"),
        "{warning}"
    );
    for warnings in [&from_mjcf.warnings[..], model.warnings()] {
        assert!(warnings.iter().any(|w| w.contains("\"meshes/hand.stl\" on line 10")), "{warnings:?}");
    }
}

#[test]
fn edits_keep_shapes_and_a_shape_needs_its_link() {
    let arm = dtau::urdf::parse(ARM).unwrap();
    let options = Options { allow_massless: true, ..Options::default() };
    let model = Model::build(&arm, &options).unwrap();
    let two = model.attach("fore", &model, "left/").unwrap();
    let shapes = &two.description().shapes;
    assert_eq!((shapes.len(), shapes[9].link.as_str()), (10, "left/fore"));

    let locked = model
        .lock(&[("elbow", &[0.5])])
        .unwrap()
        .with_options(&Options { root: dtau::model::Root::Floating, ..options.clone() });
    let merged = locked.unwrap().with_links_merged().unwrap();
    let [.., last] = &merged.description().shapes[..] else { panic!() };
    assert_eq!(last.link, "base");
    assert!((last.origin.rot.to_rows()[0][0] - 0.5_f64.cos()).abs() < 1e-15);

    let mut broken = arm.clone();
    broken.shapes[0].link = "bas".into();
    let error = Model::build(&broken, &options).unwrap_err().to_string();
    assert!(error.contains("shape 0: there is no link \"bas\"") && error.contains("base"), "{error}");
}
