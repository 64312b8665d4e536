"""Conformance checks: what every policy, multiplier and forecaster promises, in one call.

They need no test framework.  One call checks a policy of your own:

>>> import highseason as hs
>>> hs.checks.check_policy(hs.UCBZ(z=30))
>>> hs.checks.check_multiplier(hs.traffic.wave)

In a test suite every (class, check) pair becomes a test with a readable name:

    @pytest.mark.parametrize(
        "check", [pytest.param(run, id=name) for name, run in hs.checks.policy_checks()]
    )
    def test_policy(check):
        check()
"""

from highseason.checks.catalogue import CheckFailed as CheckFailed
from highseason.checks.run import check_forecaster as check_forecaster
from highseason.checks.run import check_multiplier as check_multiplier
from highseason.checks.run import check_policy as check_policy
from highseason.checks.run import forecaster_checks as forecaster_checks
from highseason.checks.run import multiplier_checks as multiplier_checks
from highseason.checks.run import policy_checks as policy_checks
from highseason.core.names import public_names as _public_names

__dir__ = _public_names(__name__)
