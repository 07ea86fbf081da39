// Freed memory, which the allocator keeps for later allocations.
//
// Small allocations that live long lie between large ones that do not, so after much work most of the heap may be free
// and still take memory.

internal import CLinux

package enum FreedMemory {
    /// From now on, freeing an allocation of so many bytes or more returns its memory to the system at once. By default
    /// the allocator raises that size, up to 32 MiB, whenever such an allocation is freed.
    package static func returnAtOnce(allocationsFrom bytes: Int32) {
        // It fails for sizes above 32 MiB only.
        _ = clinux_map_allocations(bytes)
    }

    /// Returns whole pages of all freed memory to the system.
    /// - Complexity: O(n) for n free pages, some milliseconds for many. Another thread waits meanwhile if it allocates or
    ///   frees more than what it has at hand.
    /// - Returns: whether there were any.
    @discardableResult
    package static func returnAll() -> Bool { clinux_return_free_memory() != 0 }

    /// Unmaps the program's code and constants. What is used again is mapped again, from the system's cache, so that the
    /// pages that only a start needs are not counted any more. Has no effect under a debugger, whose breakpoints are in
    /// these pages.
    /// - Complexity: O(n) for n pages, a fraction of a millisecond; each of those used again costs about a microsecond.
    /// - Returns: the bytes of these parts of the program.
    @discardableResult
    package static func unmapProgram() -> Int {
        CurrentProcess.isTraced ? 0 : clinux_unmap_program()
    }
}
