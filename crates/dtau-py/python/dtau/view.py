"""A robot in a browser, in a notebook, or on a page that is one file. Needs ``pip install viser trimesh pycollada``.

>>> import dtau
>>> model = dtau.Model.bundled("quadruped", root="floating")
>>> view = model.show()                                           # doctest: +SKIP
dtau: http://127.0.0.1:8080
>>> view.inertias().frames("trunk").save("quadruped.html")        # doctest: +SKIP

Links have the shapes of the robot's file. Robots without shapes are drawn as their inertia boxes: a box has the mass, the centre
of mass and the principal moments of its link. It is red if no rigid body has them.
"""

from __future__ import annotations

import contextlib
import html
import importlib
import io
import json
import sys
import threading
import time
import warnings
import webbrowser
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._dtau import Constraints, Frame, Joint, Model

__all__ = ["View"]

Array = NDArray[np.float64]
Color = tuple[int, int, int]

GREY, TEAL, RED = (170, 175, 182), (64, 156, 158), (214, 40, 40)
ORANGE, BLUE = (225, 75, 0), (20, 80, 210)
# Frames a second, of a motion.
RATE = 30
# Shown where a file bounds nothing [rad, m].
UNBOUNDED = {"prismatic": 1.0}


class View:
    """A robot on a page. Made by :meth:`dtau.Model.show`. Methods that add something return the view, so that they chain."""

    def __init__(self, model: Model, q: ArrayLike | None = None, *, dt: float | None = None, port: int = 8080) -> None:
        viser = _module("viser")
        self._trimesh = _module("trimesh")
        _module("collada")  # trimesh reads .dae with it
        self.model = model
        """The robot."""
        self._motion, self._dt = _motion(model, q, dt)
        # The step and the configuration that are drawn now.
        self._k, self._q = 0, self._motion[0]
        self._lock = threading.RLock()
        self._closed = False
        self._checkboxes: dict[str, Any] = {}
        # Functions that draw the rest at a step of the motion, from the placements of all frames.
        self._overlays: list[Callable[[int, Array], None]] = []
        self._frames: set[int] = set()
        self._boxes: list[Any] = []
        with contextlib.redirect_stdout(io.StringIO()):  # viser prints a table
            self.server: Any = viser.ViserServer(host="127.0.0.1", port=port, label=model.name, verbose=False)
            """viser's server: whatever viser can draw can be added to it."""
        self.server.gui.configure_theme(show_logo=False, show_share_button=False)
        self._matrix_to_quaternion: Callable[[Array], Array] = lambda R: viser.transforms.SO3.from_matrix(R).wxyz
        self._robot = json.loads(model.to_json())["robot"]
        index = {frame.name: frame.index for frame in model.frames if frame.kind != "joint"}
        self._links = {link["name"]: index[link["name"]] for link in self._robot["links"]}
        self._nodes = {name: self.server.scene.add_frame(_node("robot", name), show_axes=False) for name in self._links}
        # Corners of what is drawn, in the frames of their links.
        self._corners: list[tuple[int, Array]] = []
        self._collisions: list[Any] = []
        # Meshes by their path, and why others are not drawn.
        self._meshes: dict[str, Any] = {}
        self._missing: dict[str, str] = {}
        self._axes = self.server.scene.add_frame("/frames", show_axes=False)
        visuals = [shape for shape in self._robot["shapes"] if shape["role"] != "Collision"]
        # Collision shapes are drawn if the file has no others.
        seen = bool(self._add_shapes("visual", visuals or self._robot["shapes"]))
        self._add_inertias(seen)
        self._size = self._frame_camera()
        self._draw(0, self._q)
        self._add_controls(seen)
        print(f"dtau: {self.url}")

    @property
    def url(self) -> str:
        """Address of the page on this machine."""
        return f"http://127.0.0.1:{self.server.get_port()}"

    def __repr__(self) -> str:
        return f'<dtau.view.View of "{self.model.name}": {self.url}>'

    def _repr_html_(self) -> str:
        """Returns the page as it is now, for a notebook."""
        page = html.escape(self._page(dark=False), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 480px; border: 0"></iframe>'

    def update(self, q: ArrayLike) -> View:
        """Moves the robot to a configuration, (nq,). Arrows go with it. A motion ends."""
        motion, _ = _motion(self.model, q, None)
        with self._lock:
            self._motion, self._dt = motion, None
            self._draw(0, motion[0])
        return self

    def forces(self, constraints: Constraints, lambda_: ArrayLike, *, scale: float | None = None, color: Color = ORANGE) -> View:
        """Arrows for the forces of constraints, where they act on the robot.

        Parameters
        ----------
        constraints : dtau.Constraints
        lambda_ : array of shape (rows,) or (times, rows)
            Their forces, as of ``dtau.constrained_fd(…).lambda_``; for every time of a motion, or one for all.
        scale : float
            Length of the arrow of a newton [m]; by default the longest arrow is a third of the robot.
        color : tuple of int
            Red, green and blue, from 0 to 255.
        """
        if constraints.model != self.model:
            raise ValueError(f"`constraints` are of {constraints.model.name!r}, not of the robot on the page; make them with its model")
        given = self._in_time("lambda_", lambda_, (constraints.rows,))
        wrenches = constraints.wrenches(self._motion, given)
        numbers = [self.model.frame(wrench.frame).index for wrench in wrenches]
        points = [np.zeros(3) if wrench.point is None else np.asarray(wrench.point, float) for wrench in wrenches]
        most = max((float(np.linalg.norm(wrench.force, axis=-1).max()) for wrench in wrenches), default=0.0)

        def vectors(k: int, placements: Array) -> tuple[Array, Array]:
            now = constraints.wrenches(self._q, given[min(k, len(given) - 1)])
            tails = np.array([placements[i, :, :3] @ p + placements[i, :, 3] for i, p in zip(numbers, points)])
            return tails.reshape(-1, 3), np.array([wrench.force for wrench in now]).reshape(-1, 3)

        return self._add_arrows("forces", vectors, most, scale, color)

    def arrows(
        self,
        frame: str | Frame | Joint | Sequence[str | Frame | Joint],
        vectors: ArrayLike,
        *,
        axes: str = "world",
        scale: float | None = None,
        color: Color = BLUE,
    ) -> View:
        """Arrows at the origins of frames.

        Parameters
        ----------
        frame : str, dtau.Frame, dtau.Joint, or several in a list
            Where they begin.
        vectors : array of shape (3,) or (times, 3); for a list of n frames (n, 3) or (times, n, 3)
            Their components.
        axes : "world" or "local"
            The axes of these components: the world's, or the frame's.
        scale : float
            Length of the arrow of a vector of length 1 [m]; by default the longest arrow is a third of the robot.
        color : tuple of int
            Red, green and blue, from 0 to 255.
        """
        if axes not in ("world", "local"):
            raise ValueError(f'`axes` is {axes!r}; it must be "world" or "local"')
        several = isinstance(frame, (list, tuple))
        names: Any = frame if several else [frame]
        numbers = [_frame_index(self.model, name) for name in names]
        given = self._in_time("vectors", vectors, (len(numbers), 3) if several else (3,))
        given = given.reshape(-1, len(numbers), 3)
        most = float(np.linalg.norm(given, axis=-1).max()) if given.size else 0.0

        def drawn(k: int, placements: Array) -> tuple[Array, Array]:
            now, places = given[min(k, len(given) - 1)], placements[numbers]
            if axes == "local":
                now = np.einsum("nij,nj->ni", places[:, :, :3], now)
            return places[:, :, 3], now

        return self._add_arrows("arrows", drawn, most, scale, color)

    def inertias(self, visible: bool = True) -> View:
        """Shows the inertia boxes of the links: mass, centre of mass and principal moments are those of the link.

        A red box is impossible: a moment is negative, or exceeds the sum of the other two.
        """
        for box in self._boxes:
            box.visible = visible
        return self._check("inertias", visible)

    def collisions(self, visible: bool = True) -> View:
        """Shows the shapes that links collide with."""
        if visible and not self._collisions:
            shapes = [shape for shape in self._robot["shapes"] if shape["role"] != "Visual"]
            self._collisions = self._add_shapes("collision", shapes)
        for handle in self._collisions:
            handle.visible = visible
        return self._check("collisions", visible)

    def frames(self, *frames: str | Frame | Joint) -> View:
        """Shows the axes of frames: x red, y green, z blue. Without names: of all links."""
        wanted = [_frame_index(self.model, frame) for frame in frames] or list(self._links.values())
        for number in wanted:
            if number in self._frames:
                continue
            self._frames.add(number)
            of = self.model.frames[number]
            name = f"{of.name} (joint)" if of.kind == "joint" else of.name
            length = 0.08 * self._size
            node = self.server.scene.add_frame(_node("frames", name), axes_length=length, axes_radius=0.04 * length)

            def draw(k: int, placements: Array, node: Any = node, number: int = number) -> None:
                _place(node, self._matrix_to_quaternion(placements[number, :, :3]), placements[number, :, 3])

            self._overlays.append(draw)
        self._redraw()
        self._axes.visible = True
        return self._check("frames", True)

    def camera(self, position: ArrayLike, look_at: ArrayLike) -> View:
        """Looks from a position at a point, in the world's axes [m]."""
        camera = self.server.initial_camera
        camera.position, camera.look_at = np.asarray(position, float), np.asarray(look_at, float)
        return self

    def save(self, path: str | PathLike[str], *, dark: bool = False) -> None:
        """Saves the page as one HTML file, which needs neither Python nor a network. A motion has a play bar in it."""
        Path(path).write_text(self._page(dark), encoding="utf-8")

    def wait(self) -> None:
        """Keeps the page alive until Ctrl-C: for the end of a program."""
        try:
            while not self._closed:
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Ends the page."""
        if not self._closed:
            self._closed = True
            with contextlib.redirect_stdout(io.StringIO()):
                self.server.stop()

    # Drawing

    def _draw(self, k: int, q: Array) -> None:
        from . import placements

        places = placements(self.model, q)
        with self._lock, self.server.atomic():
            self._k, self._q = k, q
            numbers = list(self._links.values())
            turns = self._matrix_to_quaternion(places[numbers, :, :3])
            for node, turn, number in zip(self._nodes.values(), turns, numbers):
                _place(node, turn, places[number, :, 3])
            for overlay in self._overlays:
                overlay(k, places)

    def _redraw(self) -> None:
        self._draw(self._k, self._q)

    def _in_time(self, name: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
        """Numbers for each step of the motion, or for all of them: (1 or times, *shape)."""
        array = np.asarray(given, dtype=float)
        times = len(self._motion)
        if array.shape == shape:
            array = array[None]
        if array.shape[1:] != shape or len(array) not in (1, times):
            motion = "" if times == 1 else f" or {(times, *shape)}"
            raise ValueError(f"`{name}` has the shape {np.shape(given)}; it must be {shape}{motion}")
        if not np.isfinite(array).all():
            raise ValueError(f"`{name}` has NaN or infinity in it; an arrow needs finite numbers")
        return array

    def _add_arrows(
        self, kind: str, vectors: Callable[[int, Array], tuple[Array, Array]], most: float, scale: float | None, color: Color
    ) -> View:
        factor = scale if scale is not None else self._size / 3 / most if most > 0 else 1.0
        name, longest_head = _node(kind, str(len(self._overlays))), 0.04 * self._size
        nodes: list[Any] = []

        def draw(k: int, placements: Array) -> None:
            tails, directions = vectors(k, placements)
            for number, (tail, direction) in enumerate(zip(tails, factor * directions)):
                length = float(np.linalg.norm(direction))
                head = min(longest_head, 0.6 * length)
                sizes = {"shaft_radius": 0.2 * head, "head_radius": 0.44 * head, "head_length": head}
                points = np.array([[tail, tail + direction]], dtype=np.float32)
                if number == len(nodes):
                    nodes.append(self.server.scene.add_arrows(f"{name}/{number}", points, color, **sizes))
                props: dict[str, Any] = {"points": points, **sizes, "visible": length > 1e-6 * self._size}
                for key, value in props.items():
                    if not np.array_equal(getattr(nodes[number], key), value):
                        setattr(nodes[number], key, value)

        self._overlays.append(draw)
        self._redraw()
        return self

    def _page(self, dark: bool) -> str:
        with self._lock:
            times, now, q = len(self._motion), self._k, self._q
            if times == 1:
                return str(self.server.get_scene_serializer().as_html(dark))
            self._draw(0, self._motion[0])
            record, dt = self.server.get_scene_serializer(), self._dt or 1.0
            stride = max(1, round(1 / (RATE * dt)))
            for k in range(stride, times, stride):
                record.insert_sleep(stride * dt)
                self._draw(k, self._motion[k])
            record.insert_sleep(stride * dt)
            self._draw(now, q)
            return str(record.as_html(dark))

    # Shapes

    def _add_shapes(self, kind: str, shapes: list[dict[str, Any]]) -> list[Any]:
        """Draws some shapes of the robot's file."""
        self._missing.clear()
        handles = []
        for number, shape in enumerate(shapes):
            handle, corners = self._add_shape(_node("robot", shape["link"], f"{kind}_{number}"), shape, kind == "visual")
            if handle is not None:
                handles.append(handle)
                if kind == "visual":
                    self._corners.append((self._links[shape["link"]], corners))
        if self._missing:
            told = "; ".join(f"{file}: {why}" for file, why in list(self._missing.items())[:4])
            more = f"; and {len(self._missing) - 4} more" if len(self._missing) > 4 else ""
            warnings.warn(f"meshes are not drawn: {told}{more}", stacklevel=3)
        return handles

    def _add_shape(self, name: str, shape: dict[str, Any], seen: bool) -> tuple[Any, Array]:
        """One shape, and the corners of a box around it in its link's frame; None if it has no picture."""
        ((kind, of),) = shape["shape"].items()
        rotation, position = _transform(shape["origin"])
        color, opacity = (GREY, None) if seen else (ORANGE, 0.4)
        rgba = shape["color"]
        if rgba and seen:
            red, green, blue = (int(255 * min(max(x, 0), 1)) for x in rgba[:3])
            color = red, green, blue
            opacity = rgba[3] if rgba[3] < 1 else None
            if opacity == 0:
                return None, np.empty((0, 3))
        scene, place = self.server.scene, {"wxyz": self._matrix_to_quaternion(rotation), "position": position}
        look: dict[str, Any] = {"color": color, "opacity": opacity, **place}
        if kind == "Mesh":
            mesh = self._load(of)
            if mesh is None:
                return None, np.empty((0, 3))
            half = self._trimesh.bounds.corners(mesh.bounds) * of["scale"]
            if isinstance(mesh, self._trimesh.Scene) and not (rgba and not _has_colors(mesh)) and seen:
                handle: Any = scene.add_mesh_trimesh(name, mesh, scale=tuple(of["scale"]), **place)
            else:
                whole = mesh.to_mesh() if isinstance(mesh, self._trimesh.Scene) else mesh
                handle = scene.add_mesh_simple(name, whole.vertices * of["scale"], whole.faces, side="double", flat_shading=True, **look)
            return handle, half @ rotation.T + position
        if kind == "Box":
            size = np.array(of["size"])
            handle = scene.add_box(name, dimensions=tuple(size), **look)
        elif kind == "Cylinder":
            size = np.array([2 * of["radius"], 2 * of["radius"], of["length"]])
            handle = scene.add_cylinder(name, of["radius"], of["length"], **look)
        elif kind == "Plane":
            size = np.array([*of["size"], 0.0])
            size[:2][size[:2] == 0] = 20.0
            corners = _corners(size)[::2]
            handle = scene.add_mesh_simple(name, corners, np.array([[0, 2, 3], [0, 3, 1]]), side="double", **look)
            return handle, np.empty((0, 3))
        else:
            if kind == "Capsule":
                mesh = self._trimesh.creation.capsule(of["length"], of["radius"], count=[16, 16])
                mesh.apply_translation(-mesh.bounds.mean(axis=0))
            else:
                mesh = self._trimesh.creation.icosphere(subdivisions=2)
                mesh.apply_scale(of["radius"] if kind == "Sphere" else of["radii"])
            size = np.ptp(mesh.bounds, axis=0)
            handle = scene.add_mesh_simple(name, mesh.vertices, mesh.faces, **look)
        return handle, _corners(size) @ rotation.T + position

    def _load(self, of: dict[str, Any]) -> Any:
        """A mesh as trimesh has it; None, with the reason among the missing, if there is none."""
        file, path = of["file"], of["path"]
        if path is None:
            self._missing[file] = "the file was not found; the warnings of the model say more"
            return None
        if path not in self._meshes:
            mesh: Any = None
            try:
                mesh = self._trimesh.load(path)
                if mesh.bounds is None:
                    raise ValueError("trimesh finds no triangles in it")
            except Exception as error:  # whatever a reader of some format may raise
                mesh = None
                self._missing[file] = f"the file cannot be read: {error}"
            self._meshes[path] = mesh
        return self._meshes[path]

    def _add_inertias(self, seen: bool) -> None:
        """Boxes of the links' inertias: hidden where there are shapes, as they would hide them."""
        for link in self._robot["links"]:
            box = _inertia_box(link["inertial"])
            if box is None:
                continue
            size, rotation, center, possible = box
            handle = self.server.scene.add_box(
                _node("robot", link["name"], "inertia"),
                color=TEAL if possible else RED,
                dimensions=tuple(size),
                opacity=0.5 if seen else None,
                wxyz=self._matrix_to_quaternion(rotation),
                position=center,
                visible=not seen,
            )
            self._boxes.append(handle)
            if not seen:
                self._corners.append((self._links[link["name"]], _corners(size) @ rotation.T + center))

    def _frame_camera(self) -> float:
        """Looks at the robot, from a side; draws the ground. Returns the robot's size [m]."""
        from . import placements

        places = placements(self.model, self._q)
        origins = places[list(self._links.values()), :, 3]
        drawn = [corners @ places[i, :, :3].T + places[i, :, 3] for i, corners in self._corners]
        points = np.concatenate([origins, *drawn])
        low, high = points.min(axis=0), points.max(axis=0)
        size = max(float(np.linalg.norm(high - low)), 1e-2)
        middle = (low + high) / 2
        scene = self.server.scene
        if not any("Plane" in shape["shape"] for shape in self._robot["shapes"]):
            ground = min(low[2], 0.0) if self.model.root == "fixed" else low[2]
            cell = 10.0 ** np.round(np.log10(size))
            scene.add_grid("/ground", 10 * cell, 10 * cell, cell_size=cell / 10, section_size=cell, position=(*middle[:2].round(), ground))
        self.server.initial_camera.fov = np.radians(40)
        self.camera(middle + 1.5 * size * np.array([0.72, -0.62, 0.32]), middle)
        return size

    # Controls of the live page

    def _add_controls(self, seen: bool) -> None:
        gui = self.server.gui

        def checkbox(label: str, shown: bool, act: Callable[[bool], Any]) -> None:
            self._checkboxes[label] = gui.add_checkbox(label, shown)
            self._checkboxes[label].on_update(lambda event: act(event.target.value))

        checkbox("inertias", not seen, self.inertias)
        if seen and any(shape["role"] != "Visual" for shape in self._robot["shapes"]):
            checkbox("collisions", False, self.collisions)
        checkbox("frames", False, self._show_frames)

        if self._dt is not None:
            self._add_play_bar()
            return
        joints = [joint for joint in self.model.joints if joint.nq == 1 and joint.mimic is None]
        if joints:
            with gui.add_folder("joints"):
                for joint in joints:
                    self._add_slider(joint)

    def _check(self, label: str, shown: bool) -> View:
        """Makes a checkbox show what is drawn."""
        checkbox = self._checkboxes.get(label)
        if checkbox is not None and checkbox.value != shown:
            checkbox.value = shown
        return self

    def _show_frames(self, visible: bool) -> None:
        if visible and not self._frames:
            self.frames()
        self._axes.visible = visible

    def _add_slider(self, joint: Joint) -> None:
        limits, free = joint.limits, UNBOUNDED.get(joint.kind, np.pi)
        now = float(self._q[joint.q][0])
        lower = limits.lower if np.isfinite(limits.lower) else min(-free, now)
        upper = limits.upper if np.isfinite(limits.upper) else max(free, now)
        lower, upper = min(lower, now), max(upper, now)
        slider = self.server.gui.add_slider(joint.name, lower, max(upper, lower + 1e-9), max((upper - lower) / 1000, 1e-12), now)

        def turn(event: Any) -> None:
            with self._lock:
                q = self._q.copy()
                q[joint.q] = event.target.value
                self._draw(0, q)

        slider.on_update(turn)

    def _add_play_bar(self) -> None:
        dt, last = self._dt or 1.0, len(self._motion) - 1
        with self.server.gui.add_folder("motion"):
            playing = self.server.gui.add_checkbox("play", True)
            bar = self.server.gui.add_slider("time [s]", 0.0, max(last * dt, 1e-9), dt, 0.0)

        def show(t: float) -> None:
            k = min(max(round(t / dt), 0), last)
            with self._lock:
                if self._dt is not None:  # no new configuration ended the motion
                    self._draw(k, self._motion[k])

        bar.on_update(lambda event: show(event.target.value) if not playing.value else None)

        def play() -> None:
            while not self._closed and self._dt is not None:
                time.sleep(1 / RATE)
                if playing.value and self.server.get_clients():
                    t = bar.value + 1 / RATE
                    bar.value = 0.0 if t > last * dt else t
                    show(bar.value)

        threading.Thread(target=play, daemon=True).start()


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"the view needs the module {error.name}, which is not installed: pip install viser trimesh pycollada") from error


