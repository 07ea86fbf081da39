// The costs of the operators of Observables. `ObservablesBenchmark [--check] [PART…]`: memory, counts of
// operations, speed, or all of these; `changes`, `flips` and `reads` repeat one kind of work for a profiler.

import Measuring

// Memory comes first, before freed memory could be reused.
try run([
    Part("memory", run: measureMemory), Part("counts", .count, run: countOperations),
    Part("speed", run: measureSpeed), Part("changes", .profile, run: profileChanges),
    Part("flips", .profile, run: profileFlips), Part("reads", .profile, run: profileReads),
])
