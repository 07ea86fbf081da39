// The library's own tests want chunks so small that small tests reach every split, and invariants
// checked at each change. That makes changes thousands of times as dear, so a debug build of anyone
// else must not get it: `DEBUG` alone is set for them, too. The tests of this project link
// Tests/Support/CTestSettings, which sets an environment variable before anything runs.

#if DEBUG
internal import Glibc
#endif

/// What only the tests of this project turn on. In release builds it is off whatever is set, and costs
/// nothing.
enum TestSettings {
    #if DEBUG
    /// Whether this runs in the project's own tests.
    // The C string is only compared with nil; the variable is set before any other code runs.
    static let areOn = unsafe getenv("PICKERD_TEST_SETTINGS") != nil
    #else
    static var areOn: Bool {
        @inline(__always) get { false }
    }
    #endif

    /// One value in the project's own tests, another one everywhere else.
    @inline(__always)
    static func choose<Value>(inTests small: Value, otherwise usual: Value) -> Value {
        areOn ? small : usual
    }
}
