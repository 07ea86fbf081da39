/// Whether data structures check all their invariants after each change, as in the project's own tests.
///
/// Tests that count the cost of a change turn the checks off: a full check costs more than any change.
package enum SelfChecks {
    @TaskLocal package static var areMade = true
}
