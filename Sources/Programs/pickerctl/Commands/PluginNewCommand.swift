import ArgumentParser
import PickerClient
import PluginProcesses
import SystemInterface
import TerminalCells

struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a plugin to begin with, which passes all checks.",
        discussion: """
            The name of the folder is the plugin's identifier. A folder that has something in it is left as \
            it is. One in Swift is built by the build.sh in its folder, with the sources from which pickerctl was \
            built or installed.
            """)

    private enum Language: String, CaseIterable {
        case python, swift

        func template(_ id: String) throws -> any PluginTemplate {
            switch self {
            case .python: PythonTemplate(id: id, kit: try PythonKit.read())
            case .swift: SwiftTemplate(id: id, package: try SwiftKit.package())
            }
        }
    }

    private static let languages = Language.allCases.map(\.rawValue)

    @Argument(help: "The language: python or swift.")
    var language: String
    @Argument(
        help: ArgumentHelp("The folder, which is made.", valueName: "folder"))
    var folder: String
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard Language(rawValue: language) == nil else { return }
        throw ValidationError(
            "there is no plugin to begin with in '\(RawArguments.shown(language))': there is one in "
                + Self.languages.joined(separator: " and in "))
    }

    func run() throws {
        guard let path = RawPath(bytes: RawArguments.bytes(of: folder)), !folder.isEmpty else {
            throw CommandError("'\(RawArguments.shown(folder))' is no path")
        }
        let id = String(decoding: ((try? path.resolved()) ?? path).lastName, as: UTF8.self)
        if let problem = ProcessManifest.problem(withID: id, reserved: OwnWords.all) {
            throw CommandError("'\(id)' is no identifier of a plugin: it must be \(problem)")
        }
        guard let template = try Language(rawValue: language)?.template(id) else { return }
        try OwnedDescriptor.makeFolders(path)
        let opened = try OwnedDescriptor.openFolder(path)
        var reader = DirectoryReader(try opened.openFolder(Array(".".utf8)))
        var isEmpty = true
        while try reader.readBatch({ _ in isEmpty = false }) {}
        guard isEmpty else { throw CommandError("'\(path)' has something in it already") }
        for made in template.files {
            try OwnedDescriptor.makeFolders(path.adding(made.name).folder)
            let file = try opened.createFile(Array(made.name.utf8), mode: made.mode)
            try file.writeAll(made.bytes)
            // Whatever the umask is: others must not be able to change it.
            try file.setPermissions(made.mode)
        }
        let shown = VisibleText.escaping("\(path)")
        try Output.standard.writeLine("Made the plugin '\(id)' in \(shown). Next:")
        if template.isBuilt { try Output.standard.writeLine("    \(shown)/build.sh") }
        try Output.standard.writeLine("    pickerctl plugin check \(shown)")
    }
}
