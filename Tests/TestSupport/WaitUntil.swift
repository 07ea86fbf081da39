// Waiting in tests for something that another process or thread brings about.

import Glibc

/// Looks at `condition` every 2 milliseconds until it holds or the time is up.
/// - Returns: whether it came to hold.
package func waitUntil(
    within limit: Duration = .seconds(10), _ condition: () throws -> Bool
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
