"""What ``kernels.queueing`` computes, in plain numpy and Python, to be checked against it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.families.base import Array

_WORD = 2**64 - 1


def choices(areas: Array, banks: Array, temperature: Array, nodes: Array, weights: Array) -> Array:
    """Shares [n, A, B] of an area's people who go to a bank; see ``kernels.queueing.choices``."""
    first, second = (part.ravel() for part in np.meshgrid(nodes, nodes, indexing="ij"))
    x = areas[:, :, None, 0] + areas[:, :, None, 2] * first
    rho = areas[:, :, None, 4]
    y = areas[:, :, None, 1] + areas[:, :, None, 3] * (rho * first + np.sqrt(1 - rho**2) * second)
    location = np.stack([x, y], axis=-1)[:, :, :, None, :]
    distance = np.linalg.norm(location - banks[:, None, None, :, :], axis=-1)
    pull = np.exp(
        -(distance - distance.min(axis=-1, keepdims=True)) / temperature[:, None, None, None]
    )
    share = pull / pull.sum(axis=-1, keepdims=True)
    return np.einsum("nakb,k->nab", share, np.outer(weights, weights).ravel())


def turned_away(
    arrivals: Array,
    customers: NDArray[np.int64],
    service: Array,
    call: NDArray[np.int64],
    longest: NDArray[np.int64],
    tills: NDArray[np.int64],
    opening: float,
    patience: float,
    seeds: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Customers turned away on a day, case by case; see ``kernels.queueing.turned_away``."""
    for case, seed in enumerate(seeds):
        draw = _Stream(int(seed))
        counts[case] = sum(
            _bank_day(
                arrivals[case, bank],
                int(customers[case, bank]),
                service[case, bank],
                call[case, bank],
                longest[case],
                tills[bank],
                opening,
                patience,
                draw,
            )
            for bank in range(arrivals.shape[1])
        )


class _Stream:
    """SplitMix64 as numbers in [0, 1)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self) -> float:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _WORD
        word = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
        return ((word ^ (word >> 31)) >> 11) / 2**53


def _bank_day(
    arrive: float,
    left: int,
    serve: float,
    call: int,
    longest: int,
    tills: int,
    opening: float,
    patience: float,
    draw: _Stream,
) -> int:
    """One bank: the queues are a list, of the open tills only."""
    queues, called, away = [0], False, 0
    while left > 0:
        busy = sum(queue > 0 for queue in queues)
        event = draw() * (
            arrive + serve * busy + opening * called + patience * (sum(queues) - busy)
        )
        short = queues.index(min(queues))
        if event < arrive:
            left -= 1
            if queues[short] >= longest:
                away += 1
                continue
            queues[short] += 1
            called = called or (len(queues) < tills and queues[short] >= call)
        elif (event := event - arrive) < serve * busy:
            till = [number for number, queue in enumerate(queues) if queue > 0][int(event / serve)]
            queues[till] -= 1
            if queues[till] == 0 and len(queues) > 1:
                queues[till] = queues[-1]
                queues.pop()
        elif (event := event - serve * busy) < opening * called:
            called = False
            moving = queues.index(max(queues))
            queues.append(queues[moving] // 2)
            queues[moving] -= queues[-1]
        else:
            number = int((event - opening * called) / patience)
            till = [index for index, queue in enumerate(queues) for _ in range(queue - 1)][number]
            if queues[till] - queues[short] >= 2:
                queues[till] -= 1
                queues[short] += 1
    return away
