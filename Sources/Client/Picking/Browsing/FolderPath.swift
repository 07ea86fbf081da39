/// Absolute paths of folders, as bytes. They have no slash at their end, but for that of `/`.
package enum FolderPath {
    private static let slash = UInt8(ascii: "/")

    /// The path of a name in a folder.
    package static func path(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        (folder.last == slash ? folder : folder + [slash]) + name
    }

    /// The folder of a path, and its name in it; nil for `/`.
    package static func parent(of path: [UInt8]) -> (folder: [UInt8], name: [UInt8])? {
        guard path.count > 1, let last = path.lastIndex(of: slash) else { return nil }
        let folder = last == 0 ? [slash] : Array(path[..<last])
        return (folder, Array(path[(last + 1)...]))
    }

    /// An absolute path without `.`, `..` and empty names: `..` leads to where one came from, as in a shell.
    package static func normalized(_ path: [UInt8]) -> [UInt8] {
        let dot = UInt8(ascii: ".")
        var names: [ArraySlice<UInt8>] = []
        for name in path.split(separator: slash) {
            switch Array(name) {
            case [dot]: continue
            case [dot, dot]: _ = names.popLast()
            default: names.append(name)
            }
        }
        return [slash] + Array(names.joined(separator: [slash]))
    }
}
