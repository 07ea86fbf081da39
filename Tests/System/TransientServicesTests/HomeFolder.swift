import Foundation

/// A folder in the home of the test's user, removed with its contents in its deinit. A service has a /tmp of its own.
final class HomeFolder {
    let path: String

    init(_ name: String) throws {
        path = "\(LiveManager.home)/\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file.
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    func contents(of name: String) -> String? {
        try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
