import JSONText
import SystemInterface

/// A file that a plugin is asked about.
struct SampleFile {
    let path: RawPath
    let type: String
    /// As it was when the plugin was asked; nil for what is missing.
    var status: FileStatus? { try? FileStatus.of(path, followingLinks: true) }

    /// Its description in a request.
    func entry(_ index: Int) -> JSONValue {
        var entry: JSONObject = ["key": .string("f\(index)"), "type": .string(type)]
        if let text = String(validating: path.bytes, as: UTF8.self) {
            entry["path"] = .string(text)
        } else {
            entry["pathB64"] = .string(Base64.encode(path.bytes))
        }
        entry["size"] = JSONValue(Int(clamping: status?.size ?? 0))
        return .object(entry)
    }

    /// What a plugin tells to have seen that read the file with this status.
    static func seen(_ status: FileStatus) -> [Int64] {
        [
            Int64(bitPattern: status.inode), Int64(clamping: status.size),
            status.modified.seconds, Int64(status.modified.nanoseconds),
        ]
    }
}