def _motion(model: Model, q: ArrayLike | None, dt: float | None) -> tuple[Array, float | None]:
    """Configurations, (times, nq), and the time between two of them."""
    array = np.asarray(model.neutral() if q is None else q, dtype=float)
    nq = model.nq
    if array.shape == (nq,) and dt is None:
        return array[None].copy(), None
    if array.ndim != 2 or array.shape[1] != nq or len(array) == 0:
        raise ValueError(f"`q` has the shape {array.shape}; it must be ({nq},), or (times, {nq}) for a motion with `dt`")
    if dt is None:
        raise ValueError(f"`q` has {len(array)} configurations; say the time between them, such as dt=0.01")
    if not (np.isfinite(dt) and dt > 0):
        raise ValueError(f"`dt` is {dt}; it must be a positive time in seconds")
    return array.copy(), float(dt)


def _frame_index(model: Model, frame: str | Frame | Joint) -> int:
    if isinstance(frame, str):
        return model.frame(frame).index
    if not hasattr(frame, "name") or not hasattr(frame, "kind"):
        raise TypeError(f"`frame` is {frame!r}; it must be the name of a frame, or what model.frame or model.joint give")
    # The kind of a joint is how it moves.
    kind = frame.kind if frame.kind in ("link", "custom") else "joint"
    return model.frame(frame.name if kind == "custom" else f"{kind}:{frame.name}").index


