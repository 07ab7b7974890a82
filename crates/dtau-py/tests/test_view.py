"""The view: what is drawn, and that a browser shows it. The browser is Chromium, without a window."""

import io
import json
import pickle
import subprocess
import sys
import time

import dtau
import numpy as np
import pytest
from conftest import PACKAGE, run

sys.path.insert(0, str(PACKAGE / "examples"))
import browser  # noqa: E402
import standing_push  # noqa: E402
from dtau.view import _inertia_box  # noqa: E402

ARM = """<robot name="arm"><link name="base">
<visual><geometry><mesh filename="package://arm/meshes/ball.stl" scale="2 2 2"/></geometry><material name="m"><color rgba="0 1 0 1"/></material></visual>
<visual><geometry><mesh filename="package://arm/meshes/ball.dae"/></geometry></visual>
<visual><geometry><mesh filename="package://arm/meshes/none.stl"/></geometry></visual>
<visual><geometry><mesh filename="package://arm/meshes/broken.stl"/></geometry></visual>
<collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision></link></robot>"""


@pytest.fixture
def show():
    """Shows a model; the page is closed after the test."""
    views = []

    def show(model, *args, **keywords):
        views.append(model.show(*args, port=0, **keywords))
        return views[-1]

    yield show
    for view in views:
        view.close()


@pytest.fixture(scope="module")
def standing():
    model = dtau.Model.bundled("quadruped", root="floating")
    q = standing_push.crouched(model)
    feet = standing_push.standing_on(model, q)
    hold = standing_push.standing_torques(model, feet, q)
    return model, q, feet, dtau.constrained_fd(model, feet, q, np.zeros(model.nv), hold).lambda_


@pytest.fixture(scope="module")
def still(standing):
    view = standing[0].show(standing[1], port=0)
    yield view
    view.close()


def wait_until(condition, deadline=60):
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + deadline
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.5)
    return value


def wait_for_arrows(seen, enough=lambda place: True):
    """Waits until the page shows the robot and its arrows; returns how far from the top the arrows are, in pixels."""
    from PIL import Image

    def place():
        pixels = np.asarray(Image.open(io.BytesIO(seen.capture())).convert("RGB")).astype(int)
        red, green, blue = np.moveaxis(pixels, -1, 0)
        arrows = np.argwhere((red > 120) & (red - blue > 70) & (red >= green))
        drawn = (pixels.min(axis=-1) < 200).sum()
        return len(arrows) > 20 and drawn > 700 and enough(arrows[:, 0].mean()) and arrows[:, 0].mean()

    return wait_until(place)


@pytest.mark.skipif(browser.chromium() is None, reason="needs Chromium")
def test_the_page_shows_the_robot_and_its_forces_move_with_it(standing, show, tmp_path):
    """The saved page; then the live one, whose robot is moved."""
    model, q, feet, lambda_ = standing
    view = show(model, q).forces(feet, lambda_)
    page = tmp_path / "page.html"
    view.save(page)
    with browser.opened(page, 640, 240, scale=0.5) as seen:
        wait_for_arrows(seen)
        seen.go(view.url)
        seen.wait_for("['joints', 'lf_knee', 'inertias'].every(word => document.body.innerText.includes(word))")
        here = wait_for_arrows(seen)
        # The first slider, by the keyboard.
        seen.evaluate("document.querySelector('[role=slider]').focus()")
        for kind in ("rawKeyDown", "keyUp"):
            seen.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
        wait_until(lambda: np.flatnonzero(view._q - q).tolist() == [7])
        moved = q.copy()
        moved[2] += 0.15
        view.update(moved)
        there = wait_for_arrows(seen, lambda place: place < here - 3)
        assert there < here - 3 and not seen.errors, (here, there, seen.errors)


def test_arrows_are_where_the_frames_are(standing, show):
    model, q, feet, lambda_ = standing
    view = show(model, q).forces(feet, lambda_, scale=0.01).arrows(["trunk", "lf_foot"], [[0, 0, 1], [0, 0, 0]], axes="local", scale=2)
    node = view.server.scene._handle_from_node_name
    force, trunk, none = node["/forces/0/0"], node["/arrows/1/0"], node["/arrows/1/1"]
    at = {name: dtau.frame_placement(model, q, name) for name in ("trunk", "lf_foot")}
    np.testing.assert_allclose(force.points[0], [at["lf_foot"][:, 3], at["lf_foot"][:, 3] + 0.01 * lambda_[:3]], atol=1e-6)
    np.testing.assert_allclose(trunk.points, [[at["trunk"][:, 3], at["trunk"] @ [0, 0, 2, 1]]], atol=1e-6)
    assert trunk.visible and not none.visible
    moved = model.integrate(q, np.r_[0.1, 0, 0, 0, 0.4, np.zeros(model.nv - 5)])
    view.update(moved)
    at = dtau.frame_placement(model, moved, "trunk")
    np.testing.assert_allclose(trunk.points, [[at[:, 3], at @ [0, 0, 2, 1]]], atol=1e-6)


