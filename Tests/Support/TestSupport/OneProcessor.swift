internal import CTestSettings

/// Lets this thread, and those that it starts, use only the first of the processors that it may use.
/// - Returns: whether the system has allowed it.
package func useOneProcessor() -> Bool { test_use_one_processor() == 0 }
