// Stops the program on misuse from which it cannot recover. `precondition` drops its message in
// optimized builds, where the message is often the only clue. These functions write the reason to
// standard error in every build.

/// Stops the program with a message unless `condition` holds.
@inlinable
@inline(__always)
func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() { stop(message(), file: file, line: line) }
}

/// Stops the program with a message.
@usableFromInline
@inline(never)
func stop(
    _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    // Not `preconditionFailure`: its message is lost in optimised builds.
    fatalError(message(), file: file, line: line)
}
