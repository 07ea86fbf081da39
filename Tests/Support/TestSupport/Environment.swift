// The environment of a test's own process.

import Glibc

/// Sets a variable for all of this process: only for exit tests, whose process is their own.
package func setEnvironment(_ name: String, _ value: String) {
    // The C strings are copied by the call. No other thread of an exit test reads variables.
    _ = unsafe setenv(name, value, 1)
}
