import ArgumentParser
import PickerClient
import Picking
import SystemInterface
import TerminalCells

// Folders in place of documents: `pick --directory` and `pick --save`.

extension PickingCommand {
    /// Refuses what folders have not.
    func checkBrowsing() throws {
        guard browsing.purpose != nil else { return }
        let given: [(String, Bool)] = [
            ("--multi", multi), ("--sort", sort != nil), ("--limit", limit != nil),
            ("--preview", preview != nil), ("--track", track), ("--grid", grid),
            ("--in", !drawn.collections.isEmpty),
            ("--format", rows.format != nil),
        ]
        if let (option, _) = given.first(where: { $0.1 }) {
            throw ValidationError(
                "\(option) is about documents, and \(browsing.name) chooses a folder: "
                    + "leave it out.")
        }
    }

    /// Has a folder chosen, and prints its path, or that of a file in it.
    func browse(_ purpose: BrowseOptions.Purpose, _ answer: PortalAnswer?) throws {
        let home = CurrentProcess.environment("HOME").map { Array($0.utf8) }
            .flatMap { $0.first == UInt8(ascii: "/") ? $0 : nil }
        let folder =
            try answer == nil
            ? BrowseArguments.folder(words)
            : PickArguments(words, endWithFolder: true).folder ?? home ?? [UInt8(ascii: "/")]
        var options = BrowseOptions(purpose, in: folder)
        options.home = home
        options.header = header
        options.hasColor = common.features.hasColor
        if let prompt { options.prompt = prompt }
        guard Terminal.kindCanRedraw else {
            throw CommandError(
                "TERM is '\(Terminal.kind)', a terminal on which folders can't be browsed")
        }
        let layout = try layout()
        let outcome = try onTerminal {
            try BrowseRun(options, layout, common.features, until: answer?.connection).run()
        }
        switch outcome {
        case .folder(let path): try tell(path, isThere: nil, answer)
        case .saved(let folder, let name, let isThere):
            try tell(FolderPath.path(folder, name), isThere: isThere, answer)
        case .cancelled: throw ExitStatus.cancelled
        case .signal(let number): Self.die(by: number, answer)
        }
    }

    private func tell(_ path: [UInt8], isThere: Bool?, _ answer: PortalAnswer?) throws {
        if let answer { return answer.add(path) }
        let output = Output.standard
        let text = String(decoding: path, as: UTF8.self)
        if json {
            let more = isThere.map { ",\"exists\":\($0)" } ?? ""
            try output.writeJSON("{\"absolutePath\":\(JSONRows.quoted(text))\(more)}")
        } else {
            try output.write(path: path, endingWith: UInt8(ascii: rows.print0 ? "\0" : "\n"))
        }
        try output.flush()
    }
}

extension Output {
    /// A path and what ends it: unchanged for programs, made visible on a terminal.
    fileprivate func write(path: [UInt8], endingWith end: UInt8) throws(OutputError) {
        if Terminal.output.isTerminal {
            try writeLine(VisibleText.escaping(String(decoding: path, as: UTF8.self)))
        } else {
            try write(path)
            try write(CollectionOfOne(end))
        }
    }
}
