import SystemInterface

/// What may be wrong with a file.
enum FileFault: CaseIterable {
    case missing, unreadable, empty, truncated, pipe, socket, folder

    var rule: String {
        switch self {
        case .missing: "a missing file has no values"
        case .unreadable: "an unreadable file has no values"
        case .empty: "an empty file is answered"
        case .truncated: "half a file is answered"
        case .pipe: "a named pipe has no values, and holds up nothing"
        case .socket: "a socket has no values"
        case .folder: "a folder has no values"
        }
    }

    /// Of an empty file there may be something to tell.
    var hasNoValues: Bool { self != .empty && self != .truncated }

    func make(
        _ suffix: String, _ group: String, in samples: SampleFiles
    ) throws(SystemError) -> SampleFile {
        let content = SampleContent.of(suffix: suffix)
        let name = Array("\(group)-\(self).\(suffix)".utf8)
        return try samples.make(name, file(content.bytes), content.type)
    }

    private func file(_ content: [UInt8]) -> MadeFile {
        switch self {
        case .missing: .nothing
        case .unreadable: .file(content, mode: 0)
        case .empty: .file([])
        case .truncated: .file(Array(content.prefix(content.count / 2)))
        case .pipe: .pipe
        case .socket: .socket
        case .folder: .folder
        }
    }
}
