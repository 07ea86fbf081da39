// The symbolic links below the roots that count, and which of those to folders are followed.
//
// Whether a link to a folder is followed depends on all others and on the roots: no folder is to be listed twice. So the
// links are remembered, followed or not, and decided anew together after each change (`DirectoryWatcher+Links`).
//
// Invariants: the count is that of all links, and has a limit; a folder with known links is in the tree, or may return
// to it; the folder of a followed link has the link's target.

/// A folder to which a link leads.
struct LinkTarget: Equatable {
    /// Without links.
    let path: [UInt8]
    /// As in `WatchedFolder`.
    let identity: UInt64
    let inode: UInt64
}

/// Why a link to a folder is not followed.
package enum LinkRefusal: Equatable, Sendable {
    /// The folder is listed, or left out, at this path.
    case listed(at: [UInt8])
    /// A folder in it is listed at this path.
    case around([UInt8])
    /// It lies behind as many links as are followed on one path.
    case tooDeep(limit: Int)
}

/// A link that counts.
enum KnownLink {
    /// It leads to a file, to nothing, or to something that does not count.
    case plain
    /// It leads to a folder, and is followed unless refused.
    case folder(LinkTarget, LinkRefusal?)
}

/// The known links of all folders.
struct KnownLinks {
    private struct Place {
        let folder: WatchedFolder
        var links: [[UInt8]: KnownLink] = [:]
    }

    private let limit: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private(set) var count = 0
    /// Something has changed on which it depends which links are followed.
    private(set) var isDue = false

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { places.isEmpty }
    var isFull: Bool { count >= limit }

    /// All of them.
    var names: [(folder: WatchedFolder, name: [UInt8])] {
        places.values.flatMap { place in place.links.keys.map { (place.folder, $0) } }
    }

    /// Those to folders, in the order in which they are decided: links in real folders first, then those behind one
    /// followed link, and so on; each by their paths. Links in folders outside the tree are left out.
    var toFolders: [(folder: WatchedFolder, name: [UInt8], level: Int, path: [UInt8])] {
        var all: [(folder: WatchedFolder, name: [UInt8], level: Int, path: [UInt8])] = []
        for place in places.values {
            let folder = place.folder
            guard let path = folder.listedPath() else { continue }
            let level = folder.linkLevel
            for case (let name, .folder) in place.links {
                all.append((folder, name, level, joined(path, name)))
            }
        }
        return all.sorted {
            $0.level != $1.level ? $0.level < $1.level : $0.path.lexicographicallyPrecedes($1.path)
        }
    }

    /// The folders of those that are followed.
    var followed: [WatchedFolder] {
        places.values.flatMap { place in
            place.links.keys.compactMap { name in
                place.folder.folders[name].flatMap { $0.target == nil ? nil : $0 }
            }
        }
    }

    subscript(name: [UInt8], in folder: WatchedFolder) -> KnownLink? {
        places.isEmpty ? nil : places[ObjectIdentifier(folder)]?.links[name]
    }

    /// Remembers a link, or what it is now.
    /// - Returns: `false`, without effect, if there are too many.
    @discardableResult
    mutating func note(_ link: KnownLink, as name: [UInt8], in folder: WatchedFolder) -> Bool {
        let isNew = self[name, in: folder] == nil
        if isNew {
            if isFull { return false }
            count += 1
        }
        places[ObjectIdentifier(folder), default: Place(folder: folder)].links[name] = link
        return true
    }

    /// Forgets a link.
    mutating func remove(_ name: [UInt8], in folder: WatchedFolder) -> KnownLink? {
        let number = ObjectIdentifier(folder)
        guard let link = places[number]?.links.removeValue(forKey: name) else { return nil }
        count -= 1
        if places[number]?.links.isEmpty == true { places[number] = nil }
        return link
    }

    /// Forgets the links in a folder.
    mutating func forget(_ folder: WatchedFolder) {
        if places.isEmpty { return }
        count -= places.removeValue(forKey: ObjectIdentifier(folder))?.links.count ?? 0
    }

    /// Says that something has changed on which it may depend which links are followed.
    mutating func setDue() {
        if !places.isEmpty { isDue = true }
    }

    mutating func endDeciding() { isDue = false }

    /// In debug builds, traps if links are counted wrongly, or a folder is that of another link.
    func checkInvariants() {
        #if DEBUG
        // Only small states are checked, as most tests have.
        guard count <= 64 else { return }
        precondition(count == places.values.reduce(0) { $0 + $1.links.count }, "a wrong count")
        for place in places.values {
            precondition(!place.links.isEmpty, "a folder without links is known")
            for (name, child) in place.folder.folders {
                guard let target = child.target else { continue }
                guard case .folder(let known, nil) = place.links[name], known.path == target else {
                    preconditionFailure("a folder is that of another link")
                }
            }
        }
        #endif
    }
}

/// The folders that are listed while links are decided, by where they are on disk.
struct ListedPlaces {
    private var listed: [[UInt8]: [UInt8]] = [:]
    /// The folders above them; of several in one, the first.
    private var above: [[UInt8]: [UInt8]] = [:]
    private var inodes: [UInt64: [UInt8]] = [:]

    /// Adds a folder with all that is in it.
    /// - Parameters:
    ///   - path: on disk, without links.
    ///   - inode: as in `WatchedFolder`.
    ///   - listing: the path under which it is listed.
    mutating func add(_ path: [UInt8], inode: UInt64, as listing: [UInt8]) {
        listed[path] = listing
        if inode != 0 { inodes[inode] = listing }
        for folder in Self.folders(above: path) where above[folder] == nil {
            above[folder] = listing
        }
    }

    /// Why a folder may not be added: it is there, lies in one that is, or has one in it. A folder that is there by
    /// another path, as by a bind mount, is known by its inode.
    /// - Complexity: O(d) for a path of d folders.
    func refusal(of target: LinkTarget) -> LinkRefusal? {
        if let listing = listed[target.path] ?? inodes[target.inode] {
            return .listed(at: listing)
        }
        for folder in Self.folders(above: target.path) {
            guard let listing = listed[folder] else { continue }
            let inside = target.path.dropFirst(folder.count).drop { $0 == slash }
            return .listed(at: joined(listing, Array(inside)))
        }
        return above[target.path].map { .around($0) }
    }

    /// The paths of the folders above one, from the nearest on.
    private static func folders(above path: [UInt8]) -> [[UInt8]] {
        var folders: [[UInt8]] = []
        var rest = path[...]
        while rest.count > 1, let end = rest.lastIndex(of: slash) {
            rest = rest[..<max(end, 1)]
            folders.append(Array(rest))
        }
        return folders
    }
}
