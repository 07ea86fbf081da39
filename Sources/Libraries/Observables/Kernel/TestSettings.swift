// The library's own tests use chunks so small that small tests reach every split, and check invariants
// at each change. This makes changes thousands of times as expensive, so debug builds of other packages,
// which also set `DEBUG`, must not enable it. The tests of this project link
// Tests/Support/CTestSettings, which sets an environment variable before any other code runs.

#if DEBUG
internal import Glibc
#endif

/// Settings that only the tests of this project turn on. In release builds they are always off and cost
/// nothing.
enum TestSettings {
    #if DEBUG
    /// Whether the project's own tests are running.
    // The C string is only compared with nil; the variable is set before any other code runs.
    static let areOn = unsafe getenv("PICKERD_TEST_SETTINGS") != nil
    #else
    static var areOn: Bool {
        @inline(__always) get { false }
    }
    #endif

    /// One value in the project's own tests, another everywhere else.
    @inline(__always)
    static func choose<Value>(inTests small: Value, otherwise usual: Value) -> Value {
        areOn ? small : usual
    }
}
