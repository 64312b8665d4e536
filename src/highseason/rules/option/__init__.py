"""The option index: try an arm as long as what it may still teach pays for the turn.

Exploring buys a call option on an arm.  If the best alternative earns λ per unit of weight, finding
out that the arm is better brings E(Y - λ)⁺ for every unit still to come, and costs the shortfall
λ - p on every play made to find out.  The index is the λ at which the two are equal; the arm with
the highest index is played.  The level of a turn is its effective horizon H: the weight still to
come over the weight of this turn, or less where a cheaper turn is near enough to wait for.

Arms are Beta distributed.  Their prior is learned from all arms (`prior`), and so is how much a
turn teaches (`noise`).
"""

from highseason.rules.option.index import arms_to_try
from highseason.rules.option.rule import OPTION, OPTION_COUNTED, OPTION_UNREGULATED, indices

__all__ = ["OPTION", "OPTION_COUNTED", "OPTION_UNREGULATED", "arms_to_try", "indices"]
