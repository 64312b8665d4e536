"""The bounds once more, slowly and with fifty digits, straight from the formulas.

Nothing of `highseason` is used here: what a policy does in each turn (its ε, its pool size, the
logarithm under its root) is worked out again from G.  Turns count from 1: `G[t - 1]` is G(t).
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp, mpf

mp.dps = 50


def floats(values: Sequence[float]) -> list[mpf]:
    return [mpf(float(v)) for v in values]


def floor(x: mpf) -> int:
    return int(mp.floor(x))


def ceil(x: mpf) -> int:
    return int(mp.ceil(x))


# -- common frame ----------------------------------------------------------------------------------


def tail(lam: mpf, kappa: mpf) -> mpf:
    q = floor(lam)
    # the geometric sum, added up until it no longer matters
    total, s = mpf(0), q + 1
    ratio = mp.exp(-kappa)
    term = mp.exp(-kappa * s)
    if kappa > mpf("0.2"):
        while term > mpf(10) ** -45:
            total += term
            term *= ratio
    else:
        total = term / (1 - ratio)
    return q * mp.exp(-lam / 5) + total


def leader_regret(D: Sequence[mpf], b: Sequence[mpf]) -> mpf:
    """Largest gaps first, until all probability is given away."""
    left, cost = mpf(1), mpf(0)
    for d, chance in sorted(zip(D, b, strict=True), key=lambda pair: -pair[0]):
        p = min(left, max(mpf(0), min(mpf(1), chance)))
        cost += d * p
        left -= p
    return cost


def trivial(D: Sequence[mpf], G: Sequence[mpf]) -> mpf:
    m = len(D)
    return sum(G[t - 1] * D[t - 1] for t in range(1, m + 1)) + max(D) * sum(G[m:])


def initialisation(D: Sequence[mpf], G: Sequence[mpf]) -> mpf:
    return sum((g * d for g, d in zip(G, D, strict=False)), mpf(0))


# -- the policies' numbers -------------------------------------------------------------------------


def low_counts(H: Sequence[mpf], z: mpf) -> list[int]:
    """t~ of every turn."""
    counts, seen = [], 0
    for h in H:
        seen += h < z
        counts.append(seen)
    return counts


def epsilons_old(n: int, m: int, k: mpf) -> list[mpf]:
    return [min(mpf(1), k * m / t) for t in range(1, n + 1)]


def epsilons_z(H: Sequence[mpf], m: int, k: mpf, z: mpf) -> list[mpf]:
    return [
        mpf(0) if h >= z else min(mpf(1), k * m / s)
        for h, s in zip(H, low_counts(H, z), strict=True)
    ]


def psis(G: Sequence[mpf], m: int, unit: mpf) -> list[mpf]:
    least = min(G[m:]) if len(G) > m else min(G)
    return [mp.log(1 + unit / g) / mp.log(1 + unit / least) for g in G]


def epsilons_soft(G: Sequence[mpf], m: int, k: mpf, unit: mpf) -> list[mpf]:
    return [min(mpf(1), psi, k * m / t) for t, psi in enumerate(psis(G, m, unit), start=1)]


def pool_sizes(G: Sequence[mpf], m: int, c: mpf, unit: mpf) -> list[int]:
    return [min(m, max(1, floor(c * m * unit / (t * g)))) for t, g in enumerate(G, start=1)]


# -- ε policies ------------------------------------------------------------------------------------


def epsilon_safe(
    D: Sequence[mpf], G: Sequence[mpf], eps: Sequence[mpf], low: Sequence[bool], r: mpf
) -> dict[str, mpf]:
    m, n = len(D), len(G)
    parts = {"initialisation": initialisation(D, G), "exploration": mpf(0), "low": mpf(0),
             "high": mpf(0)}  # fmt: skip
    lam = mpf(1) / 2
    for t in range(m + 1, n + 1):
        e, g = eps[t - 1], G[t - 1]
        b = [min(mpf(1), 2 * tail(lam, d * d / (2 * r * r))) if d > 0 else mpf(0) for d in D]
        parts["exploration"] += g * e / m * sum(D)
        parts["low" if low[t - 1] else "high"] += g * (1 - e) * leader_regret(D, b)
        lam += e / (2 * m)
    return parts


def beta_printed(x: mpf, k: mpf, d: mpf, r: mpf) -> mpf:
    a = (d / r) ** 2
    return k * x ** (-k / 10) * mp.log(x) + 4 / a * x ** (-k * a / 4)


def epsilon_paper(
    D: Sequence[mpf],
    G: Sequence[mpf],
    eps: Sequence[mpf],
    clock: Sequence[mpf],
    k: mpf,
    r: mpf,
) -> mpf:
    """`clock` is t~, t or gamma t; the leader counts only where ε < 1."""
    m, n = len(D), len(G)
    total = initialisation(D, G)
    for t in range(m + 1, n + 1):
        e, g = eps[t - 1], G[t - 1]
        total += g * e / m * sum(D)
        if e < 1:
            x = clock[t - 1] / (m * k * mp.e)
            total += g * (1 - e) * sum(d * beta_printed(x, k, d, r) for d in D if d > 0)
    return total


# -- minimum pulls ---------------------------------------------------------------------------------


def need(L_rival: mpf, L_own: mpf, r: mpf, y: int) -> mpf:
    root = mp.sqrt(L_own / y)
    return L_rival / (root - r) ** 2 if root > r else mp.inf


def tau(r: mpf, y: int, P: mpf) -> int:
    t = 1
    while mp.sqrt(P * mp.log(t) / y) < r:
        t += 1
    return t


def phi(r: mpf, y: int, P: mpf, limit: int) -> int:
    """By looking at every turn; `limit + 1` if it lies beyond."""
    if r <= 0:
        return y + 1
    for t in range(1, limit + 1):
        L = P * mp.log(t)
        if t > need(L, L, r, y):
            return t
    return limit + 1


def soft_phi(r: mpf, y: int, P: mpf, high: mpf, low: mpf | None, limit: int) -> int:
    """Soft UCB: log(1 + t/high) for log t; with `low` the printed form's rivals."""
    if r <= 0:
        return y + 1
    for t in range(1, limit + 1):
        own = P * mp.log(1 + t / high)
        rival = own if low is None else P * mp.log(1 + t / low)
        if t > need(rival, own, r, y):
            return t
    return limit + 1


