internal import Glibc
internal import JSONText
internal import SystemInterface

/// A document that the daemon asks about. What is told of it was true when the daemon last looked.
///
/// Nothing of a file is trusted, nor that it stays what it is: only regular files are opened, what was opened is
/// noted, and the daemon drops values of a file that is another one by then. What was opened is closed after the
/// handler.
public final class DocumentFile {
    /// What the daemon calls it.
    public let key: String
    /// The absolute path, as the system has it: bytes that need not be UTF-8.
    public let pathBytes: [UInt8]
    /// Its MIME type, if the daemon knows it.
    public let type: String?
    /// Its size in bytes, if the daemon knows it.
    public let size: Int64?
    /// The daemon that asks.
    public let daemon: PluginDaemon

    /// What was opened.
    struct Seen: Hashable {
        let inode: UInt64
        let size: UInt64
        let modified: FileTime
    }

    private(set) var seen: Seen?
    private var opened: [DescriptorBox] = []

    /// Reads a file of a request.
    init(_ view: JSONView, of daemon: PluginDaemon) throws(PluginError) {
        guard view.kind == .object, let object = try? view.object() else {
            throw PluginError("a file of the request is no object")
        }
        if let encoded = object["pathB64"]?.stringValue {
            pathBytes = Base64.decode(encoded) ?? []
        } else {
            pathBytes = Array((object["path"]?.stringValue ?? "").utf8)
        }
        guard pathBytes.first == UInt8(ascii: "/"), !pathBytes.contains(0) else {
            throw PluginError("a file of the request has no absolute path")
        }
        key = object["key"]?.stringValue ?? ""
        type = object["type"]?.stringValue
        size = object["size"]?.integerValue(asWritten: ())
        self.daemon = daemon
    }

    /// The absolute path, for people: bytes that are not UTF-8 are shown as replacement characters.
    public var path: String { String(decoding: pathBytes, as: UTF8.self) }

    /// The last part of the path, for people.
    public var name: String {
        String(decoding: pathBytes.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// Opens it for reading, and returns a descriptor that is closed after the handler.
    ///
    /// Symbolic links are followed, as the daemon only has documents that are links if its settings say so, and then
    /// means what they lead to; what is told as seen is what was opened, so a link that was put into the place of a
    /// document gives no values. What is no regular file is not even opened, as that could wake whoever writes to a
    /// named pipe; if it got there a moment ago, opening it does not wait, and it is refused then.
    ///
    /// - Returns: the descriptor, which the file keeps.
    /// - Throws: ``PluginError/Code/notRegular``, ``PluginError/Code/system``, and ``PluginError/Code/retry`` if it
    ///   has changed since it was first opened.
    public func descriptor() throws(PluginError) -> Int32 { try open().number }

    /// Reads its first bytes, or those from an offset on: a file may be of any size.
    ///
    /// - Parameters:
    ///   - limit: the most bytes.
    ///   - offset: where they begin.
    /// - Returns: the bytes; fewer than `limit` only at the end of the file.
    /// - Throws: as ``descriptor()``.
    public func read(upTo limit: Int, from offset: Int = 0) throws(PluginError) -> [UInt8] {
        let file: DescriptorBox
        if let last = opened.last { file = last } else { file = try open() }
        guard limit > 0, offset >= 0 else { return [] }
        // One byte more than it had when it was opened, to see its end; the rest in parts, if it has grown.
        let size = Int(clamping: seen?.size ?? 0)
        var bytes: [UInt8] = []
        var part = max(4096, size > offset ? size - offset + 1 : 0)
        while bytes.count < limit {
            var buffer = [UInt8](repeating: 0, count: min(part, limit - bytes.count))
            let count = try orPluginError { () throws(SystemError) in
                try file.descriptor.read(into: &buffer, at: offset + bytes.count)
            }
            let isLast = count < buffer.count
            if isLast { buffer.removeLast(buffer.count - count) }
            if bytes.isEmpty { bytes = buffer } else { bytes += buffer }
            if isLast { break }
            part = 64 << 10
        }
        return bytes
    }

    /// Whether what has the path now is what was opened. For those who pass the path on to another program.
    ///
    /// - Returns: false also if nothing was opened.
    public func isStillTheSame() -> Bool {
        guard let path = RawPath(bytes: pathBytes), let seen,
            let status = try? FileStatus.of(path, followingLinks: true)
        else { return false }
        return Seen(status) == seen
    }

    /// When what was opened was modified, in whole seconds since 1970; nil before it was opened.
    public var modifiedSeconds: Int64? { seen?.modified.seconds }

    /// The size of what was opened, in bytes; nil before it was opened.
    public var openedSize: UInt64? { seen?.size }

    private func open() throws(PluginError) -> DescriptorBox {
        guard let path = RawPath(bytes: pathBytes) else { throw PluginError("its path has a NUL") }
        try Self.demandRegular(
            try orPluginError { () throws(SystemError) in
                try FileStatus.of(path, followingLinks: true)
            })
        let box = try orPluginError { () throws(SystemError) in
            DescriptorBox(
                try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY))
        }
        let status = try orPluginError { () throws(SystemError) in
            try FileStatus.of(box.descriptor)
        }
        try Self.demandRegular(status)
        let now = Seen(status)
        if let seen, seen != now {
            throw PluginError(.retry, "it has changed since it was first opened")
        }
        seen = now
        opened.append(box)
        return box
    }

    private static func demandRegular(_ status: FileStatus) throws(PluginError) {
        let kind: String
        switch status.kind {
        case .regular: return
        case .directory: kind = "a folder"
        case .socket: kind = "a socket"
        case .symbolicLink: kind = "a symbolic link"
        case .other: kind = "a named pipe or a device"
        }
        throw PluginError(.notRegular, "it is \(kind), not a file")
    }

    /// After the handler.
    func close() { opened.removeAll() }
}

extension DocumentFile.Seen {
    init(_ status: FileStatus) {
        inode = status.inode
        size = status.size
        modified = status.modified
    }
}
