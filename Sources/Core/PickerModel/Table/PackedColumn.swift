internal import CDocumentKernels

/// An array that grows without copying: the kernel moves its pages.
///
/// Room that has never been written takes no memory, and reads as zeros. Indexes are checked against the count.
@safe struct PackedColumn<Element: BitwiseCopyable>: ~Copyable {
    /// The number of elements that may be accessed.
    private(set) var count = 0
    /// The greatest count since memory was last returned.
    private var most = 0
    /// The number of elements for which pages are mapped.
    private(set) var capacity = 0
    /// Nil while nothing is mapped. Moves when the column grows.
    private var memory: UnsafeMutableRawPointer?

    init() {}

    deinit {
        // The pages are this column's own, of the size that they were mapped with.
        if let memory = unsafe memory { unsafe names_unmap(memory, Self.bytes(for: capacity)) }
    }

    /// The size of whole pages that hold so many elements.
    private static func bytes(for count: Int) -> Int {
        let page = names_page_size()
        return (count * MemoryLayout<Element>.stride + page - 1) / page * page
    }

    /// The size of the mapped pages, most of which may take no memory yet.
    var mappedBytes: Int { Self.bytes(for: capacity) }

    /// Makes room for so many elements, and half as many again if there was less.
    /// - Returns: false, without effect, if the system has no memory for it.
    mutating func reserve(_ wanted: Int) -> Bool {
        if wanted <= capacity { return true }
        let size = Self.bytes(for: max(wanted, capacity + capacity / 2))
        // `memory` has the size given, if it is mapped.
        let grown =
            if let memory = unsafe memory {
                unsafe names_remap(memory, Self.bytes(for: capacity), size)
            } else {
                unsafe names_map(size)
            }
        guard let grown = unsafe grown else { return false }
        unsafe memory = grown
        capacity = size / MemoryLayout<Element>.stride
        // So that the size can be computed from the capacity.
        precondition(Self.bytes(for: capacity) == size)
        return true
    }

    /// Gives the first elements memory at once, as far as there is room for them: all of them are going to be written.
    mutating func populate(_ count: Int) {
        guard let memory = unsafe memory else { return }
        // These pages are mapped.
        unsafe names_populate(memory, Self.bytes(for: min(count, capacity)))
    }

    /// Sets the count, for which there must be room. New elements are zeros, or what was there before.
    mutating func resize(to count: Int) {
        precondition(count >= 0 && count <= capacity)
        self.count = count
        most = max(most, count)
    }

    /// Returns the memory of whole pages behind the count to the system, from the end, for about so many bytes.
    /// - Returns: whether there is nothing left to return.
    mutating func discardRest(atMost bytes: Int) -> Bool {
        let kept = Self.bytes(for: count)
        let end = Self.bytes(for: most)
        guard let memory = unsafe memory, kept < end else { return true }
        let start = max(kept, (end - bytes) / names_page_size() * names_page_size())
        // These pages are behind all elements.
        unsafe names_discard(memory + start, end - start)
        most = start / MemoryLayout<Element>.stride
        return start == kept
    }

    subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            // Below the count there is memory, zeroed or written as elements.
            return unsafe start[index]
        }
        @inline(__always) set {
            precondition(index >= 0 && index < count)
            // As above.
            unsafe start[index] = newValue
        }
    }

    /// Sets some elements to the same.
    mutating func fill(_ range: Range<Int>, with element: Element) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // The range is checked.
        if !range.isEmpty {
            unsafe (start + range.lowerBound).update(repeating: element, count: range.count)
        }
    }

    /// Lets the processor fetch an element that is accessed soon, if there is one.
    @inline(__always)
    func prefetch(_ index: Int) {
        guard index >= 0, index < count else { return }
        // The address is that of an element.
        unsafe names_prefetch(start + index)
    }

    /// Makes an element's page ready to be written. A page that is read before it is written the first time costs ten
    /// times as much: all processors have to forget that it was empty.
    @inline(__always)
    mutating func touch(_ index: Int) {
        precondition(index >= 0 && index < count)
        // The byte is one of an element, and is not changed.
        unsafe names_touch(start + index)
    }

    /// The first element. Only for a column with elements.
    private var start: UnsafeMutablePointer<Element> {
        @inline(__always) get {
            // The memory is used as elements only; it is mapped, since the caller has checked an index.
            unsafe memory.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
        }
    }

    /// The elements; invalid after the next change of the column's count or room.
    @unsafe var elements: UnsafeBufferPointer<Element> {
        guard let memory = unsafe memory else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeBufferPointer(
            start: memory.assumingMemoryBound(to: Element.self), count: count)
    }

    /// The elements, to be written; invalid after the next change of the column's count or room.
    @unsafe var mutableElements: UnsafeMutableBufferPointer<Element> {
        mutating get {
            guard let memory = unsafe memory else {
                return unsafe UnsafeMutableBufferPointer(start: nil, count: 0)
            }
            return unsafe UnsafeMutableBufferPointer(
                start: memory.assumingMemoryBound(to: Element.self), count: count)
        }
    }
}

extension PackedColumn where Element: Equatable {
    /// Sets an element unless it is that already. So pages on which all elements are zeros are never written, and take no
    /// memory.
    @inline(__always)
    mutating func set(_ index: Int, to element: Element) {
        if self[index] != element { self[index] = element }
    }
}

extension PackedColumn where Element == UInt64 {
    /// A bit for each of the 64 elements from 64 × `block` on that is at most `bound` once the bits of `flip` in it are
    /// turned; none for those that are not there.
    func upTo(_ bound: UInt64, _ block: Int, _ flip: UInt64) -> UInt64 {
        let first = block * 64
        precondition(block >= 0 && first < count)
        // As many elements as there are.
        return unsafe names_words_up_to(
            elements.baseAddress.unsafelyUnwrapped + first, min(64, count - first), flip, bound)
    }
}

extension PackedColumn where Element == MediaType {
    /// A bit for each of the 64 types from 64 × `block` on whose rank is less than `bound` once the bits of `flip` in it
    /// are turned, and one for each that equals it; none for those that are not there.
    func below(_ bound: UInt16, _ block: Int, _ flip: UInt16) -> (below: UInt64, equal: UInt64) {
        let first = block * 64
        precondition(block >= 0 && first < count)
        var equal: UInt64 = 0
        // As many elements as there are; each is its rank.
        let below = unsafe UnsafeRawPointer(elements.baseAddress.unsafelyUnwrapped + first)
            .withMemoryRebound(to: UInt16.self, capacity: min(64, count - first)) { ranks in
                unsafe names_numbers_below(ranks, min(64, count - first), flip, bound, &equal)
            }
        return (below, equal)
    }
}
