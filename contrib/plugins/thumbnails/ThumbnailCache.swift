internal import Glibc
internal import MediaTypes
internal import SystemInterface

/// The folder of thumbnails, which is shared with other programs.
struct ThumbnailCache {
    private let folder: String
    /// Where it is kept which files can't be shown.
    private static let failures = "fail/pickerd-thumbnails-1"
    /// The most bytes of a thumbnail that are read: its texts stand before its image.
    private static let mostBytes = 8192

    /// Nil if the user has no folder for caches.
    static func ofUser() -> ThumbnailCache? {
        let given = CurrentProcess.environment("XDG_CACHE_HOME")
        if let given, given.hasPrefix("/") { return ThumbnailCache(folder: given + "/thumbnails") }
        let home = CurrentProcess.environment("HOME")
        guard let home, home.hasPrefix("/") else { return nil }
        return ThumbnailCache(folder: home + "/.cache/thumbnails")
    }

    /// Whether a file is in it: thumbnails have no thumbnails.
    func contains(_ path: [UInt8]) -> Bool { path.starts(with: Array((folder + "/").utf8)) }

    /// The path of the best thumbnail that shows a file as it is.
    func thumbnail(of shown: ShownFile) -> String? {
        ThumbnailPlace.names(shown.uri).lazy.map { "\(folder)/\($0)" }.first { fits($0, shown) }
    }

    /// Whether it is known that a file, as it is, can't be shown.
    func hasFailed(_ shown: ShownFile) -> Bool {
        fits("\(folder)/\(Self.failures)/\(shown.name)", shown)
    }

    private func fits(_ path: String, _ shown: ShownFile) -> Bool {
        // A pipe in its place must not block.
        guard
            let file = try? OwnedDescriptor.open(
                RawPath(path), flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            (try? FileStatus.of(file).kind) == .regular
        else { return false }
        var bytes = [UInt8](repeating: 0, count: Self.mostBytes)
        guard let count = try? file.read(into: &bytes, at: 0) else { return false }
        bytes.removeLast(bytes.count - count)
        return ThumbnailFile(start: bytes.span)?.fits(
            uri: shown.uri, modified: shown.modified, size: shown.size) ?? false
    }

    /// Stores a thumbnail, and returns its path.
    func store(
        _ image: ThumbnailImage, of size: ThumbnailSize, _ shown: ShownFile
    ) throws -> String {
        try write(image.bytes(with: shown.texts), to: size.rawValue, shown.name)
        return "\(folder)/\(size.rawValue)/\(shown.name)"
    }

    /// Stores that a file can't be shown.
    func storeFailure(_ shown: ShownFile) throws {
        try write(ThumbnailImage.empty.bytes(with: shown.texts), to: Self.failures, shown.name)
    }

    /// Writes a file beside its place and renames it: others see none, or all of it.
    private func write(_ bytes: [UInt8], to subfolder: String, _ name: String) throws {
        let path = RawPath("\(folder)/\(subfolder)")
        try OwnedDescriptor.makeFolders(path)
        let place = try OwnedDescriptor.openFolder(path)
        let draft = Array(".pickerd-\(UInt64.random(in: 0 ... .max)).new".utf8)
        let file = try place.createFile(draft, mode: 0o600)
        do {
            guard try file.writeAll(bytes) else {
                throw SystemError(.noSpace, operation: "write", subject: name)
            }
            try place.renameFile(draft, to: Array(name.utf8))
        } catch {
            try? place.removeFile(draft)
            throw error
        }
    }
}
