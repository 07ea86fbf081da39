import ArgumentParser
import PickerClient
import PluginProcesses
import SystemInterface

struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a plugin to begin with, which passes all checks.",
        discussion: """
            The name of the folder is the plugin's identifier. A folder that has something in it is left as \
            it is.
            """)

    private static let languages = ["python"]

    @Argument(help: "The language: python.", completion: .list(languages))
    var language: String
    @Argument(
        help: ArgumentHelp("The folder, which is made.", valueName: "folder"),
        completion: .directory)
    var folder: String
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard !Self.languages.contains(language) else { return }
        throw ValidationError(
            "there is no plugin to begin with in '\(RawArguments.shown(language))': there is one in "
                + Self.languages.joined(separator: ", "))
    }

    func run() throws {
        guard let path = RawPath(bytes: RawArguments.bytes(of: folder)), !folder.isEmpty else {
            throw CommandError("'\(RawArguments.shown(folder))' is no path")
        }
        let kit = try PythonKit.read()
        let id = String(decoding: ((try? path.resolved()) ?? path).lastName, as: UTF8.self)
        if let problem = ProcessManifest.problem(withID: id, reserved: OwnWords.all) {
            throw CommandError("'\(id)' is no identifier of a plugin: it must be \(problem)")
        }
        try OwnedDescriptor.makeFolders(path)
        let opened = try OwnedDescriptor.openFolder(path)
        var reader = DirectoryReader(try opened.openFolder(Array(".".utf8)))
        var isEmpty = true
        while try reader.readBatch({ _ in isEmpty = false }) {}
        guard isEmpty else { throw CommandError("'\(path)' has something in it already") }
        let template = PythonTemplate(id: id)
        for (name, bytes, mode) in [
            ("plugin.json", Array(template.manifest.utf8), 0o644),
            (id, Array(template.program.utf8), 0o755), ("pickerd_plugin.py", kit, 0o644),
        ] as [(String, [UInt8], UInt32)] {
            let file = try opened.createFile(Array(name.utf8), mode: mode)
            try file.writeAll(bytes)
            // Whatever the umask is: others must not be able to change it.
            try file.setPermissions(mode)
        }
        let shown = VisibleText.escaping("\(path)")
        try Output.standard.writeLine("Made the plugin '\(id)' in \(shown). Next:")
        try Output.standard.writeLine("    pickerctl plugin check \(shown)")
    }
}