def test_links_and_their_shapes_are_where_the_model_says(show):
    import viser.transforms

    def placement(node):
        return np.c_[viser.transforms.SO3(np.asarray(node.wxyz)).as_matrix(), node.position]

    model = dtau.Model.bundled("humanoid", root="floating")
    q = model.random(3)
    view = show(model).update(q)
    nodes = view.server.scene._handle_from_node_name
    shapes = json.loads(model.to_json())["robot"]["shapes"]
    for name in view._links:
        np.testing.assert_allclose(placement(nodes[f"/robot/{name}"]), dtau.frame_placement(model, q, f"link:{name}"), atol=1e-12)
    view.frames(model.joints[3], model.frames[2], model.frame("link:" + model.bodies[-1].name))
    joint, last = model.joints[3].name, model.bodies[-1].name
    np.testing.assert_allclose(placement(nodes[f"/frames/{joint} (joint)"]), dtau.frame_placement(model, q, f"joint:{joint}"), atol=1e-12)
    np.testing.assert_allclose(placement(nodes[f"/frames/{last}"]), dtau.frame_placement(model, q, f"link:{last}"), atol=1e-12)
    for number, shape in enumerate(shapes):
        node, origin = nodes[f"/robot/{shape['link']}/visual_{number}"], shape["origin"]
        rotation = np.array([list(column.values()) for column in origin["rot"]["cols"]]).T
        np.testing.assert_allclose(placement(node), np.c_[rotation, list(origin["pos"].values())], atol=1e-12)
        if "Box" in shape["shape"]:
            np.testing.assert_allclose(node.dimensions, shape["shape"]["Box"]["size"], rtol=1e-6)
    assert {"Box", "Cylinder"} <= {next(iter(shape["shape"])) for shape in shapes}


def test_a_motion_is_saved_with_its_steps(standing, show, tmp_path):
    model, q, feet, lambda_ = standing
    motion = np.array([model.integrate(q, np.r_[0, 0, 0.01 * k, np.zeros(model.nv - 3)]) for k in range(7)])
    view = show(model, motion, dt=0.1)
    view.forces(feet, np.tile(lambda_, (7, 1))).arrows("trunk", [0.0, 0.0, 1.0]).frames("trunk").inertias()
    view.save(tmp_path / "motion.html")
    view.save(tmp_path / "again.html")
    still = show(model, q)
    still.save(tmp_path / "still.html")
    sizes = [len((tmp_path / f"{name}.html").read_bytes()) for name in ("motion", "again", "still")]
    assert sizes[0] > sizes[2] and abs(sizes[0] - sizes[1]) < 1000
    assert "http://127.0.0.1" not in (tmp_path / "motion.html").read_text()


def test_inertia_boxes_have_the_moments_of_their_links():
    a, b, c, mass = 0.1, 0.4, 0.9, 3.0
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    inertia = turn @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ turn.T * mass / 12
    entries = {name: inertia["xyz".index(name[0]), "xyz".index(name[1])] for name in ("xx", "xy", "xz", "yy", "yz", "zz")}
    inertial = {"mass": mass, "com": {"x": 1, "y": 2, "z": 3}, "about_com": entries}
    size, axes, center, possible = _inertia_box(inertial)
    np.testing.assert_allclose(np.sort(size), [a, b, c], rtol=1e-9)
    np.testing.assert_allclose(axes @ np.diag(1 / 12 * mass * (size @ size - size**2)) @ axes.T, inertia, atol=1e-12)
    assert possible and center.tolist() == [1, 2, 3] and np.linalg.det(axes) > 0
    for wrong in ({"xx": 1, "yy": 2, "zz": 4}, {"xx": -1e-5, "yy": 1, "zz": 1}):
        assert not _inertia_box(inertial | {"about_com": dict.fromkeys(entries, 0) | wrong})[3]
    assert _inertia_box(None) is None and _inertia_box(inertial | {"mass": 0}) is None


