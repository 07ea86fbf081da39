internal import Glibc
package import Picking
internal import SystemInterface
internal import TerminalCells

/// The preview of a file or a folder that this program makes itself.
///
/// The file may be anything, change at any time, and lie on a disk that does not answer. Only regular files and folders
/// are opened, because to open a device may do something; pipes and devices that come into their place meanwhile are
/// not waited for, and not read.
package struct FilePreview: Sendable {
    /// So much of a text is read.
    static let mostBytes = 256 << 10
    /// So many names of a folder are read.
    static let mostNames = 2000

    package let path: [UInt8]
    private let request: PreviewRequest
    /// Where programs are sought.
    private let searchPath: String

    package init(of request: PreviewRequest, searchPath: String = "") {
        path = request.path
        self.request = request
        self.searchPath = searchPath
    }

    /// Reads the file: as long as that takes, so this is not for the loop.
    /// - Returns: its lines, or an image; or, in a sentence, why there are none.
    package func read() -> FileContent {
        guard let path = RawPath(bytes: path) else {
            return FileContent(.failed("Its path has a NUL byte: there is no such file"))
        }
        do throws(SystemError) {
            let kind = try FileStatus.of(path, followingLinks: true).kind
            switch kind {
            case .regular: return try file(path)
            case .directory: return FileContent(try folder(path))
            case .symbolicLink, .socket, .other:
                return FileContent(.failed(Self.sentence(kind)))
            }
        } catch { return FileContent(.failed(Self.sentence(error))) }
    }

    /// Reads a picture of the file alone, for a small place; as long as that takes.
    package func readPicture() -> FileContent {
        let picture = PictureReading(of: request, searchPath: searchPath).small()
        return FileContent(picture ?? .failed("There is no picture of it"))
    }

    private func file(_ path: RawPath) throws(SystemError) -> FileContent {
        // To open a pipe without a writer does not wait, and a terminal does not become that of this program.
        let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try FileStatus.of(file)
        guard status.kind == .regular else {
            return FileContent(.failed(Self.sentence(status.kind)))
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        // One byte beyond the limit tells that there are more. Some files of the kernel have nothing now.
        while bytes.count <= Self.mostBytes,
            case .bytes(let count) = try file.read(into: &buffer)
        {
            bytes += buffer[..<count]
            if bytes.count >= TextEncoding.bytesLookedAt, TextEncoding(of: bytes) == nil { break }
        }
        if bytes.isEmpty { return FileContent(.failed("The file is empty")) }
        if let encoding = TextEncoding(of: bytes) { return FileContent(text(bytes, encoding)) }
        let picture = PictureReading(of: request, searchPath: searchPath)
        return picture.content(of: file, startingWith: bytes, status)
    }

    private func text(_ bytes: [UInt8], _ encoding: TextEncoding) -> PreviewContent {
        var bytes = bytes
        let isCut = bytes.count > Self.mostBytes
        if isCut { bytes.removeLast(bytes.count - Self.mostBytes) }
        let text = TextLines(
            encoding.decode(bytes, isCut: isCut), isCut: isCut,
            marking: SoughtWords(request.terms))
        return .text(text.lines, firstMatch: text.firstMatch, isCut: text.isCut)
    }

    /// The names in a folder, those of folders with a slash. In order of their bytes; if there are too many, some of
    /// them.
    private func folder(_ path: RawPath) throws(SystemError) -> PreviewContent {
        var reader = try DirectoryReader(opening: path)
        var names: [[UInt8]] = []
        while names.count <= Self.mostNames,
            try reader.readBatch({ entry in
                let slash: [UInt8] = entry.kind == .directory ? [UInt8(ascii: "/")] : []
                names.append(entry.name + slash)
            })
        {}
        if names.isEmpty { return .failed("The folder is empty") }
        let isCut = names.count > Self.mostNames
        if isCut { names.removeLast(names.count - Self.mostNames) }
        names.sort { $0.lexicographicallyPrecedes($1) }
        let head =
            isCut
            ? "Folder of more than \(Self.mostNames) entries, of which these are some:"
            : "Folder of \(names.count) \(names.count == 1 ? "entry" : "entries"):"
        let lines =
            [StyledText(escaping: head, style: PreviewStyle.note)]
            + names.map { StyledText(escaping: String(decoding: $0, as: UTF8.self)) }
        return .text(lines, firstMatch: nil, isCut: isCut)
    }

    private static func sentence(_ kind: FileKind) -> String {
        switch kind {
        case .socket: "A socket, which has no content"
        case .other: "A pipe or a device, from which nothing is read"
        case .regular, .directory, .symbolicLink: "It became another kind of file meanwhile"
        }
    }

    private static func sentence(_ error: SystemError) -> String {
        switch error.code {
        case .noSuchFile, .notADirectory: "The file is not there any more"
        case .permissionDenied, .notPermitted: "You may not read this file"
        case .tooManySymbolicLinks: "Its links lead in a circle"
        default: "The file can't be read: \(error.code)"
        }
    }
}
