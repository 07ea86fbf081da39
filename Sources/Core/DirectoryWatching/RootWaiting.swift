// Roots waiting for a probe, and missing roots waiting for a name.
//
// A missing root waits for one name in its nearest existing ancestor. The tree may have a folder with the same
// watch.
//
// Invariants: a root waits on at most one watch, and is found by it; only watches with a waiting root are known
// here; a root is queued for a probe at most once.

/// The name that one root waits for.
struct AwaitedName {
    fileprivate(set) var watch: Int32 = -1
    fileprivate(set) var name: [UInt8] = []
}

/// All waiting roots.
struct RootWaiting {
    private var waiting: [Int32: [WatchedRoot]] = [:]
    private var queue: [WatchedRoot] = []

    // MARK: For a name

    func isUsed(_ watch: Int32) -> Bool { waiting[watch] != nil }

    /// Lets the root wait for `name` to appear in the folder with that watch.
    mutating func wait(_ root: WatchedRoot, for name: [UInt8], on watch: Int32) {
        defer { checkInvariants() }
        precondition(root.awaited.watch < 0, "a root waits already")
        root.awaited = AwaitedName(watch: watch, name: name)
        waiting[watch, default: []].append(root)
    }

    /// Ends the wait of a root.
    /// - Returns: its watch, if no other root waits on it.
    mutating func stop(_ root: WatchedRoot) -> Int32? {
        defer { checkInvariants() }
        let watch = root.awaited.watch
        if watch < 0 { return nil }
        root.awaited = AwaitedName()
        waiting[watch]?.removeAll { $0 === root }
        guard waiting[watch]?.isEmpty == true else { return nil }
        waiting[watch] = nil
        return watch
    }

    /// Handles an event for a name in the folder with that watch, or for the folder itself.
    mutating func handleEvent(for name: [UInt8], on watch: Int32) {
        guard let roots = waiting[watch] else { return }
        queueProbes(of: roots.filter { name.isEmpty || $0.awaited.name == name })
    }

    /// Ends all waits on a watch that the kernel has ended.
    mutating func end(_ watch: Int32) {
        defer { checkInvariants() }
        for root in waiting.removeValue(forKey: watch) ?? [] { root.awaited = AwaitedName() }
    }

    // MARK: For a look

    var isQueueEmpty: Bool { queue.isEmpty }

    /// Queues the roots for a probe.
    mutating func queueProbes(of roots: [WatchedRoot]) {
        for root in roots where !queue.contains(where: { $0 === root }) { queue.append(root) }
    }

    /// Removes the queued roots, oldest first.
    mutating func takeQueue() -> [WatchedRoot] {
        defer { queue = [] }
        return queue
    }

    /// In debug builds, traps if a waiting root is not found by its watch.
    func checkInvariants() {
        #if DEBUG
        for (watch, roots) in waiting {
            precondition(!roots.isEmpty, "nobody waits on watch \(watch)")
            for (index, root) in roots.enumerated() {
                precondition(root.awaited.watch == watch, "a root waits on another watch")
                precondition(!roots[..<index].contains { $0 === root }, "a root waits twice")
            }
        }
        #endif
    }
}
