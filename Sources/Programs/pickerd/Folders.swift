internal import PickerModel
internal import SystemInterface

/// Why a text is no folder's name: `'x', which is relative: …`.
struct FolderError: Error {
    let reason: String
}

/// `folder` as an absolute path without `.` and `..`: `~` is `home`, and a relative one counts from
/// `current`. All folders that anybody names go through here, so the watcher refuses none of them.
///
/// With a nil `current` a relative path is refused: in a settings file it would mean another folder
/// each time the daemon is started from elsewhere. Links stay as they are named, but for those before a
/// `..`: up from a link is up from where it leads, now.
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
            // No NUL is in it: that was looked for above.
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

/// A whole small file as text. It never waits: what is no file with content, as a pipe or a device, is
/// refused before it is opened.
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
