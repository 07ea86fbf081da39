// The folders that have a watch: found by its number, and in a row, so that a hand can go around them (`WatchMoves`).
//
// A folder that gives its watch up takes the place of none: the last of the row does. A hand that goes on meanwhile may
// so pass one over, or meet one twice, and finds it the next time.
//
// Retired watches. The kernel ends a watch when it is told to, and its events that are still queued come before the one
// that says so. Until that one, they are events of the folder that had it; the number may be another folder's by then,
// as the kernel uses numbers again, after all 2³¹.
//
// Invariants: a folder of the row links to its watch, and the watch leads to its place; no place is empty.

/// The watches of folders.
struct WatchTable {
    private var folders: [WatchedFolder] = []
    /// The places in `folders`, by watch.
    private var places: [Int32: Int32] = [:]
    /// Who had the watches that were given up and whose last event is not read yet; `nil` for one that has left the tree.
    private var retired: [Int32: WatchedFolder?] = [:]

    /// The number of watches, without retired ones.
    var count: Int { folders.count }

    /// The folder with that watch.
    /// - Complexity: O(1), as for all methods here but `forget`.
    subscript(watch: Int32) -> WatchedFolder? { places[watch].map { folders[Int($0)] } }

    /// The folder at a place below `count`.
    func folder(at place: Int) -> WatchedFolder { folders[place] }

    func isUsed(_ watch: Int32) -> Bool { places[watch] != nil }

    /// Gives a folder a watch, and takes it from any other folder.
    /// - Returns: the folder's former watch, if it was another one: no folder has it any more.
    mutating func set(_ watch: Int32, of folder: WatchedFolder) -> Int32? {
        let former = folder.watch == watch ? nil : end(folder)
        if let place = places[watch] {
            folders[Int(place)].watch = -1
            folders[Int(place)] = folder
        } else {
            places[watch] = Int32(folders.count)
            folders.append(folder)
        }
        folder.watch = watch
        return former
    }

    /// Takes a folder's watch away.
    /// - Returns: the watch it had.
    mutating func end(_ folder: WatchedFolder) -> Int32? {
        let watch = folder.watch
        if watch < 0 { return nil }
        folder.watch = -1
        guard let place = places.removeValue(forKey: watch), let last = folders.popLast() else {
            return watch
        }
        if last !== folder {
            folders[Int(place)] = last
            places[last.watch] = place
        }
        return watch
    }

    // MARK: Retired

    var hasRetired: Bool { !retired.isEmpty }

    /// Takes a folder's watch away, which is to be removed from the kernel; its queued events remain those of the folder.
    /// - Returns: the watch it had.
    mutating func retire(_ folder: WatchedFolder) -> Int32? {
        guard let watch = end(folder) else { return nil }
        retired[watch] = folder
        return watch
    }

    /// The folder to which an event for a watch belongs.
    func folder(ofEventOn watch: Int32) -> WatchedFolder? {
        if !retired.isEmpty, let former = retired[watch] { return former }
        return self[watch]
    }

    /// Takes the last event of a watch.
    /// - Returns: whether it was that of a retired one, which was not the end of another folder's.
    mutating func endRetired(_ watch: Int32) -> Bool {
        !retired.isEmpty && retired.removeValue(forKey: watch) != nil
    }

    /// Drops the events that are still to come of a folder which has left the tree.
    /// - Complexity: O(n) for n retired watches, which are few or none.
    mutating func forget(_ folder: WatchedFolder) {
        if retired.isEmpty { return }
        for (watch, former) in retired where former === folder {
            retired.updateValue(nil, forKey: watch)
        }
    }

    /// The last events of retired watches may be lost: no folder takes events of its former watch from now on.
    mutating func forgetRetired() { retired = [:] }

    /// In debug builds, traps if a folder of the row and its watch do not lead to each other.
    func checkInvariants() {
        #if DEBUG
        precondition(places.count == folders.count, "a watch without a folder, or one with two")
        // Only small states are checked, as most tests have.
        if folders.count > 32 { return }
        for (place, folder) in folders.enumerated() {
            precondition(places[folder.watch] == Int32(place), "a watch is another folder's")
        }
        for former in retired.values {
            precondition(former?.checks.isForgotten != true, "events for a folder that has left")
        }
        #endif
    }
}
