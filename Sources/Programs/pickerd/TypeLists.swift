internal import MediaTypes
internal import PickerModel
internal import Synchronization
internal import SystemInterface

/// The lists of media types of the user and of the system, where the XDG Base Directory Specification has them.
///
/// They are read once, so a change of them takes a start. A missing list is none; the built-in one stands behind all.
final class TypeLists: Sendable {
    /// The folders `mime`, of which the first wins.
    private let folders: [String]
    /// Why lists were not read; nil once that was told.
    private let faults = Mutex<[String]?>([])

    /// The most bytes of a list that are used. One more is read, so that the table counts what is left out.
    private static let mostBytes = 4 << 20

    init() {
        let home = SettingsSources.folder("HOME", or: nil)
        let own = SettingsSources.folder("XDG_DATA_HOME", or: home.map { $0 + "/.local/share" })
        let named = CurrentProcess.environment("XDG_DATA_DIRS") ?? ""
        let shared = (named.isEmpty ? "/usr/local/share:/usr/share" : named).split(separator: ":")
            .map(String.init).filter { $0.hasPrefix("/") }
        folders = ((own.map { [$0] } ?? []) + shared).map { $0 + "/mime/" }
    }

    /// Has the daemon's types come from these lists. A thread reads them, as that takes some milliseconds; whoever wants
    /// a type before they are read waits. If there is no thread, the first who wants a type reads them.
    func use() {
        MediaType.use { [self] in read() }
        try? WorkerThread.start { _ = MediaType.unknown }
    }

    /// What of the lists was not read, for people. Each call but the first returns nothing.
    func takeTroubles() -> [String] {
        // The table has been made behind this line, and with it the faults.
        let count = MediaType.leftOut.total
        return faults.withLock { faults in
            defer { faults = nil }
            guard let faults else { return [] }
            let lines = "lines left out of the lists of media types: \(count)"
            return faults + (count == 0 ? [] : [lines])
        }
    }

    private func read() -> MediaTypeTable.Files {
        MediaTypeTable.Files(
            globs: read("globs2"), aliases: read("aliases"), icons: read("icons"),
            genericIcons: read("generic-icons"))
    }

    private func read(_ name: String) -> [[UInt8]] {
        folders.compactMap { folder in
            do throws(SystemError) {
                return try PrivateFile.contents(of: RawPath(folder + name), limit: Self.mostBytes)
            } catch {
                _ = faults.withLock { $0?.append("a list of media types was not read: \(error)") }
                return nil
            }
        }
    }
}
