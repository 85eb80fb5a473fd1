"""Pairing two lists one to one at the least cost: an exact assignment (DESIGN section 7, "best match")."""

import math
from collections.abc import Sequence


def best_pairs(costs: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Rows paired with columns so that the sum of their costs is the least there is; (row, column), by row.

    `costs` has one list per row, all of one length, no cost below 0. As many pairs are made as the shorter side has.
    The same costs give the same pairs; equal ones are paired in their order. It takes rows² × columns steps at most.
    """
    rows = len(costs)
    columns = len(costs[0]) if rows else 0
    if not rows or not columns:
        return ()
    if rows > columns:
        turned = [[row[column] for row in costs] for column in range(columns)]
        return tuple(sorted((row, column) for column, row in best_pairs(turned)))
    owner = _assigned(costs, rows, columns)
    return tuple(sorted((row, column) for column, row in enumerate(owner) if row >= 0))


def _assigned(costs: Sequence[Sequence[int]], rows: int, columns: int) -> list[int]:
    """Which row has each column, -1 for none: every row gets one, by shortest augmenting paths (Hungarian method)."""
    of_row = [0] * rows
    of_column = [0] * columns
    owner = [-1] * columns
    for start in range(rows):
        least: list[float] = [math.inf] * columns
        reached_from = [-1] * columns
        free = list(range(columns))
        done: list[int] = []
        row, last = start, -1
        while True:
            cost, own = costs[row], of_row[row]
            nearest, at = math.inf, -1
            for column in free:
                slack = cost[column] - own - of_column[column]
                if slack < least[column]:
                    least[column] = slack
                    reached_from[column] = last
                if least[column] < nearest:
                    nearest, at = least[column], column
            # Prices move so that the nearest column costs nothing more; every reached one keeps its pair.
            step = int(nearest)
            of_row[start] += step
            for column in done:
                of_row[owner[column]] += step
                of_column[column] -= step
            for column in free:
                least[column] -= step
            done.append(at)
            free.remove(at)
            last = at
            if owner[at] < 0:
                break
            row = owner[at]
        while last >= 0:
            before = reached_from[last]
            owner[last] = owner[before] if before >= 0 else start
            last = before
    return owner
