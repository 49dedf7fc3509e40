"""Where the states stand: a seeded force layout of the whole machine, fitted to a 16:10 box without overlaps."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import numpy.typing as npt

from seer.machine import StateMachine
from seer.traces import START

Positions = dict[int, tuple[float, float]]
"""State -> (x, y); x grows to the right and y downwards, as on a canvas."""

WIDTH, HEIGHT = 840.0, 525.0
SMALLEST, LARGEST = 9.0, 30.0
START_RADIUS = 15.0
GAP = 30.0
_ROUNDS = 300


def node_radius(machine: StateMachine, state: int) -> float:
    """Radius of a state's disc: its area follows the visits, down to a size that can still be hit."""
    if state == START:
        return START_RADIUS
    most = int(machine.visits[1:].max(initial=1)) or 1
    return max(SMALLEST, LARGEST * math.sqrt(int(machine.visits[state]) / most))


def place_states(machine: StateMachine, seed: int = 0) -> Positions:
    """Positions of the start and of every state; the same machine and seed give the same ones.

    Args:
        machine: the machine of all splits, so that filters and splits share one layout.
        seed: of the force layout.
    """
    size = machine.states + 1
    flow = machine.probability + machine.probability.T
    np.fill_diagonal(flow, 0)
    graph = nx.from_numpy_array(np.sqrt(flow))
    spring = nx.spring_layout(graph, k=2.2 / math.sqrt(size), iterations=200, seed=seed, weight="weight")
    places = _spread(_start_left(np.array([spring[node] for node in range(size)])))
    radii = np.array([node_radius(machine, state) for state in range(size)])
    places = pushed_apart(places, radii)
    return {state: (round(float(x), 1), round(float(y), 1)) for state, (x, y) in enumerate(places)}


def _start_left(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    centred = places - places.mean(axis=0)
    angle = math.pi - math.atan2(centred[START, 1], centred[START, 0])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    turned: npt.NDArray[np.float64] = centred @ turn.T
    turned[START, 0] = turned[:, 0].min() - 0.15 * np.ptp(turned[:, 0])
    return turned


def _spread(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # Half distance, half rank: keeps neighbourhoods and still fills the box where a force layout leaves a dense core.
    low, extent = places.min(axis=0), np.maximum(np.ptp(places, axis=0), 1e-9)
    linear = (places - low) / extent
    ranks = places.argsort(axis=0, kind="stable").argsort(axis=0) / max(1, len(places) - 1)
    box: npt.NDArray[np.float64] = (linear + ranks) / 2 * (WIDTH, HEIGHT)
    return box


def pushed_apart(
    places: npt.NDArray[np.float64], radii: npt.NDArray[np.float64], gap: float = GAP
) -> npt.NDArray[np.float64]:
    """Discs at (n, 2) places moved as little as need be until each pair has ``gap`` between; repeatable."""
    wanted = radii[:, None] + radii[None, :] + gap
    np.fill_diagonal(wanted, 0)
    moved = places.copy()
    for _ in range(_ROUNDS):
        apart = moved[:, None, :] - moved[None, :, :]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-6)
        missing = np.maximum(wanted - distance, 0)
        if missing.max() < 0.5:
            break
        moved += (apart / distance[:, :, None] * missing[:, :, None]).sum(axis=1) * 0.3
    return moved
