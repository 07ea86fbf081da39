internal import SystemInterface

/// Why a text is no folder's name.
struct FolderError: Error {
    let reason: String
}

/// `folder` as an absolute path: `~` is `home`, and a relative one counts from `current`.
///
/// With a nil `current` a relative path is refused: in a settings file it would mean another folder
/// each time the daemon is started from elsewhere.
func absoluteFolder(
    _ folder: String, home: String?, current: String?
) throws(FolderError) -> String {
    var path = folder
    if folder == "~" || folder.hasPrefix("~/") {
        guard let home else {
            throw FolderError(
                reason: "holds '\(folder)', but HOME is not set: write the whole path")
        }
        path = home + folder.dropFirst()
    } else if !folder.hasPrefix("/") {
        guard let current else {
            throw FolderError(
                reason: "holds '\(folder)', which is relative: begin it with '/' or '~/'")
        }
        path = current + "/" + folder
    }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
        // Up from a link is not where its name says; what follows is left to the kernel then.
        parts.append(part)
    }
    return "/" + parts.joined(separator: "/")
}

/// The user's documents folder: what user-dirs.dirs says, else `Documents` in the home folder.
func documentsFolder(home: String, configHome: String) -> String {
    let usual = home + "/Documents"
    guard let text = try? readTextFile(configHome + "/user-dirs.dirs") else { return usual }
    let key = "XDG_DOCUMENTS_DIR="
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
        // The value is a shell word: "$HOME/Dokumente", or an absolute path in quotes.
        let value = line.dropFirst(key.count).filter { $0 != "\"" }
        if value.hasPrefix("$HOME/") { return home + value.dropFirst("$HOME".count) }
        if value.hasPrefix("/") { return value }
    }
    return usual
}

/// The most bytes of a settings file.
private let mostTextBytes = 1 << 20

/// A whole small file as text.
func readTextFile(_ path: String) throws(SystemError) -> String {
    let file = try OwnedDescriptor.open(RawPath(path), flags: 0)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= mostTextBytes {
        guard case .bytes(let count) = try file.read(into: &buffer) else { break }
        bytes.append(contentsOf: buffer[..<count])
    }
    guard bytes.count <= mostTextBytes else {
        throw SystemError(
            .invalidArgument, operation: "read", subject: path,
            advice: "a settings file may have \(mostTextBytes) bytes")
    }
    return String(decoding: bytes, as: UTF8.self)
}