def test_meshes_are_found_and_those_that_are_not_are_said(show, tmp_path, monkeypatch):
    import trimesh

    package, elsewhere = tmp_path / "packages" / "arm", tmp_path / "arm.urdf"
    (package / "meshes").mkdir(parents=True)
    ball = trimesh.creation.icosphere(subdivisions=1)
    for kind in ("stl", "dae"):
        ball.export(package / "meshes" / f"ball.{kind}")
    (package / "meshes" / "broken.stl").write_text("solid")
    elsewhere.write_text(ARM)
    alone = dtau.Model.from_urdf(elsewhere)
    assert "4 more" not in alone.warnings[0] and '"package://arm/meshes/ball.stl" on line 2' in alone.warnings[0]
    for variable, folder in (("AMENT_PREFIX_PATH", tmp_path / "install"), ("ROS_PACKAGE_PATH", tmp_path / "packages")):
        with monkeypatch.context() as environment:
            if variable == "AMENT_PREFIX_PATH":
                (folder / "share").mkdir(parents=True)
                (folder / "share" / "arm").symlink_to(package)
            environment.setenv(variable, f"/nowhere:{folder}")
            model = dtau.Model.from_urdf(elsewhere)
        (warning,) = model.warnings
        assert str(elsewhere) in warning and '"package://arm/meshes/none.stl" on line 4;' in warning
    with pytest.warns(UserWarning, match="meshes are not drawn: .*none.stl: the file was not found.*broken.stl: the file cannot be read"):
        view = show(model)
    assert len(view._corners) == 2
    np.testing.assert_allclose(np.abs(view._corners[0][1]).max(), 2, rtol=0.1)
    assert len(view.collisions()._collisions) == 1
    # Models keep shapes, and are equal without them.
    assert pickle.loads(pickle.dumps(model)).to_json() == model.to_json()
    assert dtau.Model.from_urdf(ARM) == model and "ball.dae" in model.to_urdf()


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda view, model, q, feet: model.show(q[:3]), r"`q` has the shape \(3,\); it must be \(19,\)"),
        (lambda view, model, q, feet: model.show([q, q]), "2 configurations; say the time between them, such as dt=0.01"),
        (lambda view, model, q, feet: model.show([q, q], dt=0), "`dt` is 0"),
        (lambda view, model, q, feet: view.update(np.zeros((2, 19))), "say the time between them"),
        (lambda view, model, q, feet: view.forces(feet, np.zeros(3)), r"`lambda_` has the shape \(3,\); it must be \(12,\)"),
        (lambda view, model, q, feet: view.arrows("trunk", [0, np.nan, 0]), "`vectors` has NaN"),
        (lambda view, model, q, feet: view.arrows("trunk", [0, 0, 1], axes="body"), "`axes` is 'body'"),
        (lambda view, model, q, feet: view.arrows("trnk", [0, 0, 1]), "there is no frame called"),
        (lambda view, model, q, feet: view.arrows(5, [0, 0, 1]), "`frame` is 5"),
        (lambda view, model, q, feet: view.forces(dtau.Constraints(dtau.Model.bundled("arm6")), []), "`constraints` are of 'arm6'"),
        (lambda view, model, q, feet: view.frames("trnk"), "there is no frame called"),
    ],
)
def test_mistakes_are_said(standing, still, mistake, message):
    model, q, feet, _ = standing
    with pytest.raises((ValueError, KeyError, TypeError), match=message):
        mistake(still, model, q, feet)


def test_without_viser_the_message_says_what_to_install():
    program = "import sys; sys.modules['viser'] = None; import dtau; dtau.Model.bundled('arm6').show()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: the view needs the module viser, which is not installed: pip install viser trimesh pycollada" in done.stderr


def test_the_command_saves_a_page(tmp_path):
    page = tmp_path / "arm.html"
    command = [sys.executable, "-m", "dtau", "show", "arm6", "--port", "0"]
    done = run([*command, "--save", str(page), "--inertias", "--frame", "tool0"])
    assert done.stdout == f"saved {page}\n" and page.stat().st_size > 100_000
    wrong = subprocess.run([*command, "--save", str(page), "--frame", "tool"], capture_output=True, text=True)
    assert wrong.returncode == 2 and 'there is no frame called "tool"' in wrong.stderr and "Traceback" not in wrong.stderr
