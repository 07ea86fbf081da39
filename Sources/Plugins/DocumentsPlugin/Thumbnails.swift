internal import Glibc
internal import MediaTypes
internal import SystemInterface

/// The thumbnails that other programs have made, by the Thumbnail Managing Standard. None is made here, and nothing is
/// kept: each request asks the disk.
struct Thumbnails {
    /// Nil if there is no place for them.
    private let folder: String?

    /// The most bytes of a thumbnail that are read: its texts stand before its image.
    private static let mostBytes = 8192

    init(cacheFolder: String?) { folder = cacheFolder.map { $0 + "/thumbnails/" } }

    /// The path of the best thumbnail that shows a file as it is; nil if there is none.
    /// - Complexity: O(1). At most four files are opened, and the start of each is read.
    func path(ofFile uri: String, _ status: FileStatus) -> String? {
        guard let folder else { return nil }
        return ThumbnailPlace.names(uri).lazy.map { folder + $0 }.first { path in
            guard let start = try? Self.start(of: RawPath(path)) else { return false }
            return ThumbnailFile(start: start.span)?.fits(
                uri: uri, modified: status.modified.seconds, size: status.size) ?? false
        }
    }

    /// The first bytes of a regular file; nil if it is another. A link at the end of the path is not followed.
    private static func start(of path: RawPath) throws(SystemError) -> [UInt8]? {
        // A pipe in its place must not block.
        let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        guard try FileStatus.of(file).kind == .regular else { return nil }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        let count = try file.read(into: &bytes, at: 0)
        return Array(bytes[..<count])
    }
}
