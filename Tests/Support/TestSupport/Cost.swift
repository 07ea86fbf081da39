// The cost of a piece of work, in numbers that do not depend on the load of the machine.

private import CCosts

/// The allocations and runtime calls of the calling thread during a piece of work.
///
/// Work that visits each of `n` rows retains at least as many objects; work that copies them allocates as many
/// bytes. Other threads are not counted.
package struct Cost {
    /// The number of allocations.
    package let allocations: Int
    /// The total of allocated bytes.
    package let bytes: Int
    /// The number of retains: the steps of nearly all work on rows.
    package let retains: Int

    /// Whether this is no more than `other`, apart from logarithmic growth with the number of rows, and from
    /// effects of a hash seed.
    package func isAbout(_ other: Cost) -> Bool {
        allocations <= other.allocations * 3 / 2 + 16 && bytes <= other.bytes * 3 / 2 + 2048
            && retains <= other.retains * 3 / 2 + 64
    }

    /// The number of bytes moved or copied in bulk.
    package let moved: Int

    package init(allocations: Int = 0, bytes: Int = 0, retains: Int = 0, moved: Int = 0) {
        self.allocations = allocations
        self.bytes = bytes
        self.retains = retains
        self.moved = moved
    }

    /// Whether this is less than one and a half times an earlier measurement, so that a doubling is detected.
    package func isWithinHalfMore(of measured: Cost) -> Bool {
        allocations * 2 <= measured.allocations * 3 && bytes * 2 <= measured.bytes * 3
            && retains * 2 <= measured.retains * 3
    }

    package static func + (left: Cost, right: Cost) -> Cost {
        Cost(
            allocations: left.allocations + right.allocations, bytes: left.bytes + right.bytes,
            retains: left.retains + right.retains, moved: left.moved + right.moved)
    }

    package static func - (left: Cost, right: Cost) -> Cost {
        Cost(
            allocations: left.allocations - right.allocations, bytes: left.bytes - right.bytes,
            retains: left.retains - right.retains, moved: left.moved - right.moved)
    }

    /// The cost of each of `count` equal parts.
    package static func / (cost: Cost, count: Int) -> Cost {
        Cost(
            allocations: cost.allocations / count, bytes: cost.bytes / count,
            retains: cost.retains / count, moved: cost.moved / count)
    }

    /// The cost of `work`.
    package static func of(_ work: () throws -> Void) rethrows -> Cost {
        let before = costs_of_thread()
        try work()
        let after = costs_of_thread()
        return Cost(
            allocations: Int(after.allocations - before.allocations),
            bytes: Int(after.bytes - before.bytes),
            retains: Int(after.retains - before.retains), moved: Int(after.moved - before.moved))
    }
}

extension Cost: CustomStringConvertible {
    package var description: String {
        "\(allocations) allocations of \(bytes) bytes together, \(retains) retains, "
            + "\(moved) bytes moved"
    }
}
