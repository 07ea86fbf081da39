import SystemInterface

/// The files for the checks: made ones, in a folder that is removed at the end, and those of the user.
final class SampleFiles {
    /// The most files of a user's folder, in the order of their names.
    static let mostGiven = 256
    static let hugeSize = 5 << 30

    let folder: ScratchFolder
    /// Of a folder of the user; empty if there is none.
    let given: [RawPath]
    /// The made ones, in their order.
    private(set) var made: [(name: [UInt8], file: MadeFile)] = []
    private var names: Set<[UInt8]> = []

    /// - Throws: if the folder can't be made, or the user's can't be read.
    init(given path: RawPath?) throws(SystemError) {
        folder = try ScratchFolder("pickerctl-plugin")
        given = try path.map { path throws(SystemError) in try Self.files(path) } ?? []
    }

    private static func files(_ path: RawPath) throws(SystemError) -> [RawPath] {
        var found: [RawPath] = []
        var folders = [try path.resolved()]
        while let next = folders.popLast(), found.count < mostGiven {
            var names: [[UInt8]] = []
            var reader = try DirectoryReader(opening: next)
            while try reader.readBatch({ names.append($0.name) }) {}
            names.sort { $0.lexicographicallyPrecedes($1) }
            for name in names where name.first != UInt8(ascii: ".") {
                guard let path = RawPath(bytes: next.bytes + [UInt8(ascii: "/")] + name) else {
                    continue
                }
                switch try FileStatus.of(path).kind {
                case .regular: found.append(path)
                case .directory: folders.append(path)
                default: continue
                }
            }
        }
        return Array(found.prefix(mostGiven))
    }

    /// A path in the folder of made files, for `name` with `suffix`.
    func file(_ name: String, _ suffix: String) -> SampleFile {
        file(Array("\(name).\(suffix)".utf8), SampleContent.of(suffix: suffix).type)
    }

    func file(_ name: [UInt8], _ type: String) -> SampleFile {
        SampleFile(path: folder.path(name), type: type)
    }

    /// A made file, whole and of the right content for its suffix.
    func whole(_ name: String, _ suffix: String) throws(SystemError) -> SampleFile {
        let content = SampleContent.of(suffix: suffix)
        let name = Array("\(name).\(suffix)".utf8)
        return try make(name, .file(content.bytes), content.type)
    }

    /// Makes what has a name, once.
    @discardableResult
    func make(
        _ name: [UInt8], _ what: MadeFile, _ type: String = ""
    ) throws(SystemError) -> SampleFile {
        if names.insert(name).inserted {
            try what.make(name, in: folder)
            made.append((name, what))
        }
        return file(name, type)
    }

    /// The given files that a group is for; a path's suffix tells.
    func given(for group: AttributeGroup) -> [SampleFile] {
        let suffixes = group.suffixes.map { $0.lowercased() }
        return given.compactMap { path in
            let suffix = Self.suffix(path)
            guard suffixes.isEmpty || suffixes.contains(suffix) else { return nil }
            return SampleFile(path: path, type: SampleContent.of(suffix: suffix).type)
        }
    }

    private static func suffix(_ path: RawPath) -> String {
        let text = path.description
        guard let dot = text.lastIndex(of: ".") else { return "" }
        return text[text.index(after: dot)...].lowercased()
    }
}