def _node(*names: str) -> str:
    """A name in viser's tree, whose levels are separated by slashes."""
    return "".join("/" + name.replace("/", "|") for name in names)


def _place(node: Any, turn: Array, position: Array) -> None:
    if not np.array_equal(node.wxyz, turn):
        node.wxyz = turn
    if not np.array_equal(node.position, position):
        node.position = position


def _transform(origin: dict[str, Any]) -> tuple[Array, Array]:
    """Rotation and position from JSON."""
    return np.array([_vector(column) for column in origin["rot"]["cols"]]).T, _vector(origin["pos"])


def _vector(vector: dict[str, float]) -> Array:
    return np.array([vector["x"], vector["y"], vector["z"]])


def _corners(size: Array) -> Array:
    """The eight corners of a box about the origin."""
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return signs * size


def _inertia_box(inertial: dict[str, Any] | None) -> tuple[Array, Array, Array, bool] | None:
    """Edges, axes and centre of the box with this mass and these moments; and True if it is possible.

    I_x = m/12 (b² + c²), and so on, hence a² = 6/m (I_y + I_z − I_x).
    """
    if inertial is None or not inertial["mass"] > 0:
        return None
    mass, I = inertial["mass"], inertial["about_com"]
    matrix = np.array([[I["xx"], I["xy"], I["xz"]], [I["xy"], I["yy"], I["yz"]], [I["xz"], I["yz"], I["zz"]]])
    moments, axes = np.linalg.eigh(matrix)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    squares = 6 / mass * (moments.sum() - 2 * moments)
    possible = bool(squares.min() > -1e-6 * abs(squares).max() - 1e-15 and moments.min() > -1e-15)
    size = np.sqrt(np.maximum(squares, 0))
    return np.maximum(size, 1e-3), axes, _vector(inertial["com"]), possible


def _has_colors(scene: Any) -> bool:
    return any(mesh.visual.defined for mesh in scene.geometry.values())


def _command(model: Model, save: str | None, frames: list[str], inertias: bool, port: int, browse: bool) -> None:
    """Runs ``dtau show``."""
    with contextlib.redirect_stdout(io.StringIO() if save else sys.stdout):
        view = View(model, model.pose("qpos0") if "qpos0" in model.poses else None, port=port)
    with contextlib.closing(view):
        if inertias:
            view.inertias()
        if frames:
            view.frames(*frames)
        if save is not None:
            view.save(save)
            print(f"saved {save}")
            return
        if browse:
            webbrowser.open(view.url)
        print("Ctrl-C ends it", flush=True)
        view.wait()
