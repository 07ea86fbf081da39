import ArgumentParser
import PickerClient
import PluginProcesses
import SystemInterface

struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a plugin as the daemon runs it, and say what it does wrong.",
        discussion: """
            Each check is a line: 'ok', 'not ok', or 'ok … # SKIP' with why it was left out. The status \
            is 1 unless all passed. No daemon is needed, and what the plugin asks one is refused.
            """)

    @Argument(
        help: ArgumentHelp("The folder with its plugin.json.", valueName: "folder"))
    var folder: String
    @Option(
        help: ArgumentHelp(
            "Files to be read beside the made ones, at most 256.", valueName: "folder"))
    var files: String?
    @Option(
        help: ArgumentHelp(
            "Call a method of the plugin, and check the answer: its name, and parameters in JSON.",
            valueName: "method {…}"))
    var call: [MethodCallText] = []
    @Option(
        help: ArgumentHelp("Write what was said to a file.", valueName: "file"))
    var record: String?
    @Option(
        help: ArgumentHelp(
            "Instead of the checks, say what a record has, and compare the answers.",
            valueName: "file"))
    var replay: String?
    @Option(
        help: ArgumentHelp(
            "How long an answer may take, unless plugin.json limits it.", valueName: "seconds"))
    var patience = 5
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try require("--patience", patience, atLeast: 1)
        if replay != nil, record != nil || !call.isEmpty {
            throw ValidationError("--replay takes neither --record nor --call: it has its own")
        }
    }

    func run() throws {
        let found = try PluginFolderArgument.look(folder)
        let given = files.flatMap { RawPath(bytes: RawArguments.bytes(of: $0)) }
        let samples = try SampleFiles(given: given)
        var report = TapReport()
        let name = "plugin.json is right, and the program may be run"
        switch found.state {
        case .missing(let reason), .incompatible(let reason):
            try report.fail(name, reason)
        case .usable(let manifest):
            try report.pass(name)
            try check(found.folder, manifest, samples, &report)
        }
        try report.finish()
        if report.failed > 0 { throw ExitStatus.no }
    }

    private func check(
        _ folder: RawPath, _ manifest: ProcessManifest, _ samples: SampleFiles,
        _ report: inout TapReport
    ) throws {
        let kept = record.map { _ in SessionRecord(folder: samples.folder.path) }
        let trial = PluginTrial(
            folder, manifest, samples, calls: call, patience: .seconds(patience), record: kept)
        defer { trial.dismiss() }
        let run = PluginCheckRun(trial: trial)
        if let replay {
            let path = try Self.path(replay)
            guard
                let bytes = try PrivateFile.contents(of: path, limit: SessionRecord.mostBytes)
            else { throw CommandError("there is no record '\(path)'") }
            let replay = try SessionReplay(bytes, folder: samples.folder.path)
            try replay.make(in: samples)
            try run.run(replay.checks, &report)
        } else {
            try run.run(run.allChecks, &report)
        }
        if let record, let kept {
            try PrivateFile.replace(try Self.path(record), with: kept.bytes(samples.made))
        }
    }

    private static func path(_ argument: String) throws(CommandError) -> RawPath {
        guard let path = RawPath(bytes: RawArguments.bytes(of: argument)), !argument.isEmpty else {
            throw CommandError("'\(RawArguments.shown(argument))' is no path")
        }
        return path
    }
}
