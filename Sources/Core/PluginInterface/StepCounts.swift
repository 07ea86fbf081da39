/// How many of the steps of a request are done.
package struct StepCounts: Hashable, Sendable {
    package let done: Int
    package let total: Int

    package init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}
