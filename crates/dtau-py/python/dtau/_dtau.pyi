"""Types of the compiled part. Shapes and meanings are in the functions' own documentation."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._results import (
    AccelerationDerivatives,
    Assembled,
    Array,
    CentroidalDerivatives,
    Com,
    Constrained,
    ConstrainedEfforts,
    ConstrainedFdDerivatives,
    ConstrainedIdDerivatives,
    ConstrainedStep,
    ConstrainedTangent,
    ConstraintErrors,
    Delassus,
    DesiredDerivatives,
    DifferenceDerivatives,
    Energy,
    EnergyRegressor,
    FdDerivatives,
    FdGradient,
    FdHessian,
    FdSecondDerivatives,
    IdDerivatives,
    IdGradient,
    IdHessian,
    IdSecondDerivatives,
    Impulse,
    ImpulseDerivatives,
    IntegrateDerivatives,
    KinematicHessian,
    Kinematics,
    MotionDerivatives,
    VelocityDerivatives,
)
from ._types import Axes, Direction, FdWay, JointKind, MimicMode, Order, Reference, Root, RowAxes

# A name, or what a model gives for one.
_Frame: TypeAlias = "str | Frame | Joint"

@final
class Model:
    @staticmethod
    def from_urdf(
        source: str | PathLike[str],
        *,
        root: Root = ...,
        order: Order = ...,
        mimic: MimicMode = ...,
        gravity: ArrayLike = ...,
        damping: bool = ...,
        friction: bool = ...,
        armature: bool = ...,
        allow_massless: bool = ...,
        exact: bool = ...,
        friction_speed: float = ...,
        root_placement: ArrayLike = ...,
    ) -> Model: ...
    @staticmethod
    def from_mjcf(
        source: str | PathLike[str],
        *,
        root: Root = ...,
        order: Order = ...,
        mimic: MimicMode = ...,
        gravity: ArrayLike = ...,
        damping: bool = ...,
        friction: bool = ...,
        armature: bool = ...,
        allow_massless: bool = ...,
        exact: bool = ...,
        friction_speed: float = ...,
        root_placement: ArrayLike = ...,
    ) -> Model: ...
    def to_urdf(self) -> str: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> Model: ...
    @property
    def poses(self) -> tuple[str, ...]: ...
    def pose(self, name: str) -> NDArray[np.float64]: ...
    @property
    def actuators(self) -> list[tuple[str, str, str, str, list[float]]]: ...
    @staticmethod
    def bundled(
        name: str,
        *,
        root: Root = ...,
        order: Order = ...,
        mimic: MimicMode = ...,
        gravity: ArrayLike = ...,
        damping: bool = ...,
        friction: bool = ...,
        armature: bool = ...,
        allow_massless: bool = ...,
        exact: bool = ...,
        friction_speed: float = ...,
        root_placement: ArrayLike = ...,
    ) -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def mass(self) -> float: ...
    @property
    def inertial_parameters(self) -> NDArray[np.float64]: ...
    @property
    def gravity(self) -> NDArray[np.float64]: ...
    @property
    def root(self) -> str: ...
    @property
    def order(self) -> Order: ...
    @property
    def mimic(self) -> MimicMode: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def joints(self) -> tuple[Joint, ...]: ...
    @property
    def frames(self) -> tuple[Frame, ...]: ...
    @property
    def bodies(self) -> tuple[Body, ...]: ...
    @property
    def lower(self) -> NDArray[np.float64]: ...
    @property
    def upper(self) -> NDArray[np.float64]: ...
    @property
    def speed(self) -> NDArray[np.float64]: ...
    @property
    def effort(self) -> NDArray[np.float64]: ...
    def joint(self, name: str) -> Joint: ...
    def frame(self, name: str) -> Frame: ...
    def lock(self, joints: Mapping[str, ArrayLike] | Mapping[Joint, ArrayLike] | Mapping[str | Joint, ArrayLike]) -> Model: ...
    def with_frame(self, name: str, on: _Frame, placement: ArrayLike | None = None) -> Model: ...
    def attach(self, frame: _Frame, other: Model, prefix: str) -> Model: ...
    def with_links_merged(self) -> Model: ...
    def with_payload(
        self, frame: _Frame, mass: float, com: ArrayLike | None = None, inertia: ArrayLike | None = None
    ) -> Model: ...
    def with_gravity(self, gravity: ArrayLike) -> Model: ...
    def with_parameters(self, parameters: ArrayLike) -> Model: ...
    def check_parameters(self, parameters: ArrayLike) -> None: ...
    def base_parameters(self) -> BaseParameters: ...
    def compiled(
        self,
        functions: str | Iterable[str | tuple[str, dict[str, Any]]],
        *,
        compiler: str | None = None,
        cache: str | PathLike[str] | None = None,
    ) -> Compiled: ...
    def with_options(
        self,
        *,
        root: Root = ...,
        order: Order = ...,
        mimic: MimicMode = ...,
        gravity: ArrayLike = ...,
        damping: bool = ...,
        friction: bool = ...,
        armature: bool = ...,
        allow_massless: bool = ...,
        exact: bool = ...,
        friction_speed: float = ...,
        root_placement: ArrayLike = ...,
    ) -> Model: ...
    def neutral(self) -> NDArray[np.float64]: ...
    def random(
        self, rng: np.random.Generator | int, shape: int | tuple[int, ...] | None = None
    ) -> NDArray[np.float64]: ...
    def integrate(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array: ...
    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array: ...
    def integrate_derivatives(
        self, q: ArrayLike, v: ArrayLike, *, out: IntegrateDerivatives | None = None
    ) -> IntegrateDerivatives: ...
    def difference_derivatives(
        self, q0: ArrayLike, q1: ArrayLike, *, out: DifferenceDerivatives | None = None
    ) -> DifferenceDerivatives: ...
    def normalise(self, q: ArrayLike, *, out: Array | None = None) -> Array: ...
    def _repr_html_(self) -> str: ...
    def __copy__(self) -> Model: ...
    def __deepcopy__(self, _memo: Any) -> Model: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ModelBuilder:
    def __new__(cls, name: str) -> ModelBuilder: ...
    def link(
        self,
        name: str,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> None: ...
    def joint(
        self,
        name: str,
        kind: JointKind,
        parent: str,
        child: str,
        *,
        axis: ArrayLike = ...,
        origin: ArrayLike = ...,
        rpy: ArrayLike = ...,
        pitch: float | None = None,
        lower: float = ...,
        upper: float = ...,
        velocity: float = ...,
        effort: float = ...,
        damping: float = 0.0,
        friction: float = 0.0,
        armature: float = 0.0,
        mimic: tuple[str, float, float] | None = None,
    ) -> None: ...
    def frame(self, name: str, link: str, placement: ArrayLike | None = None) -> None: ...
    def build(
        self,
        *,
        root: Root = ...,
        order: Order = ...,
        mimic: MimicMode = ...,
        gravity: ArrayLike = ...,
        damping: bool = ...,
        friction: bool = ...,
        armature: bool = ...,
        allow_massless: bool = ...,
        exact: bool = ...,
        friction_speed: float = ...,
        root_placement: ArrayLike = ...,
    ) -> Model: ...

@final
class Joint:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> JointKind: ...
    @property
    def axis(self) -> tuple[float, float, float] | None: ...
    @property
    def link(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def q(self) -> slice[int, int, None]: ...
    @property
    def v(self) -> slice[int, int, None]: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def damping(self) -> float: ...
    @property
    def friction(self) -> float: ...
    @property
    def armature(self) -> float: ...
    @property
    def mimic(self) -> Mimic | None: ...

@final
class Limits:
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def velocity(self) -> float: ...
    @property
    def effort(self) -> float: ...

@final
class Mimic:
    @property
    def joint(self) -> str: ...
    @property
    def multiplier(self) -> float: ...
    @property
    def offset(self) -> float: ...

@final
class Frame:
    @property
    def name(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def kind(self) -> Literal["link", "joint", "custom"]: ...
    @property
    def body(self) -> str | None: ...

@final
class Body:
    @property
    def name(self) -> str: ...
    @property
    def joint(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def mass(self) -> float: ...
    @property
    def com(self) -> NDArray[np.float64]: ...
    @property
    def inertia(self) -> NDArray[np.float64]: ...

@final
class Workspace:
    @property
    def model(self) -> Model: ...
    def __new__(cls, model: Model) -> Workspace: ...

@final
class Wrench:
    def __new__(
        cls,
        frame: _Frame,
        force: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        *,
        axes: Axes = "frame",
        point: ArrayLike | None = None,
        point_in: Axes = "frame",
    ) -> Wrench: ...
    @staticmethod
    def local(frame: _Frame, force: ArrayLike | None = None, torque: ArrayLike | None = None) -> Wrench: ...
    @staticmethod
    def local_world_aligned(
        frame: _Frame, force: ArrayLike | None = None, torque: ArrayLike | None = None
    ) -> Wrench: ...
    @staticmethod
    def world(frame: _Frame, force: ArrayLike | None = None, torque: ArrayLike | None = None) -> Wrench: ...
    @property
    def frame(self) -> str: ...
    @property
    def force(self) -> Array: ...
    @property
    def torque(self) -> Array: ...
    @property
    def axes(self) -> Axes: ...
    @property
    def point(self) -> Array | None: ...
    @property
    def point_in(self) -> Axes: ...

def bundled_names() -> tuple[str, ...]: ...
def bundled_urdf(name: str) -> str: ...
def generate_tree(
    links: int,
    branching: int = 1,
    *,
    root: Root = ...,
    order: Order = ...,
    mimic: MimicMode = ...,
    gravity: ArrayLike = ...,
    damping: bool = ...,
    friction: bool = ...,
    armature: bool = ...,
    allow_massless: bool = ...,
    exact: bool = ...,
    friction_speed: float = ...,
    root_placement: ArrayLike = ...,
) -> Model: ...
def generate_random(
    seed: int,
    bodies: int,
    *,
    root: Root = ...,
    order: Order = ...,
    mimic: MimicMode = ...,
    gravity: ArrayLike = ...,
    damping: bool = ...,
    friction: bool = ...,
    armature: bool = ...,
    allow_massless: bool = ...,
    exact: bool = ...,
    friction_speed: float = ...,
    root_placement: ArrayLike = ...,
) -> Model: ...
def _command(arguments: list[str]) -> int: ...
def _plan(
    number: int,
    model: Model,
    name: str,
    parameters: dict[str, Any],
    *,
    gravity: ArrayLike | None,
    damping: bool,
    friction: bool,
    armature: bool,
    wrenches: Sequence[Wrench],
    threads: int,
    strict: bool,
) -> tuple[list[int], list[tuple[list[int], int]]]: ...
def _run(number: int, x: Sequence[Array], y: Sequence[Array]) -> None: ...
def _xla_handler() -> Any: ...
def _xla_layout() -> list[tuple[str, int]]: ...
def _unpickle_constraints(model: Model, text: str) -> Constraints: ...
def _unpickle_model(bytes: bytes) -> Model: ...
def _unpickle_wrench(
    frame: _Frame, force: ArrayLike, torque: ArrayLike, axes: Axes, point: ArrayLike | None, point_in: Axes
) -> Wrench: ...

@final
class BaseParameters:
    @property
    def independent(self) -> NDArray[np.int64]: ...
    @property
    def matrix(self) -> NDArray[np.float64]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def __call__(self, parameters: ArrayLike) -> NDArray[np.float64]: ...

def pseudo_inertia(parameters: ArrayLike) -> NDArray[np.float64]: ...
def from_pseudo_inertia(pseudo: ArrayLike) -> NDArray[np.float64]: ...
def log_cholesky(parameters: ArrayLike) -> NDArray[np.float64]: ...
def from_log_cholesky(theta: ArrayLike) -> NDArray[np.float64]: ...
def log_cholesky_derivative(theta: ArrayLike) -> NDArray[np.float64]: ...

@final
class Constraints:
    def __new__(cls, model: Model) -> Constraints: ...
    @staticmethod
    def from_file(model: Model, path: str | PathLike[str]) -> Constraints: ...
    def point(self, frame: _Frame) -> PointOf: ...
    def frame(self, frame: _Frame) -> FrameOf: ...
    def joints(self, factors: Mapping[str, float]) -> JointsOf: ...
    def add(self, **words: Any) -> Constraints: ...
    def stabilise(self, kp: float, kd: float) -> Constraints: ...
    def on(self, model: Model) -> Constraints: ...
    @property
    def model(self) -> Model: ...
    @property
    def rows(self) -> int: ...
    @property
    def row_names(self) -> list[str]: ...
    def wrenches(self, q: ArrayLike, lambda_: ArrayLike) -> list[Wrench]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str | int, /) -> Constraint: ...
    def __copy__(self) -> Constraints: ...
    def __deepcopy__(self, _memo: Any) -> Constraints: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Constraint:
    @property
    def name(self) -> str: ...
    @property
    def rows(self) -> slice: ...
    @property
    def row_names(self) -> list[str]: ...
    @property
    def frame(self) -> str | None: ...
    @property
    def other(self) -> str | None: ...
    @property
    def axes(self) -> RowAxes | None: ...
    @property
    def kp(self) -> float: ...
    @property
    def kd(self) -> float: ...

@final
class PointOf:
    def called(self, name: str) -> PointOf: ...
    def gains(self, kp: float, kd: float) -> PointOf: ...
    def at(self, point: ArrayLike) -> PointOf: ...
    def axes(self, axes: RowAxes) -> PointOf: ...
    def at_world(self, point: ArrayLike) -> Constraints: ...
    def at_world_here(self, q: ArrayLike) -> Constraints: ...
    def with_(self, other: _Frame, point: ArrayLike) -> Constraints: ...
    def with_here(self, other: _Frame, q: ArrayLike) -> Constraints: ...
    def in_world_plane(self, point: ArrayLike, normal: ArrayLike) -> Constraints: ...
    def in_plane_of(self, other: _Frame, point: ArrayLike, normal: ArrayLike) -> Constraints: ...
    def on_world_line(self, point: ArrayLike, direction: ArrayLike) -> Constraints: ...
    def on_line_of(self, other: _Frame, point: ArrayLike, direction: ArrayLike) -> Constraints: ...
    def at_distance_of_world(self, point: ArrayLike, length: float) -> Constraints: ...
    def at_distance_of(self, other: _Frame, point: ArrayLike, length: float) -> Constraints: ...

@final
class FrameOf:
    def called(self, name: str) -> FrameOf: ...
    def gains(self, kp: float, kd: float) -> FrameOf: ...
    def axes(self, axes: RowAxes) -> FrameOf: ...
    def only(self, directions: Sequence[Direction]) -> FrameOf: ...
    def hinge(self) -> FrameOf: ...
    def at_world(self, placement: ArrayLike) -> Constraints: ...
    def at_world_here(self, q: ArrayLike) -> Constraints: ...
    def with_(self, other: _Frame, placement: ArrayLike) -> Constraints: ...
    def with_here(self, other: _Frame, q: ArrayLike) -> Constraints: ...

@final
class JointsOf:
    def called(self, name: str) -> JointsOf: ...
    def gains(self, kp: float, kd: float) -> JointsOf: ...
    def sum_to(self, constant: float) -> Constraints: ...
    def sum_to_here(self, q: ArrayLike) -> Constraints: ...

def assemble(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    *,
    tolerance: float = 1e-10,
    most_iterations: int = 200,
    nearest: bool = True,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
) -> Assembled: ...
def project_velocity(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
) -> NDArray[np.float64]: ...
def freedom(
    model: Model, constraints: Constraints, q: ArrayLike, *, active: ArrayLike | None = None
) -> int | NDArray[np.int64]: ...
def constrained_step(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: float,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
) -> ConstrainedStep: ...

# The functions of the library's list, written by stubs.py.
def rnea(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def bias(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def gravity_torques(
    model: Model,
    q: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def aba(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def crba(
    model: Model,
    q: ArrayLike,
    *,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def minverse(
    model: Model,
    q: ArrayLike,
    *,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def coriolis(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def mass_times(
    model: Model,
    q: ArrayLike,
    x: ArrayLike,
    *,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def mass_solve(
    model: Model,
    q: ArrayLike,
    x: ArrayLike,
    *,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def energy(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Energy | None = None,
) -> Energy: ...
def joint_torque_regressor(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def energy_regressor(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: EnergyRegressor | None = None,
) -> EnergyRegressor: ...
def placements(
    model: Model,
    q: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def forward_kinematics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Kinematics | None = None,
) -> Kinematics: ...
def frame_placement(
    model: Model,
    q: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_velocity(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_classical_acceleration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_jacobian(
    model: Model,
    q: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_jacobian_rate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_error(
    model: Model,
    q: ArrayLike,
    target: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def centre_of_mass(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Com | None = None,
) -> Com: ...
def com_jacobian(
    model: Model,
    q: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def centroidal_momentum(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def centroidal_momentum_rate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def centroidal_matrix(
    model: Model,
    q: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def id_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdDerivatives | None = None,
) -> IdDerivatives: ...
def inertial_derivatives(
    model: Model,
    q: ArrayLike,
    a: ArrayLike,
    *,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdDerivatives | None = None,
) -> IdDerivatives: ...
def bias_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdDerivatives | None = None,
) -> IdDerivatives: ...
def gravity_derivatives(
    model: Model,
    q: ArrayLike,
    *,
    gravity: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdDerivatives | None = None,
) -> IdDerivatives: ...
def fd_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    way: FdWay | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdDerivatives | None = None,
) -> FdDerivatives: ...
def id_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def id_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdGradient | None = None,
) -> IdGradient: ...
def fd_jvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def fd_vjp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdGradient | None = None,
) -> FdGradient: ...
def id_hessian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdHessian | None = None,
) -> IdHessian: ...
def id_vjp_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdHessian | None = None,
) -> IdHessian: ...
def fd_hessian(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdHessian | None = None,
) -> FdHessian: ...
def fd_vjp_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    w: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdHessian | None = None,
) -> FdHessian: ...
def id_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    w: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    da: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdGradient | None = None,
) -> IdGradient: ...
def fd_hvp(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    w: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdGradient | None = None,
) -> FdGradient: ...
def id_second_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IdSecondDerivatives | None = None,
) -> IdSecondDerivatives: ...
def fd_second_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdSecondDerivatives | None = None,
) -> FdSecondDerivatives: ...
def fd_regressor(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def id_calibration(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_calibration(
    model: Model,
    q: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_error_derivatives(
    model: Model,
    q: ArrayLike,
    target: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def frame_hessian(
    model: Model,
    q: ArrayLike,
    target: ArrayLike,
    w_frame: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: KinematicHessian | None = None,
) -> KinematicHessian: ...
def com_hessian(
    model: Model,
    q: ArrayLike,
    w_com: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: KinematicHessian | None = None,
) -> KinematicHessian: ...
def frame_velocity_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: VelocityDerivatives | None = None,
) -> VelocityDerivatives: ...
def frame_acceleration_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: AccelerationDerivatives | None = None,
) -> AccelerationDerivatives: ...
def frame_motion_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: MotionDerivatives | None = None,
) -> MotionDerivatives: ...
def frame_classical_acceleration_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    frame: _Frame | Sequence[_Frame],
    reference: Reference = "local_world_aligned",
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: AccelerationDerivatives | None = None,
) -> AccelerationDerivatives: ...
def com_velocity_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: VelocityDerivatives | None = None,
) -> VelocityDerivatives: ...
def centroidal_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: CentroidalDerivatives | None = None,
) -> CentroidalDerivatives: ...
def integrate(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def difference(
    model: Model,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def integrate_derivatives(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: IntegrateDerivatives | None = None,
) -> IntegrateDerivatives: ...
def difference_derivatives(
    model: Model,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: DifferenceDerivatives | None = None,
) -> DifferenceDerivatives: ...
def normalise(
    model: Model,
    q: ArrayLike,
    *,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def constrained_fd(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Constrained | None = None,
) -> Constrained: ...
def constrained_fd_derivatives(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ConstrainedFdDerivatives | None = None,
) -> ConstrainedFdDerivatives: ...
def constrained_fd_desired_derivatives(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: DesiredDerivatives | None = None,
) -> DesiredDerivatives: ...
def constrained_fd_jvp(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dq: ArrayLike,
    dv: ArrayLike,
    dtau: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ConstrainedTangent | None = None,
) -> ConstrainedTangent: ...
def constrained_fd_vjp(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    w: ArrayLike,
    w_lambda: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: FdGradient | None = None,
) -> FdGradient: ...
def constrained_id(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    torque_strength: ArrayLike,
    force_strength: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ConstrainedEfforts | None = None,
) -> ConstrainedEfforts: ...
def constrained_id_derivatives(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    torque_strength: ArrayLike,
    force_strength: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    f_ext: Iterable[Wrench] | None = None,
    gravity: ArrayLike | None = None,
    damping: bool = True,
    friction: bool = True,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ConstrainedIdDerivatives | None = None,
) -> ConstrainedIdDerivatives: ...
def constraint_errors(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ConstraintErrors | None = None,
) -> ConstraintErrors: ...
def constraint_jacobian(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Array | None = None,
) -> Array: ...
def delassus(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Delassus | None = None,
) -> Delassus: ...
def impulse(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    restitution: ArrayLike | None = None,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: Impulse | None = None,
) -> Impulse: ...
def impulse_derivatives(
    model: Model,
    constraints: Constraints,
    q: ArrayLike,
    v: ArrayLike,
    restitution: ArrayLike | None = None,
    *,
    active: ArrayLike | None = None,
    desired: ArrayLike | None = None,
    armature: bool = True,
    threads: int = 1,
    workspace: Workspace | None = None,
    out: ImpulseDerivatives | None = None,
) -> ImpulseDerivatives: ...

@final
class Compiled:
    @property
    def model(self) -> Model: ...
    def covers(self, name: str, **parameters: Any) -> bool: ...
    def __copy__(self) -> Compiled: ...
    def __deepcopy__(self, _memo: Any) -> Compiled: ...
    def rnea(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def gravity_torques(
        self,
        q: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def aba(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def crba(
        self,
        q: ArrayLike,
        *,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def minverse(
        self,
        q: ArrayLike,
        *,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def coriolis(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def mass_times(
        self,
        q: ArrayLike,
        x: ArrayLike,
        *,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def mass_solve(
        self,
        q: ArrayLike,
        x: ArrayLike,
        *,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Energy | None = None,
    ) -> Energy: ...
    def joint_torque_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def energy_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: EnergyRegressor | None = None,
    ) -> EnergyRegressor: ...
    def placements(
        self,
        q: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def forward_kinematics(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Kinematics | None = None,
    ) -> Kinematics: ...
    def frame_placement(
        self,
        q: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_classical_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_jacobian(
        self,
        q: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_error(
        self,
        q: ArrayLike,
        target: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def centre_of_mass(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Com | None = None,
    ) -> Com: ...
    def com_jacobian(
        self,
        q: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def centroidal_momentum(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def centroidal_momentum_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def centroidal_matrix(
        self,
        q: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def id_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdDerivatives | None = None,
    ) -> IdDerivatives: ...
    def inertial_derivatives(
        self,
        q: ArrayLike,
        a: ArrayLike,
        *,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdDerivatives | None = None,
    ) -> IdDerivatives: ...
    def bias_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdDerivatives | None = None,
    ) -> IdDerivatives: ...
    def gravity_derivatives(
        self,
        q: ArrayLike,
        *,
        gravity: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdDerivatives | None = None,
    ) -> IdDerivatives: ...
    def fd_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        way: FdWay | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdDerivatives | None = None,
    ) -> FdDerivatives: ...
    def id_jvp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        dq: ArrayLike,
        dv: ArrayLike,
        da: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def id_vjp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdGradient | None = None,
    ) -> IdGradient: ...
    def fd_jvp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dq: ArrayLike,
        dv: ArrayLike,
        dtau: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def fd_vjp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdGradient | None = None,
    ) -> FdGradient: ...
    def id_hessian(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdHessian | None = None,
    ) -> IdHessian: ...
    def id_vjp_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdHessian | None = None,
    ) -> IdHessian: ...
    def fd_hessian(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdHessian | None = None,
    ) -> FdHessian: ...
    def fd_vjp_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdHessian | None = None,
    ) -> FdHessian: ...
    def id_hvp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        w: ArrayLike,
        dq: ArrayLike,
        dv: ArrayLike,
        da: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdGradient | None = None,
    ) -> IdGradient: ...
    def fd_hvp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w: ArrayLike,
        dq: ArrayLike,
        dv: ArrayLike,
        dtau: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdGradient | None = None,
    ) -> FdGradient: ...
    def id_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IdSecondDerivatives | None = None,
    ) -> IdSecondDerivatives: ...
    def fd_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdSecondDerivatives | None = None,
    ) -> FdSecondDerivatives: ...
    def fd_regressor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def id_calibration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_calibration(
        self,
        q: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_error_derivatives(
        self,
        q: ArrayLike,
        target: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def frame_hessian(
        self,
        q: ArrayLike,
        target: ArrayLike,
        w_frame: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: KinematicHessian | None = None,
    ) -> KinematicHessian: ...
    def com_hessian(
        self,
        q: ArrayLike,
        w_com: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: KinematicHessian | None = None,
    ) -> KinematicHessian: ...
    def frame_velocity_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: VelocityDerivatives | None = None,
    ) -> VelocityDerivatives: ...
    def frame_acceleration_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: AccelerationDerivatives | None = None,
    ) -> AccelerationDerivatives: ...
    def frame_motion_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: MotionDerivatives | None = None,
    ) -> MotionDerivatives: ...
    def frame_classical_acceleration_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        frame: _Frame | Sequence[_Frame],
        reference: Reference = "local_world_aligned",
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: AccelerationDerivatives | None = None,
    ) -> AccelerationDerivatives: ...
    def com_velocity_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: VelocityDerivatives | None = None,
    ) -> VelocityDerivatives: ...
    def centroidal_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: CentroidalDerivatives | None = None,
    ) -> CentroidalDerivatives: ...
    def integrate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def difference(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def integrate_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: IntegrateDerivatives | None = None,
    ) -> IntegrateDerivatives: ...
    def difference_derivatives(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: DifferenceDerivatives | None = None,
    ) -> DifferenceDerivatives: ...
    def normalise(
        self,
        q: ArrayLike,
        *,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def constrained_fd(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Constrained | None = None,
    ) -> Constrained: ...
    def constrained_fd_derivatives(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ConstrainedFdDerivatives | None = None,
    ) -> ConstrainedFdDerivatives: ...
    def constrained_fd_desired_derivatives(
        self,
        constraints: Constraints,
        q: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: DesiredDerivatives | None = None,
    ) -> DesiredDerivatives: ...
    def constrained_fd_jvp(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dq: ArrayLike,
        dv: ArrayLike,
        dtau: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ConstrainedTangent | None = None,
    ) -> ConstrainedTangent: ...
    def constrained_fd_vjp(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w: ArrayLike,
        w_lambda: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: FdGradient | None = None,
    ) -> FdGradient: ...
    def constrained_id(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        torque_strength: ArrayLike,
        force_strength: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ConstrainedEfforts | None = None,
    ) -> ConstrainedEfforts: ...
    def constrained_id_derivatives(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        torque_strength: ArrayLike,
        force_strength: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        f_ext: Iterable[Wrench] | None = None,
        gravity: ArrayLike | None = None,
        damping: bool = True,
        friction: bool = True,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ConstrainedIdDerivatives | None = None,
    ) -> ConstrainedIdDerivatives: ...
    def constraint_errors(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ConstraintErrors | None = None,
    ) -> ConstraintErrors: ...
    def constraint_jacobian(
        self,
        constraints: Constraints,
        q: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Array | None = None,
    ) -> Array: ...
    def delassus(
        self,
        constraints: Constraints,
        q: ArrayLike,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Delassus | None = None,
    ) -> Delassus: ...
    def impulse(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        restitution: ArrayLike | None = None,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: Impulse | None = None,
    ) -> Impulse: ...
    def impulse_derivatives(
        self,
        constraints: Constraints,
        q: ArrayLike,
        v: ArrayLike,
        restitution: ArrayLike | None = None,
        *,
        active: ArrayLike | None = None,
        desired: ArrayLike | None = None,
        armature: bool = True,
        threads: int = 1,
        workspace: Workspace | None = None,
        out: ImpulseDerivatives | None = None,
    ) -> ImpulseDerivatives: ...

__all__ = [
    "BaseParameters",
    "Body",
    "Compiled",
    "Constraint",
    "Constraints",
    "Frame",
    "FrameOf",
    "Joint",
    "JointsOf",
    "Limits",
    "Mimic",
    "Model",
    "ModelBuilder",
    "PointOf",
    "Workspace",
    "Wrench",
    "aba",
    "assemble",
    "bias",
    "bias_derivatives",
    "bundled_names",
    "bundled_urdf",
    "centre_of_mass",
    "centroidal_derivatives",
    "centroidal_matrix",
    "centroidal_momentum",
    "centroidal_momentum_rate",
    "com_hessian",
    "com_jacobian",
    "com_velocity_derivatives",
    "constrained_fd",
    "constrained_fd_derivatives",
    "constrained_fd_desired_derivatives",
    "constrained_fd_jvp",
    "constrained_fd_vjp",
    "constrained_id",
    "constrained_id_derivatives",
    "constrained_step",
    "constraint_errors",
    "constraint_jacobian",
    "coriolis",
    "crba",
    "delassus",
    "difference",
    "difference_derivatives",
    "energy",
    "energy_regressor",
    "fd_derivatives",
    "fd_hessian",
    "fd_hvp",
    "fd_jvp",
    "fd_regressor",
    "fd_second_derivatives",
    "fd_vjp",
    "fd_vjp_derivatives",
    "forward_kinematics",
    "frame_acceleration",
    "frame_acceleration_derivatives",
    "frame_calibration",
    "frame_classical_acceleration",
    "frame_classical_acceleration_derivatives",
    "frame_error",
    "frame_error_derivatives",
    "frame_hessian",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_motion_derivatives",
    "frame_placement",
    "frame_velocity",
    "frame_velocity_derivatives",
    "freedom",
    "from_log_cholesky",
    "from_pseudo_inertia",
    "generate_random",
    "generate_tree",
    "gravity_derivatives",
    "gravity_torques",
    "id_calibration",
    "id_derivatives",
    "id_hessian",
    "id_hvp",
    "id_jvp",
    "id_second_derivatives",
    "id_vjp",
    "id_vjp_derivatives",
    "impulse",
    "impulse_derivatives",
    "inertial_derivatives",
    "integrate",
    "integrate_derivatives",
    "joint_torque_regressor",
    "log_cholesky",
    "log_cholesky_derivative",
    "mass_solve",
    "mass_times",
    "minverse",
    "normalise",
    "placements",
    "project_velocity",
    "pseudo_inertia",
    "rnea",
]