def least_pulls(n: int, m: int, phi_of, safe: bool) -> int:  # type: ignore[no-untyped-def]
    if m == 1:
        return n
    y = 0
    while True:
        spent = (m - 1) * phi_of(y + 1) + (y + 2 if safe else 0)
        if spent > n:
            return y + 1
        y += 1


# -- UCB -------------------------------------------------------------------------------------------


def ucb_z_safe(
    D: Sequence[mpf], G: Sequence[mpf], low: Sequence[bool], P: mpf, r: mpf
) -> dict[str, mpf]:
    m, n = len(D), len(G)
    sub = [d for d in D if d > 0]
    later = range(m + 1, n + 1)
    lows = [t for t in later if low[t - 1]]
    parts = {"initialisation": initialisation(D, G), "low": mpf(0), "high": mpf(0)}
    if not sub:
        return parts
    if lows:
        heaviest = max(G[t - 1] for t in lows)
        trials = heaviest * sum(4 * P * mp.log(lows[-1]) / d for d in sub)
        if P >= 2 * r * r:
            failures = heaviest * mp.pi**2 / 3
        else:
            failures = sum(
                G[t - 1] * min(mpf(1), 2 * (t - m) * mpf(t) ** (-2 * P / r**2)) for t in lows
            )
        cap = max(D) * sum(G[t - 1] for t in lows)
        parts["low"] = min(cap, trials + failures * sum(sub))
    for t in later:
        if low[t - 1]:
            continue
        N = m + sum(1 for s in lows if s < t)
        x = least_pulls(N, m, lambda y, N=N: phi(r, y, P, N), safe=True)
        b = []
        for d in D:
            kappa = d * d / (2 * r * r)
            b.append(2 * mp.exp(-kappa * x) / (1 - mp.exp(-kappa)) if d > 0 else mpf(0))
        parts["high"] += G[t - 1] * leader_regret(D, b)
    return parts


def ucb_z_paper(D: Sequence[mpf], G: Sequence[mpf], H: Sequence[mpf], z: mpf, r: mpf) -> mpf:
    m, n = len(D), len(G)
    low = [h < z for h in H]
    sub = [d for d in D if d > 0]
    total = initialisation(D, G)
    total += z * (8 * sum(mp.log(sum(low)) / d for d in sub) + (1 + mp.pi**2 / 3) * sum(D))
    entered = [t for t in range(2, n + 1) if low[t - 2] and not low[t - 1]]
    for k, start in enumerate(entered):
        end = entered[k + 1] if k + 1 < len(entered) else n
        for t in range(start, end):
            if low[t - 1]:
                continue
            x = least_pulls(t, m, lambda y, t=t: phi(r, y, mpf(2), t), safe=False)
            for d in sub:
                beta = 2 / d**2 * mp.exp(-(d**2) / 2 * (x - 1))
                total += d * G[t - 1] * 2 * beta
    return total


def soft_ucb_safe(D: Sequence[mpf], G: Sequence[mpf], xi: Sequence[mpf], P: mpf, r: mpf) -> mpf:
    m, n = len(D), len(G)
    after = range(m + 1, n + 1)
    if n == m:
        return initialisation(D, G)
    S = sum(G[t - 1] * min(mpf(1), 2 * (t - m) * xi[t - 1] ** (-2 * P / r**2)) for t in after)
    everything = sum(G[m:])
    falling = sorted(G[m:], reverse=True)
    most = max(xi[m:])
    bound = mpf(0)
    for d in D:
        if d > 0:
            u = max(1, ceil(4 * P / d**2 * mp.log(most)))
            bound += d * min(everything, sum(falling[: u - 1]) + S)
    return initialisation(D, G) + min(max(D) * everything, bound)


