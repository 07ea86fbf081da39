internal import SystemInterface
internal import TerminalCells

/// chafa(1), which draws images of all kinds with characters.
enum ImageProgram {
    /// Whether it is in a folder of a search path.
    static func isInstalled(in searchPath: String) -> Bool {
        searchPath.split(separator: ":").contains { folder in
            guard folder.hasPrefix("/"), let path = RawPath(bytes: Array("\(folder)/chafa".utf8)),
                let status = try? FileStatus.of(path, followingLinks: true)
            else { return false }
            return status.kind == .regular && status.permissions & 0o111 != 0
        }
    }

    /// The line of shell that has it draw the file of a preview.
    static func line(in area: TerminalSize, on terminal: TerminalFeatures) -> String {
        let colors = !terminal.hasManyColors ? "16" : terminal.hasTrueColor ? "full" : "256"
        return "exec chafa --format=symbols --animate=off --colors=\(colors)"
            + " --size=\(area.columns)x\(area.rows) {}"
    }
}
