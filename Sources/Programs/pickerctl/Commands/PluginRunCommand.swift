import ArgumentParser
import JSONText
import PickerClient
import PluginProcesses
import SystemInterface
import TerminalCells

struct PluginRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a plugin in the foreground, and print what is said.",
        discussion: """
            To standard error: '→' is to the plugin, '←' from it, '|' what it prints, '!' what is wrong. \
            With files it prints their attributes to standard output and ends, and with --call the \
            results; else it goes on until Ctrl-C. What the plugin asks the daemon is passed on to a \
            running one; it has the rights of any client there.
            """)

    @Argument(
        help: ArgumentHelp("The folder with its plugin.json.", valueName: "folder"))
    var folder: String
    @Argument(
        help: ArgumentHelp("Files whose attributes it is asked for.", valueName: "file"))
    var files: [String] = []
    @Option(
        help: ArgumentHelp(
            "Call a method of the plugin: its name, and parameters in JSON.",
            valueName: "method {…}"))
    var call: [MethodCallText] = []
    @Option(help: ArgumentHelp("The settings of the plugin, in JSON.", valueName: "{…}"))
    var config = "{}"
    @Flag(name: .customLong("no-trace"), help: "Do not print what is said.")
    var noTrace = false
    @Flag(help: "JSON: an object for each file, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let found = try PluginFolderArgument.look(folder)
        guard case .usable(let manifest) = found.state else {
            if case .missing(let reason) = found.state { throw CommandError(reason) }
            if case .incompatible(let reason) = found.state { throw CommandError(reason) }
            return
        }
        guard let settings = try? JSONValue(parsing: config), settings.kind == .object else {
            throw ValidationError("--config must be a JSON object")
        }
        if !files.isEmpty, manifest.attributes.isEmpty {
            throw CommandError("the plugin contributes no attributes, so no files are read")
        }
        let paths = try files.map { file throws(SystemError) -> RawPath in
            try (RawPath(bytes: RawArguments.bytes(of: file)) ?? RawPath(file)).resolved()
        }
        let run = try PluginRun(found.folder, manifest, roots: [], trace: !noTrace)
        defer { run.stop() }
        run.join(Result { () throws(ClientError) in try common.socketPath() })
        try run.greet(config: settings, roots: [])
        for call in call {
            let limit = Duration.milliseconds(manifest.limits.callMs)
            let result = try run.ask(call.method, call.params, within: limit)
            try Output.standard.writeJSON(result.description)
        }
        if !paths.isEmpty { try print(paths, manifest, run) }
        try Output.standard.flush()
        if call.isEmpty, paths.isEmpty { try run.serve() }
    }

    private func print(
        _ paths: [RawPath], _ manifest: ProcessManifest, _ run: PluginRun
    ) throws {
        let files = paths.map { path in
            let suffix = path.description.split(separator: ".").last.map { String($0) } ?? ""
            return SampleFile(path: path, type: SampleContent.of(suffix: suffix).type)
        }
        var lines = [FileValues](repeating: FileValues(), count: files.count)
        for group in AttributeGroup.all(of: manifest) {
            for (index, answer) in try run.extract(group, files).enumerated() {
                lines[index].add(answer)
            }
        }
        for (line, path) in zip(lines, paths) {
            if json {
                try Output.standard.writeJSON(line.json(path.description).description)
            } else {
                for text in line.lines(VisibleText.escaping(path.description)) {
                    try Output.standard.writeLine(text)
                }
            }
        }
    }
}