def soft_ucb_paper(D: Sequence[mpf], G: Sequence[mpf], xi: Sequence[mpf]) -> mpf:
    m, n = len(D), len(G)
    series = sum(2 * mpf(t - 1 - m) ** 2 / xi[t - 1] ** 4 for t in range(m + 1, n + 1))
    inside = sum(8 / d * mp.log(max(xi[m:])) for d in D if d > 0) + sum(D) * (1 + series)
    return initialisation(D, G) + max(G[m:]) * inside


# -- variable pool ---------------------------------------------------------------------------------


def pool_safe(D: Sequence[mpf], G: Sequence[mpf], sizes: Sequence[int], r: mpf) -> mpf:
    m, n = len(D), len(G)
    rising = sorted(D)
    total, F = initialisation(D, G), m
    for t in range(m + 1, n + 1):
        size = sizes[t - 1]
        lam = mpf(F) / (2 * m)
        caps = []
        for d_j in D:
            d = d_j - rising[size - 1]  # mu_(size) - mu_j
            inside = (1 + size) * tail(lam, d * d / (2 * r * r)) if d > 0 else mpf(1)
            caps.append(min(mpf(1), inside) / size)
        total += G[t - 1] * leader_regret(D, caps)
        F += size == m
    return total


def pool_paper(D: Sequence[mpf], G: Sequence[mpf], sizes: Sequence[int], Gamma: mpf, r: mpf) -> mpf:
    rising = sorted(D)
    total = mpf(0)
    for t in range(1, len(G) + 1):
        size = sizes[t - 1]
        for d_j in D:
            if d_j == 0:
                continue
            d = (d_j - rising[size - 1]) / r
            if d == 0:
                return mp.inf
            beta = Gamma * mp.log(t) * mpf(t) ** (-Gamma / 5)
            beta += 2 / d**2 * mpf(t) ** (-Gamma * d**2 / 2)
            total += d_j * G[t - 1] * 2 / size * beta
    return total


# -- mortal arms -----------------------------------------------------------------------------------


def mortal(
    means: Sequence[mpf],
    lifetimes: Sequence[tuple[int, int]],
    G: Sequence[mpf],
    H: Sequence[mpf],
    c: mpf,
    r: mpf,
    unit: mpf,
    safe: bool,
) -> mpf:
    """Both forms; the first round plays all arms alive at turn 1."""
    n, m = len(G), len(means)
    birth = [0 if first <= 1 else first for first, _ in lifetimes]
    alive = [
        [j for j in range(m) if max(1, birth[j]) <= t <= lifetimes[j][1]] for t in range(n + 1)
    ]
    score = [sum(H[t - 1] for t in range(1, n + 1) if j in alive[t]) for j in range(m)]

    def best(t: int) -> int:
        return max(alive[t], key=lambda j: (means[j], -j))

    def psi(j: int, t: int) -> mpf:
        return c * sum(1 for i in alive[t] if score[i] <= score[j]) / len(alive[t])

    def log_xi(j: int, t: int) -> mpf:
        return mp.log(1 + (t - birth[j]) * unit / H[t - 1])

    total, played = mpf(0), 0
    for j in range(m):
        if (
            birth[j] == 0 and lifetimes[j][1] >= played + 1 <= n
        ):  # there may be more arms than turns
            played += 1
            total += G[played - 1] * (means[best(played)] - means[j])
    worst = sum(
        G[t - 1] * max(means[best(t)] - means[j] for j in alive[t])
        for t in range(played + 1, n + 1)
    )
    bound = mpf(0)
    for j in range(m):
        turns = [t for t in range(played + 1, n + 1) if j in alive[t]]
        runs: list[list[int]] = []
        for t in turns:
            if runs and best(runs[-1][-1]) == best(t) and runs[-1][-1] == t - 1:
                runs[-1].append(t)
            else:
                runs.append([t])
        for run in runs:
            star = best(run[0])
            D = means[star] - means[j]
            if D <= 0:
                continue
            heaviest = max(G[t - 1] for t in run)
            power = 2 if safe else 1
            u = max(ceil(8 * psi(j, t) ** power * log_xi(j, t) / D**2) for t in run)
            count = mpf(u)
            if safe:
                u = max(1, u)
                count = mpf(u)
            for t in run:
                own = mp.exp(-4 * psi(j, t) ** power / r**2 * log_xi(j, t))
                their = mp.exp(-4 * psi(star, t) ** power / r**2 * log_xi(star, t))
                if safe:
                    N_j = t - max(1, birth[j]) - u + 1
                    N_star = t - max(1, birth[star])
                    if N_j > 0:
                        count += min(mpf(1), N_j * own + N_star * their)
                else:
                    count += (t - birth[star]) * (t - birth[j] - u + 1) * (own + their)
            bound += D * heaviest * min(mpf(len(run) if safe else len(run) - 1), count)
    return total + (min(bound, worst) if safe else bound)
