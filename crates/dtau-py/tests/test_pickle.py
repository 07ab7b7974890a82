"""Models travel by pickles, copies and worker processes, and compare by content."""

import copy
import multiprocessing
import pickle
import zlib

import dtau
import numpy as np
import pytest
from conftest import random_state


def edited(model):
    joint = next(j for j in reversed(model.joints) if j.nv == 1 and j.mimic is None)
    return (
        model.lock({joint.name: [0.3] * joint.nq})
        .with_payload(model.bodies[0].name, 1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        .attach(model.bodies[0].name, dtau.Model.bundled("arm6"), prefix="extra/")
        .with_gravity((1, 2, 3))
    )


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_model_comes_back_the_same(model, protocol):
    for original in (model, edited(model)):
        back = pickle.loads(pickle.dumps(original, protocol))
        assert back == original and hash(back) == hash(original) and back is not original
        assert str(back) == str(original) and back.warnings == original.warnings
        q, v, a, _ = random_state(original, 1)
        assert np.array_equal(dtau.rnea(back, q, v, a), dtau.rnea(original, q, v, a))


def test_pickles_are_small():
    """Smaller than the URDF. Both contain the shapes."""
    for name in dtau.bundled_names():
        assert len(pickle.dumps(dtau.Model.bundled(name))) < 0.8 * len(dtau.bundled_urdf(name)), name


def test_copies_are_the_model_itself(arm):
    assert copy.copy(arm) is arm and copy.deepcopy(arm) is arm and copy.deepcopy([arm])[0] is arm


def test_models_compare_by_content(arm):
    spaced = dtau.Model.from_urdf(dtau.bundled_urdf("arm6").replace("<link", "\n\n<link"))
    assert arm == spaced and hash(arm) == hash(spaced)
    assert arm != dtau.Model.bundled("arm6", root="floating") and arm != dtau.Model.bundled("arm7_gripper")
    assert arm != arm.with_payload(arm.bodies[0].name, 1e-9)
    assert arm != "arm6" and arm is not None and len({arm, dtau.Model.bundled("arm6")}) == 1


@pytest.mark.parametrize("damage, why", [(b"", "empty"), (b"\x00", "ends after 1"), (b"\x01" + b"\xff" * 20, "dtau 0.1")])
def test_what_is_no_model_is_refused(damage, why):
    with pytest.raises(ValueError, match=f"no pickled dtau.Model: .*{why}"):
        dtau._dtau._unpickle_model(damage)


def test_every_truncation_and_every_changed_byte_is_refused(arm):
    _, (data,) = arm.__reduce__()
    assert dtau._dtau._unpickle_model(data) == arm
    damaged = [data[:n] for n in range(len(data))] + [data + b"\x00", data + data]
    for place in range(len(data)):
        changed = bytearray(data)
        for flip in (1, 0x80, 0xFF):
            changed[place] = data[place] ^ flip
            damaged.append(bytes(changed))
    for bad in damaged:
        with pytest.raises(ValueError, match="no pickled dtau.Model"):
            dtau._dtau._unpickle_model(bad)


def test_20000_random_changes_are_refused(arm):
    _, (data,) = arm.__reduce__()
    rng, harmless = np.random.default_rng(0), 0
    for _ in range(20_000):
        changed = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 9)):
            changed[place] = rng.integers(256)
        if bytes(changed) == data:
            harmless += 1
            continue
        with pytest.raises(ValueError, match="no pickled dtau.Model"):
            dtau._dtau._unpickle_model(bytes(changed))
    assert harmless < 200


def test_another_form_says_so(arm):
    _, (data,) = arm.__reduce__()
    form = bytes([data[4] + 1])
    other = data[:4] + form + zlib.crc32(form + data[9:]).to_bytes(4, "little") + data[9:]
    with pytest.raises(ValueError, match=rf"form {data[4] + 1}, of another version of dtau; this one reads form {data[4]}"):
        dtau._dtau._unpickle_model(other)


def test_wrenches_pickle():
    wrench = dtau.Wrench("hand", [1, 2, 3], np.ones((4, 3)), axes="world", point=[1, 0, 0], point_in="world")
    back = pickle.loads(pickle.dumps(wrench))
    assert repr(back) == repr(wrench) and np.array_equal(back.torque, wrench.torque)
    assert np.array_equal(back.point, [1, 0, 0]) and (back.axes, back.point_in, back.frame) == ("world", "world", "hand")


def test_results_pickle(arm):
    d = dtau.id_derivatives(arm, *random_state(arm, 0)[:3])
    back = pickle.loads(pickle.dumps(d))
    assert type(back) is dtau.IdDerivatives and np.array_equal(back.dtau_dq, d.dtau_dq)


def test_functions_pickle():
    assert pickle.loads(pickle.dumps(dtau.rnea)) is dtau.rnea
    assert repr(dtau.rnea) == "<built-in function rnea>" and dtau.rnea.__module__ == "dtau._dtau"


def torques(arguments):
    model, q, threads = arguments
    zero = np.zeros(model.nv)
    return dtau.rnea(model, q, zero, zero, threads=threads)


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_models_travel_to_worker_processes(quadruped, method):
    """Also after the parent has used threads, which do not exist in a forked child."""
    q = random_state(quadruped, 1, 300)[0]
    want = torques((quadruped, q, 2))
    with multiprocessing.get_context(method).Pool(2) as pool:
        for got in pool.map_async(torques, [(quadruped, q, 2), (quadruped, q, 1)]).get(timeout=100):
            assert np.array_equal(got, want)
