"""The memory of large results is recycled, but never while it is visible."""

import gc

import dtau
import numpy as np
import pytest

STATES = 400


@pytest.fixture(scope="module")
def call():
    model = dtau.Model.bundled("humanoid", root="floating")
    q = model.random(np.random.default_rng(3), STATES)
    v = np.zeros((STATES, model.nv))

    def call(speed):
        return dtau.id_derivatives(model, q, v + speed, v)

    return call


def place(array):
    return array.__array_interface__["data"][0]


def test_results_that_are_alive_are_apart(call):
    first, second = call(0.1), call(0.2)
    for a, b in zip(first, second):
        assert not np.shares_memory(a, b)
    again = call(0.1)
    for a, b in zip(first, again):
        assert not np.shares_memory(a, b)
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x[17],
        lambda x: x.T[1:, :, ::2],
        lambda x: x.reshape(-1)[-3:],
        memoryview,
        lambda x: np.asarray(memoryview(x))[5],
        lambda x: x.view(np.int64),
    ],
    ids=["itself", "a state", "transposed", "flat", "a buffer", "an array of a buffer", "as integers"],
)
def test_a_view_keeps_its_numbers(call, view):
    seen = view(call(0.3).dtau_dq)
    before = np.array(seen)
    for speed in (0.4, 0.5, 0.6):
        call(speed)
    np.testing.assert_array_equal(np.array(seen), before)


def test_memory_that_nobody_sees_serves_again(call):
    result = call(0.7)
    places = {place(array) for array in result if array.nbytes >= 1 << 20}
    assert places
    del result
    gc.collect()
    assert {place(array) for array in call(0.8) if array.nbytes >= 1 << 20} == places


def test_the_caller_may_do_anything_to_a_result(call):
    want = [array.copy() for array in call(0.9)]
    result = call(0.9)
    for array in result:
        array.fill(np.nan)
        array.flags.writeable = False
    del result, array
    for got, array in zip(call(0.9), want):
        np.testing.assert_array_equal(got, array)
        assert got.flags.writeable
