/// The batches of files that a process has: any number, or one alone.
struct BatchesInFlight {
    private var count = 0
    /// Whether the only one must be read while no other is.
    private(set) var hasLoneOne = false

    var isEmpty: Bool { count == 0 }

    mutating func begin(isAlone: Bool) {
        assert(!hasLoneOne && (!isAlone || isEmpty), "a batch is not alone")
        count += 1
        hasLoneOne = isAlone
    }

    mutating func end() {
        count -= 1
        hasLoneOne = false
    }
}
