internal import Glibc
internal import PickerPlugin
internal import SystemInterface

/// A folder for what a program makes, which is removed with it.
final class WorkFolder {
    private let folder: String
    /// Where the program writes.
    let output: RawPath

    private static let name = "thumbnail.png"

    init() throws {
        let base = CurrentProcess.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let unique = String(UInt64.random(in: 0 ... .max), radix: 36)
        folder = "\(base ?? "/tmp")/pickerd-thumbnail-\(unique)"
        output = RawPath("\(folder)/\(Self.name)")
        // The path is a C string for the length of the call. A name that is taken is an error, whoever took it.
        if unsafe mkdir(folder, 0o700) != 0 {
            throw PluginError("no folder can be made in \(base ?? "/tmp")")
        }
    }

    deinit {
        if let place = try? OwnedDescriptor.openFolder(RawPath(folder), followingLinks: false) {
            try? place.removeFile(Array(Self.name.utf8))
        }
        // It fails if the program left more there; then that stays.
        _ = unsafe rmdir(folder)
    }
}
