"""The pairing costs the least there is, held against every pairing."""

import random
import time
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.pairing import best_pairs

COSTS = st.integers(0, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 6), min_size=columns, max_size=columns), min_size=0, max_size=5
    )
)


def cheapest(costs: list[list[int]]) -> int:
    """The least cost of any pairing, by trying all."""
    rows, columns = len(costs), len(costs[0]) if costs else 0
    if rows <= columns:
        chosen = permutations(range(columns), rows)
        return min(sum(costs[row][column] for row, column in enumerate(each)) for each in chosen)
    chosen = permutations(range(rows), columns)
    return min(sum(costs[row][column] for column, row in enumerate(each)) for each in chosen)


@given(COSTS)
def test_no_pairing_costs_less(costs: list[list[int]]) -> None:
    pairs = best_pairs(costs)
    rows, columns = len(costs), len(costs[0]) if costs else 0
    assert len(pairs) == min(rows, columns)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert list(pairs) == sorted(pairs)
    assert sum(costs[row][column] for row, column in pairs) == cheapest(costs)


def test_a_greedy_pairing_would_be_worse() -> None:
    # The first row would like the first column, which the second row needs.
    assert best_pairs([[0, 1], [0, 9]]) == ((0, 1), (1, 0))
    assert best_pairs([[0, 1, 5], [0, 9, 5], [1, 0, 5]]) == ((0, 2), (1, 0), (2, 1))


def test_equal_ones_are_paired_in_their_order() -> None:
    assert best_pairs([[0] * 4] * 4) == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert best_pairs([[1, 1, 1]]) == ((0, 0),)
    assert best_pairs([[1], [1], [1]]) == ((0, 0),)


def test_nothing_to_pair() -> None:
    assert best_pairs([]) == ()
    assert best_pairs([[], []]) == ()


def test_a_hundred_by_a_hundred_is_quick() -> None:
    chance = random.Random(7)
    costs = [[chance.randrange(20) for _ in range(100)] for _ in range(100)]
    started = time.process_time()
    assert len(best_pairs(costs)) == 100
    # Trying every pairing would take longer than the universe has existed; a slow machine gets much room.
    assert time.process_time() - started < 5
