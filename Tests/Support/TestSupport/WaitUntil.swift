// Waits in tests for another process or thread.

import Glibc

/// The time that a test waits for an expected event. On an overloaded machine, a thread or process may get no
/// turn for many seconds, so this is far above any real need: only a failure reaches it. Set
/// `PICKERD_TEST_PATIENCE` to another number of seconds.
package let patience: Duration = {
    // The C string is read at once; no test changes this variable.
    let seconds = unsafe getenv("PICKERD_TEST_PATIENCE").flatMap {
        unsafe Int(String(cString: $0))
    }
    return .seconds(seconds ?? 120)
}()

/// The same in whole milliseconds, as used by the protocol and workers.
package var patienceMilliseconds: Int { Int(patience.components.seconds) * 1000 }

/// Checks `condition` every 2 milliseconds until it holds or the time is up.
/// - Returns: whether it held.
package func waitUntil(
    within limit: Duration = patience, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now >= deadline { return try condition() }
        // Waits for no descriptor: a pause between checks, not an estimate of a duration.
        _ = poll(nil, 0, 2)
    }
    return true
}
