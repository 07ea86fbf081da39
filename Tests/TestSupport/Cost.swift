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

    /// The cost of `work`.
    package static func of(_ work: () throws -> Void) rethrows -> Cost {
        let before = costs_of_thread()
        try work()
        let after = costs_of_thread()
        return Cost(
            allocations: Int(after.allocations - before.allocations),
            bytes: Int(after.bytes - before.bytes),
            retains: Int(after.retains - before.retains))
    }
}

extension Cost: CustomStringConvertible {
    package var description: String {
        "\(allocations) allocations of \(bytes) bytes together, \(retains) retains"
    }
}
