"""The normal distribution without SciPy: quantile, and the mean of a clipped normal.

`quantile` is Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988): relative error about
1e-16, from two rational functions, the centre one without a logarithm.
"""

from __future__ import annotations

import math

from highseason.core.jitable import jitable

_ROOT_TWO = math.sqrt(2.0)
_DENSITY_AT_ZERO = 1.0 / math.sqrt(2.0 * math.pi)


@jitable
def quantile(u: float) -> float:
    """The number below which a standard normal falls with probability `u`; 0 gives -inf."""
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * _centre(r)
    r = u if q < 0.0 else 1.0 - u
    if r <= 0.0:
        return -math.inf if q < 0.0 else math.inf
    r = math.sqrt(-math.log(r))
    value = _tail(r - 1.6) if r <= 5.0 else _far_tail(r - 5.0)
    return -value if q < 0.0 else value


@jitable
def _centre(r: float) -> float:
    top = 2.5090809287301226727e3 * r + 3.3430575583588128105e4
    top = top * r + 6.7265770927008700853e4
    top = top * r + 4.5921953931549871457e4
    top = top * r + 1.3731693765509461125e4
    top = top * r + 1.9715909503065514427e3
    top = top * r + 1.3314166789178437745e2
    top = top * r + 3.3871328727963666080e0
    bottom = 5.2264952788528545610e3 * r + 2.8729085735721942674e4
    bottom = bottom * r + 3.9307895800092710610e4
    bottom = bottom * r + 2.1213794301586595867e4
    bottom = bottom * r + 5.3941960214247511077e3
    bottom = bottom * r + 6.8718700749205790830e2
    bottom = bottom * r + 4.2313330701600911252e1
    bottom = bottom * r + 1.0
    return top / bottom


@jitable
def _tail(r: float) -> float:
    top = 7.74545014278341407640e-4 * r + 2.27238449892691845833e-2
    top = top * r + 2.41780725177450611770e-1
    top = top * r + 1.27045825245236838258e0
    top = top * r + 3.64784832476320460504e0
    top = top * r + 5.76949722146069140550e0
    top = top * r + 4.63033784615654529590e0
    top = top * r + 1.42343711074968357734e0
    bottom = 1.05075007164441684324e-9 * r + 5.47593808499534494600e-4
    bottom = bottom * r + 1.51986665636164571966e-2
    bottom = bottom * r + 1.48103976427480074590e-1
    bottom = bottom * r + 6.89767334985100004550e-1
    bottom = bottom * r + 1.67638483018380384940e0
    bottom = bottom * r + 2.05319162663775882187e0
    bottom = bottom * r + 1.0
    return top / bottom


@jitable
def _far_tail(r: float) -> float:
    top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
    top = top * r + 1.24266094738807843860e-3
    top = top * r + 2.65321895265761230930e-2
    top = top * r + 2.96560571828504891230e-1
    top = top * r + 1.78482653991729133580e0
    top = top * r + 5.46378491116411436990e0
    top = top * r + 6.65790464350110377720e0
    bottom = 2.04426310338993978564e-15 * r + 1.42151175831644588870e-7
    bottom = bottom * r + 1.84631831751005468180e-5
    bottom = bottom * r + 7.86869131145613259100e-4
    bottom = bottom * r + 1.48753612908506148525e-2
    bottom = bottom * r + 1.36929880922735805310e-1
    bottom = bottom * r + 5.99832206555887937690e-1
    bottom = bottom * r + 1.0
    return top / bottom


@jitable
def below(x: float) -> float:
    """The chance that a standard normal is below `x`."""
    return 0.5 * math.erfc(-x / _ROOT_TWO)


@jitable
def density(x: float) -> float:
    """The standard normal density."""
    return _DENSITY_AT_ZERO * math.exp(-0.5 * x * x)


@jitable
def clipped_mean(centre: float, sigma: float) -> float:
    """The mean of max(0, min(1, N(centre, sigma))), which is not `centre`.

    With a = -centre/sigma and b = (1-centre)/sigma it is
    centre (Phi(b) - Phi(a)) + sigma (phi(a) - phi(b)) + 1 - Phi(b).
    """
    a = -centre / sigma
    b = (1.0 - centre) / sigma
    inside = centre * (below(b) - below(a)) + sigma * (density(a) - density(b))
    return inside + below(-b)
