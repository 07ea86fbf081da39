// How the library stops a program that uses it in a way that it cannot go on from. `precondition` drops
// its message in optimised builds, where it is needed most: whoever meets the stop there has nothing
// else. So these say why on standard error in every build.

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
