internal import MediaTypes

/// Where an item of a source stands in the table of documents: below a root that has the name of its collection.
///
/// One that is a file of this machine lies in the folder of that file, others lie in the root itself. Of several items of
/// one name in a folder, the later ones lie in a folder of their own below it, whose name is made from their identifiers: so
/// they are at the same place after a restart, and likes find them again.
struct SourcedPlace {
    /// With a slash after each name; empty for the root.
    let folder: [UInt8]
    /// No name is empty, longer than that of a file, or has a slash or a NUL.
    let name: [UInt8]

    /// In bytes, as those of files.
    static let longestName = 255

    /// The longest path of a folder, in bytes, and its most names: of longer ones nothing is kept.
    static let longestFolder = 4096
    static let deepest = 64

    init(of item: SourcedItem) {
        name = Self.name(item.name)
        folder = item.uri.flatMap { Self.folder(ofFile: $0) } ?? []
    }

    private init(folder: [UInt8], name: [UInt8]) {
        self.folder = folder
        self.name = name
    }

    /// Another place for an item of this identifier, whose own is taken: the first such, or the second.
    func aside(_ id: String, attempt: Int) -> Self {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let text = "~" + String(digest &+ UInt64(attempt), radix: 36) + "/"
        return Self(folder: folder + Array(text.utf8), name: name)
    }

    /// The name as a document can have it: cut to what is allowed, with other characters for those that no file has.
    private static func name(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let allowed: Unicode.Scalar =
                switch scalar {
                case "/": "\u{2215}"
                case "\0": "\u{FFFD}"
                default: scalar
                }
            let next = Array(String(Character(allowed)).utf8)
            if bytes.count + next.count > longestName { break }
            bytes += next
        }
        return bytes.isEmpty ? Array("-".utf8) : bytes
    }

    /// The folder of the file that a URI names; nil if it is none of this machine.
    private static func folder(ofFile uri: String) -> [UInt8]? {
        guard let path = try? FileURI.path(of: uri.utf8Span.span) else { return nil }
        let names = path.split(separator: UInt8(ascii: "/")).dropLast()
        guard path.count <= longestFolder, names.count <= deepest,
            names.allSatisfy({ $0.count <= longestName })
        else { return nil }
        return names.reduce(into: []) { folder, name in
            folder += name
            folder.append(UInt8(ascii: "/"))
        }
    }
}
