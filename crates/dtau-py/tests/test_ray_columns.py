"""Functions on columns, without a cluster: same bits, no unnecessary copies, and errors that name the place."""

import pickle

import dtau
import numpy as np
import pyarrow as pa
import pytest
from calls import arguments_of, arrays
from conftest import ROBOTS, random_state
from dtau import _arrow
from dtau.ray import FUNCTIONS, Stage, Wrench

ARM = ROBOTS["arm"]()


def table_of(**columns):
    return pa.table({name: _arrow.column(np.asarray(x)) for name, x in columns.items()})


def states_of(model, count, seed=0):
    q, v, a, tau = random_state(model, seed, count)
    return table_of(q=q, v=v, a=a, tau=tau)


def array_of(column):
    """Converts a column of results to an array."""
    column = column.combine_chunks()
    return column.to_numpy_ndarray() if isinstance(column, pa.FixedShapeTensorArray) else column.to_numpy()


def assert_same(table, result, function):
    for name, want in arrays(result).items():
        got = array_of(table[name or function])
        assert got.dtype == want.dtype and got.shape == want.shape, (name, got.shape, want.shape)
        assert np.array_equal(got, want), name


@pytest.mark.parametrize("robot", ["arm", "general"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_list_has_the_bits_of_the_call(name, robot):
    model, function = ROBOTS[robot](), FUNCTIONS[name]
    given = arguments_of(function, model, random_state(model, 5, 7))
    columns = {key: x for key, x in given.items() if isinstance(x, np.ndarray)}
    others = {key: x for key, x in given.items() if key not in columns}
    table = table_of(**columns).append_column("id", pa.array(range(7)))
    stage = Stage(model, name, keep=["id"], **others)
    plan = stage.check(table.schema)
    out = stage(table)
    assert_same(out, function(model, **given), name)
    assert out["id"].to_pylist() == list(range(7))
    assert out.column_names == ["id", *(x.column for x in plan.outputs)]
    for output in plan.outputs:
        made = array_of(out[output.column])
        assert (made.shape[1:], made.dtype) == (output.shape, output.dtype)


def lists(x, kind):
    return pa.array(list(x), type=kind)


KINDS = {
    "tensor": _arrow.column,
    "fixed-size list": lambda x: lists(x, pa.list_(pa.float64(), 6)),
    "list": lambda x: lists(x, pa.list_(pa.float64())),
    "large list": lambda x: lists(x, pa.large_list(pa.float64())),
    "a slice": lambda x: lists(np.concatenate([x[:3], x, x]), pa.list_(pa.float64(), 6))[3 : 3 + len(x)],
    "a slice of lists": lambda x: lists(np.concatenate([x[:3], x, x]), pa.list_(pa.float64()))[3 : 3 + len(x)],
    "nested": lambda x: pa.array([row.reshape(2, 3).tolist() for row in x], type=pa.list_(pa.list_(pa.float64()))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_kind_are_read_in_place(kind):
    q, v, a, _ = random_state(ARM, 1, 20)
    column = KINDS[kind](q)
    numbers, null = _arrow.numbers(pa.chunked_array([column]))
    assert null is None and np.array_equal(numbers, q)
    values = column.storage if isinstance(column, pa.ExtensionArray) else column
    while pa.types.is_nested(values.type):
        values = values.values
    assert np.shares_memory(numbers, values.to_numpy())
    out = Stage(ARM, "rnea")(table_of(v=v, a=a).append_column("q", column))
    assert np.array_equal(array_of(out["rnea"]), dtau.rnea(ARM, q, v, a))


def test_tensors_of_ray_are_read_in_place():
    from ray.data.extensions import ArrowTensorArray

    q = random_state(ARM, 1, 20)[0]
    column = ArrowTensorArray.from_numpy(q)
    numbers, _ = _arrow.numbers(pa.chunked_array([column]))
    assert np.array_equal(numbers, q) and np.shares_memory(numbers, column.storage.values.to_numpy())
    assert _arrow.width(column.type) == 6


def test_results_of_vectors_are_not_copied():
    tau = dtau.rnea(ARM, *random_state(ARM, 1, 20)[:3])
    assert np.shares_memory(_arrow.column(tau).storage.values.to_numpy(), tau)
    M = dtau.crba(ARM, ARM.random(0, 20))  # column-major in memory, while tensors are row-major
    column = _arrow.column(M)
    assert np.array_equal(column.to_numpy_ndarray(), M) and column.storage[3].as_py() == M[3].reshape(-1).tolist()


def test_chunks_single_precision_and_columns_of_one_number():
    q, v, a, _ = random_state(ARM, 2, 20)
    whole = table_of(q=q, v=v, a=a)
    chunked = pa.concat_tables([whole[:7], whole[7:8], whole[8:]])
    assert Stage(ARM, "rnea")(chunked)["rnea"].combine_chunks() == Stage(ARM, "rnea")(whole)["rnea"].combine_chunks()

    q, v, a = (x.astype(np.float32) for x in (q, v, a))
    assert_same(Stage(ARM, "rnea")(table_of(q=q, v=v, a=a)), dtau.rnea(ARM, q, v, a), "rnea")

    spread = pa.table({f"joint_{k}": q[:, k] for k in range(6)} | {"v": _arrow.column(v), "a": _arrow.column(a)})
    stage = Stage(ARM, "rnea", q=[f"joint_{k}" for k in range(6)])
    assert stage.check(spread.schema).outputs[0].shape == (6,)
    assert_same(stage(spread), dtau.rnea(ARM, q, v, a), "rnea")


def test_arguments_are_columns_of_other_names_or_the_same_for_all():
    q, v, _, tau = random_state(ARM, 3, 9)
    table = table_of(q=q, torque=tau, v=v)
    still = np.zeros(6)
    assert_same(Stage(ARM, "aba", tau="torque", v=still)(table), dtau.aba(ARM, q, still, tau), "aba")
    assert_same(Stage(ARM, "aba", tau="torque", gravity=[0, 0, 1])(table), dtau.aba(ARM, q, v, tau, gravity=[0, 0, 1]), "aba")
    # Optional arguments are read if there is a column.
    both = dtau.forward_kinematics(ARM, q, v)
    assert_same(Stage(ARM, "forward_kinematics")(table), both, "")
    assert_same(Stage(ARM, "forward_kinematics", v=None)(table), dtau.forward_kinematics(ARM, q), "")
    frames = [ARM.frames[-1].name, ARM.frames[1].name]
    stage = Stage(ARM, "frame_jacobian", frame=frames, reference="local")
    assert_same(stage(table), dtau.frame_jacobian(ARM, q, frames, "local"), "frame_jacobian")


def test_forces_and_constraints_of_every_state_come_from_columns():
    model = ROBOTS["quadruped"]()
    q, v, _, tau = random_state(model, 4, 11)
    rng = np.random.default_rng(0)
    force, turn = rng.normal(size=(11, 3)), rng.normal(size=(11, 3))
    table = table_of(q=q, v=v, tau=tau, push=force, turn=turn)
    constant = dtau.Wrench("rf_foot", [1, 2, 3])
    stage = Stage(model, "aba", f_ext=[constant, Wrench("lf_foot", "push", ["turn_x", "turn_y", "turn_z"], axes="world", point=[1, 0, 0])])
    for k, axis in enumerate("xyz"):
        table = table.append_column(f"turn_{axis}", pa.array(turn[:, k]))
    wrenches = [constant, dtau.Wrench("lf_foot", force, turn, axes="world", point=[1, 0, 0])]
    stage.check(table.schema)
    assert_same(stage(table), dtau.aba(model, q, v, tau, f_ext=wrenches), "aba")

    feet = dtau.Constraints(model).point("lf_foot").at_world_here(model.neutral()).point("rf_foot").at_world([0, 0, 0]).stabilise(10, 1)
    active, desired = (rng.random((11, 2)) > 0.5).astype(float), rng.normal(size=(11, 3, feet.rows))
    table = table_of(q=q, v=v, tau=tau, contact=active, motion=desired)
    stage = Stage(model, "constrained_fd", constraints=feet, active="contact", desired="motion")
    stage = pickle.loads(pickle.dumps(stage))  # constraints and model still belong together
    stage.check(table.schema)
    assert_same(stage(table), dtau.constrained_fd(model, feet, q, v, tau, active=active, desired=desired), "")


def test_results_are_chosen_and_renamed():
    table = states_of(ARM, 5)
    assert Stage(ARM, "fd_derivatives", outputs=["dqdd_dq"], keep=[])(table).column_names == ["dqdd_dq"]
    renamed = Stage(ARM, "id_derivatives", outputs={"tau": "tau_again"}, keep=["q"])(table)
    assert set(renamed.column_names) == {"q", "tau_again", "dtau_dq", "dtau_dv", "dtau_da"}


def test_compiled_code_is_a_stage(tmp_path):
    fast = ARM.compiled(["rnea"], cache=tmp_path)
    table = states_of(ARM, 9)
    q, v, a = (array_of(table[name]) for name in "qva")
    assert_same(pickle.loads(pickle.dumps(Stage(fast, "rnea")))(table), fast.rnea(q, v, a), "rnea")


def with_wrong(column, row, value):
    table = states_of(ARM, 64)
    numbers = array_of(table[column]).copy()
    numbers[row] = value
    return table.set_column(table.column_names.index(column), column, _arrow.column(numbers))


@pytest.mark.parametrize("rows", [[0], [63], [10, 11, 40], list(range(64))])
def test_states_that_fail_are_nan_and_others_have_their_bits(rows):
    table = with_wrong("v", rows, np.nan)
    out, failed = Stage(ARM, "fd_derivatives", on_error="nan").compute(table)
    want = Stage(ARM, "fd_derivatives")(states_of(ARM, 64))
    fine = np.setdiff1d(np.arange(64), rows)
    assert failed == len(rows)
    for name in ("qdd", "dqdd_dq", "dqdd_dv", "dqdd_dtau"):
        got = array_of(out[name])
        assert np.isnan(got[rows]).all() and np.array_equal(got[fine], array_of(want[name])[fine])


def test_nulls_are_states_that_fail():
    table = states_of(ARM, 8)
    rows = array_of(table["q"]).tolist()
    for at, value in ((3, None), (5, [0.0, 1.0, None, 0.0, 0.0, 0.0])):
        broken = rows[:at] + [value] + rows[at + 1 :]
        for kind in (pa.list_(pa.float64(), 6), pa.list_(pa.float64())):
            with_null = table.set_column(0, "q", pa.array(broken, type=kind))
            with pytest.raises(ValueError, match=f'row {at} of a batch: column "q", for `q`, is null; on_error="nan"'):
                Stage(ARM, "crba")(with_null)
            out, failed = Stage(ARM, "crba", on_error="nan").compute(with_null)
            assert failed == 1
            assert np.flatnonzero(np.isnan(array_of(out["crba"])).any(axis=(1, 2))).tolist() == [at]


def test_a_state_that_fails_is_named():
    with pytest.raises(ValueError, match=r"^row 17 of a batch: `v\[2\]` is nan; every number"):
        Stage(ARM, "rnea")(with_wrong("v", (17, 2), np.nan))
    # Two bodies, the last of which is massless and turns independently.
    builder = dtau.ModelBuilder("weightless")
    builder.link("base")
    builder.link("heavy", 1.0, inertia=(1, 1, 1))
    builder.link("light", 0.0)
    builder.joint("first", "revolute", "base", "heavy")
    builder.joint("second", "revolute", "heavy", "light")
    model = builder.build(allow_massless=True)
    table = table_of(q=np.zeros((3, 2)), v=np.zeros((3, 2)), tau=np.zeros((3, 2)))
    with pytest.raises(np.linalg.LinAlgError, match='^row 0 of a batch: .*"second"'):
        Stage(model, "aba")(table)


WRONG = {
    "function": (lambda: Stage(ARM, "fd_derivative"), KeyError, 'no function "fd_derivative"; did you mean "fd_derivatives"'),
    "model": (lambda: Stage("arm6", "aba"), TypeError, "`model` is a str; it must be a dtau.Model"),
    "argument": (lambda: Stage(ARM, "aba", Tau="x"), TypeError, r"aba\(\) has no argument 'Tau'; did you mean \"tau\""),
    "workspace": (lambda: Stage(ARM, "aba", workspace=1), TypeError, "`workspace` cannot be given"),
    "on_error": (lambda: Stage(ARM, "aba", on_error="skip"), ValueError, 'must be "raise" or "nan"'),
    "keep": (lambda: Stage(ARM, "aba", keep="q"), TypeError, "`keep` is 'q'; it must be a list"),
    "many": (lambda: Stage(ARM, "aba", v=np.zeros((4, 6))), ValueError, r"`v` has shape \(4, 6\); it must be one array for all states"),
    "no column": (lambda: Stage(ARM, "crba", q=np.zeros(6)), ValueError, "call dtau.crba itself"),
    "wrench": (lambda: Stage(ARM, "aba", f_ext=["tool0"]), TypeError, r"`f_ext\[0\]` is a str"),
    "wrenches": (lambda: Stage(ARM, "aba", f_ext=[dtau.Wrench("tool0", np.zeros((4, 3)))]), ValueError, "dtau.ray.Wrench takes"),
}
WRONG_FOR_DATA = {
    "missing": (dict(tau="torque"), KeyError, 'no column "torque" for `tau`; there are q, v, a, tau, short, name'),
    "width": (dict(tau="short"), ValueError, r"`tau` has shape \(\.\.\., 5\); it must be .*nv = 6.* \(`tau` is the column \"short\"\)"),
    "text": (dict(tau="name"), TypeError, 'column "name", for `tau`: it has string; it must have numbers'),
    "several": (dict(q=["q", "v"]), ValueError, 'column "q", one of several for `q`, has 6 numbers a row'),
    "result": (dict(outputs=["accelerations"]), KeyError, 'aba has no result "accelerations"; it has aba'),
    "collision": (dict(outputs={"aba": "tau"}), ValueError, 'the result "tau" would replace the column'),
    "kept": (dict(keep=["identity"]), KeyError, 'no column "identity" to keep'),
    "gravity": (dict(gravity=[1, 2]), ValueError, "gravity"),
    "fixed": (dict(v=np.zeros(5)), ValueError, r"`v` has shape \(5,\)"),
    "frame": (dict(f_ext=[Wrench("tool", [0, 0, 1])]), KeyError, "tool0"),
    "force": (dict(f_ext=[Wrench("tool0", "short")]), ValueError, r"\(\.\.\., 5\).*`f_ext\[0\]\.force` is the column \"short\""),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_for_all_states_is_said_when_a_stage_is_made(what):
    make, kind, message = WRONG[what]
    with pytest.raises(kind, match=message):
        make()


@pytest.mark.parametrize("what", WRONG_FOR_DATA)
def test_what_is_wrong_with_columns_is_said_before_work(what):
    arguments, kind, message = WRONG_FOR_DATA[what]
    table = states_of(ARM, 4)
    table = table.append_column("short", _arrow.column(np.zeros((4, 5)))).append_column("name", pa.array(list("abcd")))
    with pytest.raises(kind, match=message):
        Stage(ARM, "aba", **arguments).check(table.schema)


def test_lists_tell_their_length_by_a_row():
    table = states_of(ARM, 4).append_column("short", pa.array([[1.0] * 5] * 4))
    stage = Stage(ARM, "aba", tau="short")
    assert stage.check(table.schema).outputs == ()
    with pytest.raises(ValueError, match=r"`tau` has shape \(\.\.\., 5\)"):
        stage.check(table.schema, table[:1])
    uneven = states_of(ARM, 4).append_column("short", pa.array([[1.0] * 6] * 3 + [[1.0] * 5]))
    with pytest.raises(ValueError, match='column "short", for `tau`: row 3 has 5 numbers, rows before it 6'):
        stage(uneven)


def test_batches_of_another_format_are_refused():
    with pytest.raises(TypeError, match='batch_format="pyarrow"'):
        Stage(ARM, "crba")({"q": np.zeros((3, 6))})


def test_no_states():
    for name in ("rnea", "energy", "fd_derivatives"):
        table = states_of(ARM, 4)
        assert Stage(ARM, name)(table[:0]).schema == Stage(ARM, name)(table).schema
