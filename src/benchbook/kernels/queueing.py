"""Days at banks: where customers go, and how many of them find all queues full."""

import math

import numpy as np
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_UNIT = 1.0 / 9007199254740992.0


@njit(cache=True, error_model="numpy")
def choices(areas, banks, temperature, nodes, weights):
    """Which share of an area's people goes to which bank.

    A person at place z goes to bank b with probability ``exp(-|z - z_b| / t) / sum_c exp(-|z - z_c| / t)``. People of
    an area are spread normally about its centre; the mean over them is a quadrature on a square of nodes.

    Args:
        areas: centre x and y, standard deviations along x and y, correlation [n, A, 5].
        banks: places x and y [n, B, 2].
        temperature: t, in the unit of the places [n].
        nodes, weights: of the quadrature for one standard normal variable [k], weights with sum 1.

    Returns:
        shares [n, A, B], which sum to 1 over the banks.
    """
    cases, banking = banks.shape[0], banks.shape[1]
    out = np.zeros((cases, areas.shape[1], banking))
    pull = np.empty(banking)
    for case in range(cases):
        cold = 1.0 / temperature[case]
        for area in range(areas.shape[1]):
            cx, cy, sx, sy, rho = areas[case, area]
            free = math.sqrt(1.0 - rho * rho)
            for i in range(nodes.size):
                x = cx + sx * nodes[i]
                for j in range(nodes.size):
                    y = cy + sy * (rho * nodes[i] + free * nodes[j])
                    nearest = np.inf
                    for b in range(banking):
                        pull[b] = math.hypot(x - banks[case, b, 0], y - banks[case, b, 1])
                        nearest = min(nearest, pull[b])
                    total = 0.0
                    for b in range(banking):
                        pull[b] = math.exp((nearest - pull[b]) * cold)
                        total += pull[b]
                    for b in range(banking):
                        out[case, area, b] += weights[i] * weights[j] * pull[b] / total
    return out


@njit(cache=True, error_model="numpy")
def turned_away(
    arrivals, customers, service, call, longest, tills, opening, patience, seeds, counts
):
    """Simulate one day at every bank of every case and count who is turned away.

    A bank is a Markov chain: customers arrive at rate ``arrivals``; each open till serves its own queue at rate
    ``service`` (tasks are exponentially complex); a till that was called opens at rate ``opening``; each waiting
    customer loses patience at rate ``patience``. An arrival joins the shortest open queue; when that holds
    ``longest`` people, the customer goes away. A queue of ``call`` people after an arrival calls for another till,
    if there is one; half of the longest queue moves over when it opens. A till that has served its last customer
    closes, unless it is the last. Who loses patience moves to the shortest queue when that is shorter by two or
    more. The day starts with one till open and nobody there, and ends with the last arrival. Times need not be
    drawn: only the order of events matters.

    Random numbers come from SplitMix64 (Steele, Lea and Flood, 2014), one for each event.

    Args:
        arrivals, service: rates [n, B].
        customers: how many arrive that day [n, B], integers.
        call: queue length that calls for another till [n, B], integers.
        longest: longest queue allowed, the served customer included [n], integers.
        tills: how many each bank has [B], integers.
        opening, patience: rates.
        seeds: of the cases [n], unsigned 64-bit integers.
        counts: customers turned away [n], filled.
    """
    cases, banks = arrivals.shape
    queue = np.zeros(tills.max(), np.int64)
    for case in range(cases):
        state = seeds[case]
        counts[case] = 0
        for bank in range(banks):
            arrive, serve = arrivals[case, bank], service[case, bank]
            queue[:] = 0
            opened, busy, people, called = 1, 0, 0, 0
            left = customers[case, bank]
            while left > 0:
                state = state + _STEP
                word = (state ^ (state >> np.uint64(30))) * _FIRST
                word = (word ^ (word >> np.uint64(27))) * _SECOND
                word = word ^ (word >> np.uint64(31))
                event = (
                    np.float64(word >> np.uint64(11))
                    * _UNIT
                    * (arrive + serve * busy + opening * called + patience * (people - busy))
                )
                if event < arrive:
                    left -= 1
                    short = _shortest(queue, opened)
                    if queue[short] >= longest[case]:
                        counts[case] += 1
                        continue
                    if queue[short] == 0:
                        busy += 1
                    queue[short] += 1
                    people += 1
                    if called == 0 and opened < tills[bank] and queue[short] >= call[case, bank]:
                        called = 1
                    continue
                event -= arrive
                if event < serve * busy:
                    till = _busy_till(queue, opened, int(event / serve))
                    queue[till] -= 1
                    people -= 1
                    if queue[till] == 0:
                        busy -= 1
                        if opened > 1:
                            opened -= 1
                            queue[till] = queue[opened]
                            queue[opened] = 0
                    continue
                event -= serve * busy
                if event < opening * called:
                    called = 0
                    moving = _longest(queue, opened)
                    half = queue[moving] // 2
                    queue[moving] -= half
                    queue[opened] = half
                    opened += 1
                    if half > 0:
                        busy += 1
                    continue
                till = _waiting_till(queue, opened, int((event - opening * called) / patience))
                short = _shortest(queue, opened)
                if queue[till] - queue[short] >= 2:
                    queue[till] -= 1
                    queue[short] += 1


@njit(cache=True, error_model="numpy")
def _shortest(queue, opened):
    best = 0
    for till in range(1, opened):
        if queue[till] < queue[best]:
            best = till
    return best


@njit(cache=True, error_model="numpy")
def _longest(queue, opened):
    best = 0
    for till in range(1, opened):
        if queue[till] > queue[best]:
            best = till
    return best


@njit(cache=True, error_model="numpy")
def _busy_till(queue, opened, number):
    """The till of the numbered busy one, counted from 0; the last busy one when rounding led past it."""
    last = 0
    for till in range(opened):
        if queue[till] > 0:
            last = till
            number -= 1
            if number < 0:
                break
    return last


@njit(cache=True, error_model="numpy")
def _waiting_till(queue, opened, number):
    """The till at which the numbered waiting customer stands, counted from 0; served ones do not wait."""
    last = 0
    for till in range(opened):
        if queue[till] > 1:
            last = till
            number -= queue[till] - 1
            if number < 0:
                break
    return last
