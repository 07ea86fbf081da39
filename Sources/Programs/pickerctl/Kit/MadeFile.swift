import JSONText
import SystemInterface

/// What is made under a name, in the folder of made files.
enum MadeFile {
    case nothing, pipe, socket, folder
    case file([UInt8], mode: UInt32 = 0o600)
    /// A file of this size that begins with these bytes.
    case sparse([UInt8], size: Int)

    func make(_ name: [UInt8], in folder: ScratchFolder) throws(SystemError) {
        switch self {
        case .nothing: break
        case .pipe: try folder.makePipe(name)
        case .socket: try folder.makeSocket(name)
        case .folder: try folder.makeFolder(name)
        case .file(let bytes, let mode): try folder.write(name, bytes, mode: mode)
        case .sparse(let bytes, let size): try folder.writeSparse(name, bytes, size: size)
        }
    }

    /// For a record, with its name.
    func json(_ name: [UInt8]) -> JSONValue {
        var object: JSONObject = ["made": .string(word), "nameB64": .string(Base64.encode(name))]
        switch self {
        case .file(let bytes, let mode):
            object["contentB64"] = .string(Base64.encode(bytes))
            object["mode"] = JSONValue(Int(mode))
        case .sparse(let bytes, let size):
            object["contentB64"] = .string(Base64.encode(bytes))
            object["size"] = JSONValue(size)
        default: break
        }
        return .object(object)
    }

    private var word: String {
        switch self {
        case .nothing: "nothing"
        case .pipe: "pipe"
        case .socket: "socket"
        case .folder: "folder"
        case .file: "file"
        case .sparse: "sparse"
        }
    }

    /// Reads that of a record, and its name; nil if it is none.
    static func read(_ value: JSONValue) -> (name: [UInt8], file: MadeFile)? {
        guard let name = value["nameB64"]?.stringValue.flatMap({ Base64.decode($0) }),
            !name.isEmpty, !name.contains(UInt8(ascii: "/")), !name.contains(0)
        else { return nil }
        let content = value["contentB64"]?.stringValue.flatMap { Base64.decode($0) } ?? []
        switch value["made"]?.stringValue {
        case "nothing": return (name, .nothing)
        case "pipe": return (name, .pipe)
        case "socket": return (name, .socket)
        case "folder": return (name, .folder)
        case "file":
            let mode = value["mode"]?.integerValue.flatMap { UInt32(exactly: $0) } ?? 0o600
            return (name, .file(content, mode: mode & 0o777))
        case "sparse":
            guard let size = value["size"]?.integerValue, 0...1 << 40 ~= size else { return nil }
            return (name, .sparse(content, size: Int(size)))
        default: return nil
        }
    }
}
