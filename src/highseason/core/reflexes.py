"""Methods and arguments of other bandit libraries, and what to write here instead."""

from collections.abc import Iterable, Mapping

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
#: What arguments of `Bandit.update` were called, or are in other words.
ON_UPDATE: dict[str, str] = dict.fromkeys(("traffic", "customers"), "visitors")


def wrong_argument(function: str, given: Iterable[str], instead: Mapping[str, str]) -> TypeError:
    """The error for an argument that does not exist; it names the one that is meant, if known.

    >>> wrong_argument("update", ["traffic"], ON_UPDATE)
    TypeError("update() has no argument 'traffic': write visitors=…")
    """
    name = next(iter(given))
    hint = f": write {instead[name]}=…" if name in instead else ""
    return TypeError(f"{function}() has no argument {name!r}{hint}")


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
