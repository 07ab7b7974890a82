"""Inertial parameters of an arm from more states than fit into memory: a pipeline on Ray.

Torques are linear in the parameters, τ = Y(q, v, a) π, so that least squares need only sums over states:

    (Σ YᵀY) π = Σ Yᵀτ                                                                                  (1)

Files of states → `joint_torque_regressor` as a stage of a dataset (`dtau.ray.map_batches`) → the two sums of every batch → their sum. Only
the last, some kilobytes, is ever in this process, whatever the number of states; columns of Y that motions tell apart are those of
`model.base_parameters()`. Then the torques that the estimate predicts, from Parquet to Parquet in one line (`dtau.ray.run`), beside those
that were measured. Saves ray_pipeline.png.

    python ray_pipeline.py [--short] [--out DIRECTORY]
"""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("RAY_worker_niceness", "0")  # as important as anything else here
os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # a cluster of this process alone
import common
import dtau
import dtau.ray
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray

NOISE = 0.1  # N m, standard deviation


def record(model, path, states, seed):
    """A file of states with measured torques, a list a row, as a robot's log might have them."""
    rng = np.random.default_rng(seed)
    q, v, a = (rng.uniform(-2, 2, (states, model.nv)) for _ in range(3))
    measured = dtau.rnea(model, q, v, a) + rng.normal(scale=NOISE, size=v.shape)
    columns = {"q": q, "v": v, "a": a, "measured": measured}
    pq.write_table(pa.table({name: list(x) for name, x in columns.items()}), path, row_group_size=500)


class Sums:
    """Both sums of (1) of a batch, and how many states they are of."""

    def __init__(self, independent):
        self.independent = independent

    def __call__(self, batch):
        Y = batch["joint_torque_regressor"][..., self.independent]
        tau = np.stack(batch["measured"])
        return {"YtY": np.einsum("sij,sik->jk", Y, Y)[None], "Yttau": np.einsum("sij,si->j", Y, tau)[None], "states": [len(tau)]}


def main(short=False, out="."):
    arm = dtau.Model.bundled("arm6", damping=False, friction=False, armature=False)
    files, states = (2, 2_000) if short else (20, 50_000)
    ray.init(num_cpus=max(3, os.cpu_count() or 1), include_dashboard=False, log_to_driver=False)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            log = Path(scratch) / "log"
            log.mkdir()
            for k in range(files):
                record(arm, log / f"{k}.parquet", states, seed=k)

            base = arm.base_parameters()
            regressors = dtau.ray.map_batches(ray.data.read_parquet(str(log)), arm, "joint_torque_regressor", keep=["measured"])
            sums = regressors.map_batches(Sums, fn_constructor_args=(base.independent,), compute=ray.data.ActorPoolStrategy(size=1)).take_all()
            YtY, Yttau = sum(row["YtY"] for row in sums), sum(row["Yttau"] for row in sums)
            assert sum(row["states"] for row in sums) == files * states
            estimate = np.linalg.solve(YtY, Yttau)  # (1)
            truth, sigma = base(arm.inertial_parameters), NOISE * np.sqrt(np.diag(np.linalg.inv(YtY)))
            print(f"{len(base)} base parameters from {files * states:,} states")

            # Parameters with that estimate: any will do that differ from the truth by what motions do not tell.
            pi = np.zeros(len(arm.inertial_parameters))
            pi[base.independent] = estimate
            done = dtau.ray.run(log, Path(scratch) / "regressors", arm, "joint_torque_regressor", outputs={"joint_torque_regressor": "Y"})
            left = []
            for path in sorted((Path(scratch) / "regressors").glob("*.parquet")):
                for batch in pq.ParquetFile(path).iter_batches(1000):
                    left.append(batch["Y"].to_numpy_ndarray() @ pi - np.stack(batch["measured"].to_numpy(zero_copy_only=False)))
            left = np.concatenate(left)
            print(f"{done.states:,} states in {done.seconds:.1f} s; torques off by {left.std():.4f} N m, the noise is {NOISE}")
    finally:
        ray.shutdown()

    plt = common.pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    axes[0].errorbar(np.arange(len(base)), estimate - truth, 2 * sigma, fmt="o", capsize=3)
    axes[0].set(xlabel="base parameter", ylabel="estimate − truth, ± 2σ")
    axes[1].hist(left.ravel(), bins=60)
    axes[1].set(xlabel="torque left [N m]", ylabel="measurements")
    common.save(figure, out, "ray_pipeline.png")

    assert np.abs((estimate - truth) / sigma).max() < 5  # of some fifty, each normal
    assert abs(left.std() / NOISE - 1) < 0.03


if __name__ == "__main__":
    main(**common.arguments(__doc__))
