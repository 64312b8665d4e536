"""Kernels that add up what games gave, in the order in which NumPy adds; see `moments`."""

from typing import Any

from numba import cuda

from highseason.core.jitable import jitable
from highseason.engine.gpu.kernels import Quantile
from highseason.engine.kernels.arguments import Kernel


def metrics(quantile: Quantile) -> Kernel:
    """What is measured in every game, by (quantity, policy, game), as `Tally` has it."""

    def kernel(totals: Any, best: Any, values: Any) -> None:
        policies, games = totals.shape[0], totals.shape[1]
        for i in range(cuda.grid(1), policies * games, cuda.gridsize(1)):
            policy = i // games
            game = i - policy * games
            total = totals[policy, game]
            reward = total[0]
            values[0, policy, game], values[1, policy, game] = reward, total[1]
            values[2, policy, game], values[3, policy, game] = total[2], total[3]
            values[4, policy, game] = reward / totals[0, game, 0]
            if best.size > 0:
                values[5, policy, game] = best[game] - reward

    return kernel


@jitable
def term(values: Any, row: int, other: int, a: float, b: float, at: int) -> float:
    """The number at a place of a row; if there is an other row, the product of both, centred."""
    if other < 0:
        return values[row, at]  # type: ignore[no-any-return]  # an array's entry
    return (values[row, at] - a) * (values[other, at] - b)  # type: ignore[no-any-return]  # as above


@jitable
def add_piece(values: Any, row: int, other: int, a: float, b: float, at: int, count: int) -> float:
    """The sum of up to 128 terms, added as NumPy does: in eight running sums."""
    if count < 8:
        few = 0.0
        for i in range(at, at + count):
            few += term(values, row, other, a, b, i)
        return few
    r0, r1 = term(values, row, other, a, b, at), term(values, row, other, a, b, at + 1)
    r2, r3 = term(values, row, other, a, b, at + 2), term(values, row, other, a, b, at + 3)
    r4, r5 = term(values, row, other, a, b, at + 4), term(values, row, other, a, b, at + 5)
    r6, r7 = term(values, row, other, a, b, at + 6), term(values, row, other, a, b, at + 7)
    even = count - count % 8
    for i in range(at + 8, at + even, 8):
        r0 += term(values, row, other, a, b, i)
        r1 += term(values, row, other, a, b, i + 1)
        r2 += term(values, row, other, a, b, i + 2)
        r3 += term(values, row, other, a, b, i + 3)
        r4 += term(values, row, other, a, b, i + 4)
        r5 += term(values, row, other, a, b, i + 5)
        r6 += term(values, row, other, a, b, i + 6)
        r7 += term(values, row, other, a, b, i + 7)
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for i in range(at + even, at + count):
        total += term(values, row, other, a, b, i)
    return total


def piece_sums(quantile: Quantile) -> Kernel:
    """The sum of every piece of every block, by (row, block, piece)."""

    def kernel(values: Any, start: int, size: int, pieces: Any, sums: Any) -> None:
        blocks, each = sums.shape[1], sums.shape[2]
        for i in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
            group = i // each
            row, piece = group // blocks, i - group * each
            at = start + (group - row * blocks) * size + pieces[piece, 0]
            sums[row, group - row * blocks, piece] = add_piece(
                values, row, -1, 0.0, 0.0, at, pieces[piece, 1]
            )

    return kernel


def piece_products(quantile: Quantile) -> Kernel:
    """The same of the products of two policies' centred numbers: a row per quantity and pair."""

    def kernel(
        values: Any, means: Any, policies: int, start: int, size: int, pieces: Any, sums: Any
    ) -> None:
        blocks, each = sums.shape[1], sums.shape[2]
        for i in range(cuda.grid(1), sums.size, cuda.gridsize(1)):
            group = i // each
            pair, piece = group // blocks, i - group * each
            block = group - pair * blocks
            row, inner = pair // policies, pair % policies
            other = row // policies * policies + inner
            at = start + block * size + pieces[piece, 0]
            a, b = means[row, block], means[other, block]
            sums[pair, block, piece] = add_piece(values, row, other, a, b, at, pieces[piece, 1])

    return kernel


def join_pieces(quantile: Quantile) -> Kernel:
    """Add the sums of the pieces in NumPy's order, and divide by `count`."""

    def kernel(sums: Any, joins: Any, count: float, out: Any) -> None:
        blocks = sums.shape[1]
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            row = i // blocks
            pieces = sums[row, i - row * blocks]
            for join in range(joins.shape[0]):
                pieces[joins[join, 0]] += pieces[joins[join, 1]]
            out[row, i - row * blocks] = pieces[0] / count

    return kernel
