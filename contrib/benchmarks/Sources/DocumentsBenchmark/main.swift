// The cost of a million documents in the table that the daemon keeps them in.
//
//     DocumentsBenchmark [--check] [PART…]       table, search or orders; all unless some are named

import Measuring

try run([
    Part("counts", .count, run: checkCounts), Part("table", run: measureTable),
    Part("search", run: measureSearch), Part("orders", run: measureOrders),
])
