// Waiting in tests for something that another process or thread brings about.

import Glibc

/// How long a test waits for what must come. On a machine with more to do than it can, a thread or a
/// process may get no turn for many seconds, so this is far above all that is ever needed: it is waited out
/// only where something is broken. Set `PICKERD_TEST_PATIENCE` to seconds for another.
package let patience: Duration = {
    // The C string is read at once; no test changes this variable.
    let seconds = unsafe getenv("PICKERD_TEST_PATIENCE").flatMap {
        unsafe Int(String(cString: $0))
    }
    return .seconds(seconds ?? 120)
}()

/// The same as a whole number of milliseconds, as the protocol and workers take it.
package var patienceMilliseconds: Int { Int(patience.components.seconds) * 1000 }

/// Looks at `condition` every 2 milliseconds until it holds or the time is up.
/// - Returns: whether it came to hold.
package func waitUntil(
    within limit: Duration = patience, _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now >= deadline { return try condition() }
        // Waits for no descriptor at all: a pause between looks, never a guess at how long
        // something takes.
        _ = poll(nil, 0, 2)
    }
    return true
}
