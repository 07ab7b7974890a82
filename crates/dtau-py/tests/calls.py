"""Calls every function of arrays with one state of random arguments: {name: f(model, state, **keywords)}."""

import inspect

import dtau
import numpy as np


def last_frame(model):
    return model.frames[-1].name


def held(model):
    """Returns constraints on a model: its last frame's origin at a point, where it is not."""
    return dtau.Constraints(model).point(last_frame(model)).at_world([0.1, 0.2, 0.3]).stabilise(kp=10, kd=3)


# Index of an argument in (q, v, a, τ), by its name.
PLACES = {"q": 0, "q0": 0, "v": 1, "dv": 1, "x": 1, "a": 2, "da": 2, "tau": 3, "w": 3, "dq": 3, "dtau": 3}
# Arguments with a fixed length for every robot.
FIXED = {"target": 7, "w_frame": 6, "w_com": 3}


def repeated(v, count):
    """Returns `count` numbers per state, by repeating those of v."""
    v = np.asarray(v)
    return np.take(v, np.arange(count) % v.shape[-1], axis=-1) if v.shape[-1] else np.ones((*v.shape[:-1], count), v.dtype)


def arguments_of(function, model, state):
    """Returns the arguments of a function by name, without the model, from its signature."""
    names = list(inspect.signature(function).parameters)[1:]
    given = {name: state[PLACES[name]] for name in names if name in PLACES}
    given |= {name: repeated(state[1], count) for name, count in FIXED.items() if name in names}
    if "q1" in names:
        given["q1"] = model.integrate(state[0], state[1])
    if "constraints" in names:
        given["constraints"] = held(model)
    if "torque_strength" in names:
        v, rows = np.asarray(state[1]), given["constraints"].rows
        given |= {"torque_strength": np.ones_like(v), "force_strength": np.ones((*v.shape[:-1], rows), v.dtype)}
    if "w_lambda" in names:
        given["w_lambda"] = repeated(np.asarray(state[1]), given["constraints"].rows)
    if "frame" in names:
        given["frame"] = last_frame(model)
    return given


def call_of(function, **fixed):
    """Returns a function that makes a call."""

    def call(model, state, **keywords):
        return function(model, **arguments_of(function, model, state), **fixed, **keywords)

    return call


FUNCTIONS = {
    name: function
    for name, function in vars(dtau).items()
    if inspect.isbuiltin(function) and "threads" in inspect.signature(function).parameters
}

CALLS = {name: call_of(function) for name, function in FUNCTIONS.items()}
CALLS |= {
    f"{name} in {reference}": call_of(function, reference=reference)
    for name, function in FUNCTIONS.items()
    if "reference" in inspect.signature(function).parameters
    for reference in ("local", "world")
}

SPACE_CALLS = {
    "Model.integrate": lambda m, s, **k: m.integrate(s[0], s[1], **k),
    "Model.difference": lambda m, s, **k: m.difference(s[0], m.integrate(s[0], s[1]), **k),
    "Model.integrate_derivatives": lambda m, s, **k: m.integrate_derivatives(s[0], s[1], **k),
    "Model.difference_derivatives": lambda m, s, **k: m.difference_derivatives(s[0], m.integrate(s[0], s[1]), **k),
    "Model.normalise": lambda m, s, **k: m.normalise(s[0], **k),
}

ALL_CALLS = CALLS | SPACE_CALLS


def arrays(result):
    """Returns the arrays of a result, by name."""
    return result._asdict() if hasattr(result, "_asdict") else {"": result}
