// What a piece of work costs, in numbers that are the same on a busy machine as on an idle one.

private import CCosts

/// What the calling thread asked of the allocator and of Swift's runtime during a piece of work.
///
/// Work that looks at each of `n` rows retains at least as many objects; work that copies them asks for as many
/// bytes. What other threads do is not counted.
package struct Cost {
    /// How often it asked for memory.
    package let allocations: Int
    /// How many bytes it asked for in all.
    package let bytes: Int
    /// How often it retained an object: the steps of nearly everything that goes through rows.
    package let retains: Int

    /// Whether this is no more than `other`, but for what grows with the logarithm of a number of rows, and for
    /// what a hash makes of its seed.
    package func isAbout(_ other: Cost) -> Bool {
        allocations <= other.allocations * 3 / 2 + 16 && bytes <= other.bytes * 3 / 2 + 2048
            && retains <= other.retains * 3 / 2 + 64
    }

    /// How many bytes it moved or copied in pieces.
    package let moved: Int

    package init(allocations: Int = 0, bytes: Int = 0, retains: Int = 0, moved: Int = 0) {
        self.allocations = allocations
        self.bytes = bytes
        self.retains = retains
        self.moved = moved
    }

    /// Whether this is less than one and a half times what was measured once, so that twice as much is not.
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

    /// What each of `count` equal parts costs.
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
