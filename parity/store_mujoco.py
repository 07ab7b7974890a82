"""Writes MuJoCo's numbers for small models, so that `cargo test` needs no Python.

    $(parity/mujoco_setup.sh) parity/store_mujoco.py

Each model covers some elements of MJCF. States and results are in dtau's coordinates, see mujoco_parity.py.
"""

import json
from pathlib import Path

import mujoco
import numpy as np

from mujoco_parity import TOLERANCE, TOLERANCE_OF_MESHES, Oracle

STORED = Path(__file__).resolve().parent.parent / "crates/dtau/tests/references/mjcf.json"
ROD = '<geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/>'
ROCK = "0 0 0  1.1 0.1 0  0.2 0.9 0  0.1 0.2 0.7  0.3 0.2 0.1"
FACES = "0 2 1  0 1 3  0 3 2  1 2 4  2 3 4  3 1 4"


def world(bodies, before="", after=""):
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"


def mesh(inertia, faces=f'face="{FACES}"', more=""):
    asset = f'<asset><mesh name="rock" inertia="{inertia}" vertex="{ROCK}" {faces} {more}/></asset>'
    return world('<body name="b" pos="0 0 1"><joint axis="1 1 0"/><geom type="mesh" mesh="rock" pos="0.1 0 0" euler="10 20 30"/></body>', asset)


MODELS = {
    "hinge and slide": world(
        f'<body name="a" pos="0 0 1"><joint name="x" axis="0 1 0" pos="0.1 0.2 0.3" damping="0.3" armature="0.1"/>{ROD}'
        '<body name="b" pos="0 0.1 -0.5" euler="0 0 40"><joint name="y" type="slide" axis="1 1 0" ref="0.3"/>'
        '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/></body></body>'
    ),
    "ball, free and several joints": world(
        '<body name="f" pos="1 2 3" quat="1 2 3 4"><freejoint name="free"/><geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0.2"/>'
        '<body name="g" pos="0 0 0.4"><joint name="ball" type="ball" pos="0.1 0.1 0" damping="0.2" armature="0.05"/>'
        '<geom type="cylinder" size="0.1 0.2"/>'
        '<body name="h"><joint name="h1" axis="1 0 0" ref="30"/><joint name="h2" axis="0 1 0" pos="0 0 0.1"/>'
        '<joint name="h3" type="slide" axis="0 1 1"/><joint name="h4" axis="0 0 1" pos="0.1 0 0" ref="-20"/>'
        '<geom size="0.1" pos="0.2 0.1 0"/></body></body></body>'
    ),
    "free joint with armature": world(
        f'<body name="f"><joint type="free" armature="0.7" damping="0.2"/>{ROD}<body name="g" pos="0 0 -0.5"><joint/>{ROD}</body></body>'
    ),
    "springs, gravity and rotors": world(
        f'<body name="a"><joint name="x" axis="0 1 0" stiffness="5" springref="20" ref="10"/>{ROD}'
        f'<body name="b" pos="0 0 -0.5"><joint name="y" type="slide" axis="1 0 1" stiffness="7" springref="-0.1"/>{ROD}</body></body>',
        '<option gravity="1 2 -3"/>',
        '<actuator><motor joint="x" gear="3" armature="0.02"/><position joint="y" gear="-2" damping="0.1" kp="0"/></actuator>',
    ),
    "defaults and classes": world(
        '<body name="a" childclass="arm"><joint name="x"/><geom/><body name="b" pos="0 0 0.3"><joint class="wrist" damping="0.5"/>'
        '<geom class="main" size="0.2"/><body name="c" pos="0.1 0 0" childclass="wrist"><joint axis="0 0 1"/><geom/></body></body></body>',
        '<default><geom density="500"/><joint axis="1 0 0" damping="0.1"/><default class="arm"><joint axis="0 1 0"/>'
        '<geom type="box" size="0.1 0.2 0.3" euler="10 0 0"/><default class="wrist"><joint armature="0.3"/><geom size="0.05" quat="1 0 0 1"/>'
        "</default></default></default><default><joint damping=\"9\"/></default>",
    ),
    "frames and orientations": world(
        '<frame pos="1 0 0" euler="0 0 1.2"><body name="a" pos="0 1 0" axisangle="1 1 0 0.7"><frame xyaxes="1 1 0 -1 1 0.3" pos="0 0 0.2">'
        '<joint name="x" axis="0 0 1" pos="0.1 0 0"/><inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25" zaxis="1 2 3"/>'
        '<site name="tip" pos="0.3 0 0" euler="0.1 0.2 0.3"/><body name="b" zaxis="0.1 0.2 -1"><joint name="y" axis="1 0 0"/>'
        '<inertial pos="0 0 0.1" mass="1" fullinertia="0.3 0.4 0.5 0.01 0.02 0.03"/><site name="b" pos="0 0 1"/></body></frame></body></frame>',
        '<compiler angle="radian" eulerseq="ZyX"/>',
    ),
    "bounds and balance": world(
        '<body name="a"><joint axis="0 1 0"/><inertial pos="0.1 0 0" mass="0.1" diaginertia="0.001 0.002 0.004" euler="10 20 30"/>'
        '<body name="b" pos="0 0 0.2"><joint/><geom size="0.01"/></body></body>',
        '<compiler balanceinertia="true" boundmass="0.05" boundinertia="0.0001"/>',
    ),
    "total mass and groups": world(
        f'<body name="still"><geom size="0.2"/></body><body name="a"><joint/>{ROD}<geom size="0.1" group="4" pos="1 0 0"/>'
        '<body name="b" pos="0.3 0 0"><joint axis="1 0 0"/><geom size="0.1" mass="2"/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/></body></body>',
        '<compiler settotalmass="7" inertiagrouprange="0 3" inertiafromgeom="true"/>',
    ),
    "shells": world(
        '<body name="a"><joint axis="1 2 3"/><geom type="box" size="0.1 0.2 0.3" shellinertia="true" density="10"/>'
        '<geom type="capsule" size="0.1" fromto="0 0 0 1 0.2 0.3" shellinertia="true" mass="2"/></body>'
    ),
    "mesh, legacy": mesh("legacy"),
    "mesh, exact": mesh("exact", more='scale="0.5 -1 2"'),
    "mesh, shell": mesh("shell", more='refpos="0.1 0.2 0.3" refquat="1 2 0 0"'),
    "mesh, convex": mesh("convex"),
    "mesh, points alone": mesh("legacy", faces=""),
    "keyframes": world(
        f'<body name="f" pos="0 0 2"><freejoint/>{ROD}<body name="b" pos="0 0 -0.5"><joint name="x" ref="15"/>{ROD}</body></body>',
        "",
        '<keyframe><key name="home" qpos="1 2 3 0 1 0 0 0.5"/><key/></keyframe>',
    ),
}


