/// An array of numbers in one memory block, aligned for the kernels, whose address is stable while cells
/// move.
///
/// The owner keeps indices below `capacity`; they are not checked here, since every access is in an
/// inner loop. New memory is uninitialized.
@safe struct AlignedArray<Element: BitwiseCopyable>: ~Copyable {
    private(set) var capacity: Int
    /// Valid until the next ``reserve(_:keeping:)``, and while the array lives.
    private(set) var pointer: UnsafeMutablePointer<Element>

    init(capacity: Int = 0) {
        self.capacity = capacity
        unsafe pointer = Self.allocate(capacity)
    }

    deinit { unsafe pointer.deallocate() }

    /// Reserves room for `count`, growing by at least half, and keeps the first `kept` elements.
    mutating func reserve(_ count: Int, keeping kept: Int) {
        guard count > capacity else { return }
        let grown = max(count, capacity + capacity / 2, 64)
        // Both blocks hold at least `kept` elements, and are distinct.
        let other = unsafe Self.allocate(grown)
        unsafe other.update(from: pointer, count: kept)
        unsafe pointer.deallocate()
        unsafe pointer = other
        capacity = grown
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Element> {
        // Fresh memory of the right size, bound to the one type that it is ever used as.
        unsafe UnsafeMutableRawPointer.allocate(
            byteCount: max(count, 1) * MemoryLayout<Element>.stride, alignment: 64
        ).bindMemory(to: Element.self, capacity: max(count, 1))
    }
}
