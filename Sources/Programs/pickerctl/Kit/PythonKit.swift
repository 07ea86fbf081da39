import PickerClient
import SystemInterface

/// Where pickerd_plugin.py is, with which plugins in Python are made.
enum PythonKit {
    private static let name = "pickerd_plugin.py"
    private static let longest = 1 << 20

    /// The places where it may be: beside an installed program, and for one that was built, in its project.
    static func places(of program: RawPath) -> [RawPath] {
        let folder = program.folder
        var places = [folder.folder.adding("share/pickerd/python/\(name)")]
        let parts = folder.bytes.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if let build = parts.firstIndex(of: ArraySlice(".build".utf8)),
            let project = RawPath(
                bytes: Array(parts[..<build].joined(separator: [UInt8(ascii: "/")])))
        {
            places.append(project.adding("contrib/clients/\(name)"))
        }
        return places
    }

    /// Reads it.
    static func read() throws -> [UInt8] {
        guard let program = CurrentProcess.program else {
            throw CommandError(
                "the file of this program can't be told, and so not where \(name) is")
        }
        let places = places(of: program)
        for place in places {
            if let bytes = try PrivateFile.contents(of: place, limit: longest), !bytes.isEmpty {
                return bytes
            }
        }
        throw CommandError(
            "\(name) is not there, at \(places.map(\.description).joined(separator: " or ")): "
                + "'contrib/install --plugins' puts it there")
    }
}

extension RawPath {
    /// The path of something below this folder.
    func adding(_ name: String) -> RawPath {
        RawPath(bytes: bytes + [UInt8(ascii: "/")] + Array(name.utf8)) ?? self
    }

    /// The last name of the path, without slashes behind it.
    var lastName: [UInt8] {
        let slash = UInt8(ascii: "/")
        var rest = bytes[...]
        while rest.count > 1, rest.last == slash { rest.removeLast() }
        return Array(rest.suffix(from: rest.lastIndex(of: slash).map { $0 + 1 } ?? rest.startIndex))
    }
}
