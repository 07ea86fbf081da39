internal import PickerModel
internal import SystemInterface

/// The reason why a text does not name a folder: `'x', which is relative: …`.
struct FolderError: Error {
    let reason: String
}

/// Returns `folder` as an absolute path without `.` and `..`: `~` is `home`, and a relative path starts at
/// `current`. All folders from users pass through here, so the watcher rejects none of them.
///
/// With a nil `current` a relative path is refused: in a settings file it would depend on the folder in
/// which the daemon is started. Symbolic links stay unresolved, except before a `..`, which refers to the
/// parent of the link's current target.
func absoluteFolder(
    _ folder: FileName, home: String?, current: RawPath?
) throws(FolderError) -> FileName {
    let slash = UInt8(ascii: "/")
    let tilde = UInt8(ascii: "~")
    func error(_ what: String) -> FolderError { FolderError(reason: "'\(folder.text)', \(what)") }
    var path = folder.bytes
    if path.contains(0) { throw error("which holds a NUL byte: no path does") }
    if path == [tilde] || path.starts(with: [tilde, slash]) {
        guard let home, home.hasPrefix("/") else {
            throw error("but HOME is not set to a whole path: write the folder's")
        }
        path = Array(home.utf8) + path.dropFirst()
    } else if path.first != slash {
        guard let current else {
            throw error("which is relative: begin it with '/' or '~/'")
        }
        path = current.bytes + [slash] + path
    }
    var parts = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }[...]
    let up = Array("..".utf8)
    var start: [UInt8] = []
    if let last = parts.lastIndex(where: { $0.elementsEqual(up) }) {
        let above = [slash] + parts[...last].joined(separator: [slash])
        do throws(SystemError) {
            // NUL was excluded above.
            start = try (RawPath(bytes: above) ?? RawPath("/")).resolved().bytes
        } catch {
            throw FolderError(
                reason: "'\(folder.text)', which goes up by '..' from where nothing is (\(error)): "
                    + "write the path without '..'")
        }
        if start == [slash] { start = [] }
        parts = parts[(last + 1)...]
    }
    let rest = parts.joined(separator: [slash])
    if parts.isEmpty { return FileName(bytes: start.isEmpty ? [slash] : start) }
    return FileName(bytes: start + [slash] + rest)
}

/// The user's documents folder: the one in user-dirs.dirs, else `Documents` in the home folder.
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

/// Reads a small file as text. It never blocks: pipes and devices are refused before they are opened.
func readTextFile(_ path: String) throws(SystemError) -> String {
    func refusal(_ advice: String) -> SystemError {
        SystemError(.invalidArgument, operation: "read", subject: path, advice: advice)
    }
    guard let bytes = try PrivateFile.contents(of: RawPath(path), limit: mostTextBytes) else {
        throw SystemError(.noSuchFile, operation: "read", subject: path)
    }
    if bytes.count > mostTextBytes {
        throw refusal("it is longer than a settings file may be, \(mostTextBytes) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw refusal("it is not text in UTF-8")
    }
    return text
}
