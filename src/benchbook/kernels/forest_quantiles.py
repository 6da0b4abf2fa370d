"""Quantiles of a forest: the weight of each training case is how often it shares a leaf with the case asked for."""

from numba import njit


@njit(cache=True, error_model="numpy")
def quantiles(asked, start, member, place, targets, level, result):
    """Weighted quantiles of the training targets, for every case asked for.

    Training case i has the weight (1/T) sum_t [i and the case share a leaf of tree t] / (size of that leaf). The
    distribution function runs in straight lines from each target's middle, where half of its own weight lies behind, to
    the next; beyond the first and the last middle the quantile is that target. Ties of targets are steps of one value.

    Args:
        asked: [J, T], the leaf, numbered through the forest, that a case falls into.
        start: [L + 1], where each leaf's members begin in ``member``.
        member: the training cases of each leaf, as places in the order of their targets.
        place: scratch, [N], zeros; it is zeros again afterwards.
        targets: [N], increasing.
        level: [K], increasing, between 0 and 1.
        result: [J, K], written.
    """
    trees, levels, cases = asked.shape[1], level.size, targets.size
    for j in range(asked.shape[0]):
        low, high = cases, -1
        for t in range(trees):
            leaf = asked[j, t]
            first, last = start[leaf], start[leaf + 1]
            share = 1.0 / (trees * (last - first))
            for m in range(first, last):
                i = member[m]
                place[i] += share
                low, high = min(low, i), max(high, i)
        total = 0.0
        for i in range(low, high + 1):
            total += place[i]
        passed, before, before_at, k = 0.0, targets[low], -1.0, 0
        for i in range(low, high + 1):
            weight = place[i]
            if weight == 0.0:
                continue
            place[i] = 0.0
            middle = (passed + 0.5 * weight) / total
            while k < levels and level[k] <= middle:
                if before_at < 0.0:
                    result[j, k] = targets[i]
                else:
                    result[j, k] = before + (targets[i] - before) * (level[k] - before_at) / (
                        middle - before_at
                    )
                k += 1
            passed += weight
            before, before_at = targets[i], middle
        while k < levels:
            result[j, k] = before
            k += 1


@njit(cache=True, error_model="numpy")
def members(leaf, start, member, filled):
    """Lists the training cases of each leaf.

    Args:
        leaf: [N, T], the leaf, numbered through the forest, of each training case in the order of their targets.
        start: [L + 1], where each leaf's list begins; member: [N T], written. filled: scratch, [L], zeros.
    """
    for t in range(leaf.shape[1]):
        for i in range(leaf.shape[0]):
            own = leaf[i, t]
            member[start[own] + filled[own]] = i
            filled[own] += 1
