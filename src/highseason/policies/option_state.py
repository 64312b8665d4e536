"""Where the option index keeps its numbers: places in `state.shared`, columns of `state.memory`."""

#: What a turn is judged by: its level alone, where draws are scaled and no visitors are counted;
#: its own visitors; or the visitors of a turn on average, where G plays no part.
BY_LEVEL, BY_VISITORS, BY_MEAN = 0.0, 1.0, 2.0

# Places in `shared`: single numbers, the grid of the prior, then the rows of the noise.
RHO, PI, NU, CENTRE, SPACING, TURNS, BINARY = range(7)
#: What a turn is judged by, the visitors and the weight of the turns seen, and the
#: effective trials of a turn on average.
JUDGED, VISITORS, WEIGHT, PER_TURN = range(7, 11)
PRIORS, STRENGTHS = 12, 11
LOCATIONS = 12
#: The grid, a row of locations for every strength: loops over locations become vector operations.
WEIGHTS = LOCATIONS + PRIORS
POINTS = PRIORS * STRENGTHS
#: The logarithms of the weights, and of the beta function at νπ and ν(1-π).
LOGS = WEIGHTS + POINTS
LOG_NORMS = LOGS + POINTS
#: Scratch: the sums over all strengths, for every location.
SUMS = LOG_NORMS + POINTS
SPREADS = SUMS + PRIORS
ROWS = SPREADS + PRIORS
#: Per row of the noise grid: effective trials, successes and squares of all arms, and the excess.
PER_ROW = 4

# Columns of `memory`: trials and successes at the current noise, and those the prior has seen.
TRIALS, SUCCESSES, SEEN_TRIALS, SEEN_SUCCESSES = range(4)
#: The logarithm of the arm's likelihood at every point of the grid.
LIKELIHOOD = 4
ARM_ROWS = LIKELIHOOD + POINTS
#: Per row of the noise grid: effective trials, successes and squares.
PER_ARM_ROW = 3