def main():
    stored = []
    for name, xml in MODELS.items():
        model = mujoco.MjModel.from_xml_string(xml)
        split = {"translation"} if "armature" in name and "free" in name else set()
        oracle = Oracle(model, split)
        rng = np.random.default_rng(len(stored))
        states = [results(oracle, oracle.random(rng)) for _ in range(2)]
        poses = {"qpos0": model.qpos0} | {model.key(k).name or f"key{k}": model.key_qpos[k] for k in range(model.nkey)}
        poses = {name: oracle.q_from(np.array(qpos)).tolist() for name, qpos in poses.items()}
        tolerance = TOLERANCE_OF_MESHES if name.startswith("mesh") else TOLERANCE
        stored.append({"name": name, "xml": xml, "tolerance": tolerance, "poses": poses, "states": states})
    STORED.write_text(json.dumps({"mujoco": mujoco.__version__, "models": stored}, indent=1) + "\n")
    print(f"{len(stored)} models in {STORED}")


def results(oracle, state):
    want = oracle.values(state)
    return {k: np.asarray(v).tolist() for k, v in {**{k: state[k] for k in ("q", "v", "a", "tau")}, **want}.items() if k != "frames"} | {
        "frames": {name: np.column_stack([rot, pos]).tolist() for name, (pos, rot, _) in want["frames"].items()}
    }


if __name__ == "__main__":
    main()
