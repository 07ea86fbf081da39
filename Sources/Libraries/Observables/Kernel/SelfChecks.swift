/// Whether the structures here look all of themselves over after each change, as they do in the project's own tests.
///
/// Tests that count what a change costs turn it off for themselves: a look at everything costs more than any
/// change.
package enum SelfChecks {
    @TaskLocal package static var areMade = true
}
