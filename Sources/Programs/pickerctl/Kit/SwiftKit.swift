import PickerClient
import SystemInterface

/// Where the package of pickerd is, whose product PickerPlugin plugins in Swift are built with.
///
/// An installed prefix has no sources: it has the path of those from which it was installed, in a file.
enum SwiftKit {
    private static let longest = 1 << 13

    /// The folder of the package, as Package.swift of a plugin names it.
    static func package() throws -> String {
        let kit = try KitPlaces.own(lookingFor: "the package of pickerd")
        let note = kit.share.adding("swift-package")
        var folders: [RawPath] = []
        if let bytes = try PrivateFile.contents(of: note, limit: longest),
            let line = bytes.split(separator: 0x0A).first,
            let path = RawPath(bytes: Array(line))
        {
            folders.append(path)
        }
        if let project = kit.project { folders.append(project) }
        for folder in folders {
            guard (try? FileStatus.of(folder.adding("Package.swift"), followingLinks: true)) != nil
            else { continue }
            return try text(of: folder)
        }
        if let folder = folders.first {
            throw CommandError(
                "the sources of pickerd, with which plugins in Swift are built, are no more at "
                    + "'\(folder)': 'contrib/install --plugins' from where they are now says so to pickerctl"
            )
        }
        throw CommandError(
            "it is not known where the sources of pickerd are, with which plugins in Swift are built: "
                + "'contrib/install --plugins' notes it in \(note)")
    }

    private static func text(of folder: RawPath) throws -> String {
        guard let text = String(validating: folder.bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw CommandError(
                "'\(folder)', the path of the sources of pickerd, can't stand in a Package.swift")
        }
        return text
    }
}
