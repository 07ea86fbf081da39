import Picking

/// A disk for pickers of folders: what is in which folder.
struct Disk {
    /// By absolute path: the names in a folder, those of folders with a slash.
    var folders: [String: Set<String>] = ["/": []]
    /// Folders in which nothing can be written.
    var closed: Set<String> = []

    init(_ paths: [String] = []) {
        for path in paths { add(path) }
    }

    /// Adds a file or, with a slash at its end, a folder, and the folders above it.
    mutating func add(_ path: String) {
        var folder = "/"
        let names = path.split(separator: "/")
        for (index, name) in names.enumerated() {
            let isFolder = index + 1 < names.count || path.hasSuffix("/")
            folders[folder, default: []].insert(name + (isFolder ? "/" : ""))
            folder = Self.path(folder, String(name))
            if isFolder, folders[folder] == nil { folders[folder] = [] }
        }
    }

    /// Removes a file, or a folder with all that is in it.
    mutating func remove(_ path: String) {
        let (folder, name) = Self.parts(of: path)
        folders[folder]?.remove(name)
        folders[folder]?.remove(name + "/")
        for other in folders.keys where other == path || other.hasPrefix(path + "/") {
            folders[other] = nil
        }
    }

    static func path(_ folder: String, _ name: String) -> String {
        (folder == "/" ? "" : folder) + "/" + name
    }

    static func parts(of path: String) -> (folder: String, name: String) {
        let names = path.split(separator: "/")
        return (
            "/" + names.dropLast().joined(separator: "/"), names.last.map { String($0) } ?? ""
        )
    }

    func listing(of wanted: WantedFolder) -> FolderListing {
        guard let names = folders[String(decoding: wanted.path, as: UTF8.self)] else {
            return FolderListing(fault: "The folder is not there any more", isGone: true)
        }
        let entries = names.map { name in
            let isFolder = name.hasSuffix("/")
            return FolderEntry(
                Array((isFolder ? name.dropLast() : name[...]).utf8), isFolder: isFolder)
        }
        return FolderListing(
            entries.filter { $0.isFolder || wanted.withFiles }.sorted(by: FolderEntry.isBefore))
    }

    mutating func answer(to request: FolderRequest) -> FolderAnswer {
        let folder = String(decoding: request.folder, as: UTF8.self)
        func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
        guard let names = folders[folder] else {
            return .refused("The folder is not there any more")
        }
        switch request.deed {
        case .find: return .done
        case .findFolder(let name): return names.contains(text(name) + "/") ? .done : .refused("no")
        case .findPlace(let name):
            if names.contains(text(name) + "/") { return .folder }
            if names.contains(text(name)) { return .file }
            return closed.contains(folder) ? .refused("You may not write in this folder") : .free
        case .makeFolder(let name):
            if closed.contains(folder) { return .refused("You may not write in this folder") }
            if names.contains(text(name)) || names.contains(text(name) + "/") {
                return .refused("'\(text(name))' is there already")
            }
            add(Self.path(folder, text(name)) + "/")
            return .done
        }
    }
}
