// Roots that wait to be looked at: now, or when a name comes that leads to them.
//
// A root that is missing waits for one name in the nearest folder above it that exists. That folder's
// watch has a number, which the tree may have for a folder of its own.
//
// Invariants: a root waits on one watch at most, and is found by it; a watch without a waiting root is not
// known here; a root is to be looked at once, however often there is reason for it.

/// What one root waits for.
struct AwaitedName {
    fileprivate(set) var watch: Int32 = -1
    fileprivate(set) var name: [UInt8] = []
}

/// All roots that wait.
struct RootWaiting {
    private var waiting: [Int32: [WatchedRoot]] = [:]
    private var line: [WatchedRoot] = []

    // MARK: For a name

    func isUsed(_ watch: Int32) -> Bool { waiting[watch] != nil }

    /// The root waits for that name to come into the folder with that watch.
    mutating func wait(_ root: WatchedRoot, for name: [UInt8], on watch: Int32) {
        defer { checkInvariants() }
        precondition(root.awaited.watch < 0, "a root waits already")
        root.awaited = AwaitedName(watch: watch, name: name)
        waiting[watch, default: []].append(root)
    }

    /// The root waits no more.
    /// - Returns: the watch that it waited on, if no root waits on it any more.
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

    /// Something has happened to a name in the folder with that watch, or to the folder itself.
    mutating func hear(of name: [UInt8], on watch: Int32) {
        guard let roots = waiting[watch] else { return }
        look(at: roots.filter { name.isEmpty || $0.awaited.name == name })
    }

    /// The kernel has ended that watch.
    mutating func end(_ watch: Int32) {
        defer { checkInvariants() }
        for root in waiting.removeValue(forKey: watch) ?? [] { root.awaited = AwaitedName() }
    }

    // MARK: For a look

    var isLineEmpty: Bool { line.isEmpty }

    /// The roots are to be looked at.
    mutating func look(at roots: [WatchedRoot]) {
        for root in roots where !line.contains(where: { $0 === root }) { line.append(root) }
    }

    /// Takes the roots that are to be looked at, in the order in which they were asked for.
    mutating func takeLine() -> [WatchedRoot] {
        defer { line = [] }
        return line
    }

    /// In debug builds, traps if a root is not found by the watch that it waits on.
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
