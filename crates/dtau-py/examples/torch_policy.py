"""A policy gradient through `dtau.torch.step`: a network learns to bring a double pendulum to rest, hanging, from anywhere near.

The policy is a small network of the angles' sines and cosines and of the velocities. A batch of random states is rolled out through the exact
derivatives of every step, so that the gradient of the whole cost by the network's weights is one backward pass,

    (q', v') = step(q, v, policy(q, v), h),   cost = mean over states of h Σ |q|² + w |v|²                (1)

and Adam follows it. Prints the cost as it falls.

    python torch_policy.py [--short] [--out DIRECTORY]
"""

import common
import dtau
import dtau.torch
import numpy as np
import torch

H = 0.02
SPEED = 0.1


def features(q, v):
    return torch.cat([torch.sin(q), torch.cos(q), v], -1)


def cost(model, policy, q, v, steps):
    """(1)."""
    total = 0.0
    for _ in range(steps):
        q, v = dtau.torch.step(model, q, v, policy(features(q, v)), H)
        total = total + H * ((q**2).sum(-1) + SPEED * (v**2).sum(-1)).mean()
    return total


def main(short=False, out="."):
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    model = dtau.Model.bundled("double_pendulum")
    policy = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2))
    optimiser = torch.optim.Adam(policy.parameters(), lr=0.02)
    states, steps, rounds = (16, 40, 40) if short else (64, 80, 150)
    rng = np.random.default_rng(0)
    test = [torch.tensor(rng.uniform(-1, 1, (64, 2))) for _ in range(2)]
    with torch.no_grad():
        before = cost(model, policy, *test, steps).item()
        idle = cost(model, lambda x: torch.zeros(64, 2), *test, steps).item()
    for k in range(rounds):
        x = [torch.tensor(rng.uniform(-1, 1, (states, 2))) for _ in range(2)]
        optimiser.zero_grad()
        loss = cost(model, policy, *x, steps)
        loss.backward()
        optimiser.step()
        if k % 10 == 0:
            print(f"round {k}: cost {loss.item():.3f}")
    with torch.no_grad():
        after = cost(model, policy, *test, steps).item()
    print(f"states it has not seen: without torques {idle:.3f}, before {before:.3f}, after {after:.3f}")
    assert after < 0.5 * min(idle, before), (idle, before, after)


if __name__ == "__main__":
    main(**common.arguments(__doc__))
