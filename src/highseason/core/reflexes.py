"""Methods and arguments of other libraries, and what to write here instead."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

_PLAYER = "a policy is a recipe; hs.Bandit plays it: bandit = hs.Bandit(arms, {policy}), then "

#: What River, MABWiser, scikit-learn and Optuna call on a policy.
ON_POLICY: dict[str, str] = {
    **dict.fromkeys(("pull", "predict", "predict_one", "select_arm", "recommend", "ask"),
                    _PLAYER + "arm = bandit.pull()"),
    **dict.fromkeys(("update", "fit", "partial_fit", "learn_one", "tell"),
                    _PLAYER + "bandit.update(arm, reward, visitors=…) after each bandit.pull()"),
    **dict.fromkeys(("ranking", "predict_expectations"), _PLAYER + "bandit.ranking()"),
    "simulate": "write hs.simulate([{policy}], rewards, multiplier)",
}  # fmt: skip
#: What they call on a bandit.
ON_BANDIT: dict[str, str] = {
    **dict.fromkeys(("predict", "predict_one", "select_arm", "recommend", "ask"),
                    "write arm = bandit.pull()"),
    **dict.fromkeys(("partial_fit", "learn_one", "learn", "tell", "reward"),
                    "write bandit.update(arm, reward, visitors=…)"),
    "predict_expectations": "write bandit.expectations()",
    "traffic": "write bandit.count_visitors(t, visitors)",
}  # fmt: skip
#: What draws a result, where pandas and others have a method for it.
_DRAWN = {
    "Advice": "hs.report.advice(advice)",
    "Forecast": "hs.report.forecast(forecast)", "Multiplier": "hs.report.multiplier(G)",
    "Plan": "hs.report.plan(plan)", "RepeatedReplay": "hs.report.replays(result)",
    "ReplayResult": "hs.report.replays(result)", "SimulationResult": "hs.report.rewards(result)",
    "Tuned": "hs.report.sensitivity(tuned)",
}  # fmt: skip
#: What is missing from a class, by its name.
_INSTEAD = {"Policy": ON_POLICY, "Bandit": ON_BANDIT}
_INSTEAD |= {kind: {"plot": f"write {call}"} for kind, call in _DRAWN.items()}


def missing(owner: object, name: str, instead: Mapping[str, str]) -> AttributeError:
    """The error for an attribute that does not exist; it says what to write instead, if known.

    >>> missing(3, "pull", {"pull": "write hs.Bandit(arms, {policy}).pull()"})
    AttributeError("'int' has no method 'pull': write hs.Bandit(arms, 3).pull()")
    """
    kind = type(owner).__name__
    if name not in instead:
        return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=owner)
    hint = instead[name].format(policy=f"{owner!r}")
    return AttributeError(f"{kind!r} has no method {name!r}: {hint}")


class Hinting:
    """What a class lacks is refused with what to write instead, if that is known."""

    if not TYPE_CHECKING:  # type checkers would take it for any attribute

        def __getattr__(self, name: str) -> Any:
            kinds = (kind.__name__ for kind in type(self).__mro__)
            raise missing(self, name, next((_INSTEAD[k] for k in kinds if k in _INSTEAD), {}))
