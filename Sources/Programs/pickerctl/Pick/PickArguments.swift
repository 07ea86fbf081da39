import SystemInterface

/// The words after `pick`: what is typed at first, and a folder.
package struct PickArguments: Equatable {
    package let query: String
    /// The bytes of an absolute path.
    package let folder: [UInt8]?

    /// A last word that looks like a folder and is one is no part of the query.
    /// With `endWithFolder` it never is a part of it, whatever it is.
    package init(_ words: [String], endWithFolder: Bool = false) {
        let folder = words.last.flatMap { Self.folder(RawArguments.bytes(of: $0)) }
        let rest = folder == nil && !endWithFolder ? words[...] : words.dropLast()
        query = rest.map { RawArguments.shown($0) }.joined(separator: " ")
        self.folder = folder
    }

    private static func folder(_ word: [UInt8]) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        let isNamed = word.first == slash || word.last == slash
        guard isNamed || word == Array(".".utf8) || word == Array("..".utf8),
            let path = RawPath(bytes: word),
            let status = try? FileStatus.of(path, followingLinks: true), status.kind == .directory
        else { return nil }
        if word.first == slash { return word }
        return (DocumentFinder.workingFolders().first ?? []) + [slash] + word
    }
}
