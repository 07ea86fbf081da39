import PickerClient
import SystemInterface

/// Where that is which plugins are made with: beside an installed program, and for one that was built, in its project.
struct KitPlaces {
    /// `share/pickerd` of the prefix in which the program is installed.
    let share: RawPath
    /// The folder of the project; nil if the program was not built in one.
    let project: RawPath?

    init(of program: RawPath) {
        share = program.folder.folder.adding("share/pickerd")
        let parts = program.folder.bytes.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        project = parts.firstIndex(of: ArraySlice(".build".utf8)).flatMap { build in
            RawPath(bytes: Array(parts[..<build].joined(separator: [UInt8(ascii: "/")])))
        }
    }

    /// Those of this program.
    /// - Throws: if it can't be told where it is.
    static func own(lookingFor what: String) throws -> KitPlaces {
        guard let program = CurrentProcess.program else {
            throw CommandError(
                "the file of this program can't be told, and so not where \(what) is")
        }
        return KitPlaces(of: program)
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
