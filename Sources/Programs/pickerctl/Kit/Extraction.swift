import JSONText
import PickerClient
import PluginProcesses
import SystemInterface

/// The extractions of one group, and what was wrong with their answers beside what each check looks at.
final class Extraction {
    /// The most files of one request.
    static let batch = 64

    let group: AttributeGroup
    /// What was wrong with the form of answers, the types of values, and the files that they say to be of.
    private(set) var faults: [String] = []
    private(set) var untrue: [String] = []
    /// Whether good files are answered; nil as long as that was not checked.
    var isAnswered: Bool?
    /// The faults of files that were not answered as they must be.
    var failed: Set<FileFault> = []
    /// Whether some file had values.
    private(set) var hadValues = false

    init(_ group: AttributeGroup) { self.group = group }

    /// The suffix of made files.
    var suffix: String { group.suffixes.first ?? "txt" }

    func params(_ files: [SampleFile], want: [String]? = nil) -> JSONValue {
        [
            "group": .string(group.name),
            "want": .array((want ?? group.names).map { .string($0) }),
            "priority": 0,
            "files": .array(files.enumerated().map { $1.entry($0) }),
        ]
    }

    /// Asks about files, at most 64 at a time, and returns one answer for each.
    func ask(
        _ trial: PluginTrial, _ files: [SampleFile], want: [String]? = nil, isSteady: Bool = true
    ) throws(NotPassed) -> [FileAnswer] {
        if isAnswered == false { throw .skipped("good files are not answered") }
        var all: [FileAnswer] = []
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            let batch = Array(files[start..<min(start + Self.batch, files.count)])
            let before = batch.map(\.status)
            let plugin = try trial.serving()
            let id = plugin.begin("attributes.extract", params(batch, want: want))
            let result = try trial.require(
                plugin.answer(to: id, within: trial.callTime), "attributes.extract")
            let answers = try read(result, of: batch.count, want)
            if isSteady { compareSeen(answers, batch, before) }
            all += answers
        }
        return all
    }

    /// The answers in the result of a request about so many files.
    func read(
        _ result: JSONValue, of count: Int, _ want: [String]? = nil
    ) throws(NotPassed) -> [FileAnswer] {
        guard let entries = result["files"]?.arrayValue, entries.count == count else {
            throw .failed(
                "the answer must have 'files', an array of \(count) entries, unlike "
                    + RunningPlugin.shown(result.bytes))
        }
        let wanted = group.attributes.filter { want?.contains($0.name) ?? true }
        var new: [String] = []
        let answers = entries.map { FileAnswer($0, wanted, &new) }
        faults += new.prefix(10 - min(10, faults.count))
        hadValues = hadValues || answers.contains(where: \.hasValues)
        return answers
    }

    /// Files that nobody changes are those that were read.
    private func compareSeen(
        _ answers: [FileAnswer], _ files: [SampleFile], _ statuses: [FileStatus?]
    ) {
        for (index, answer) in answers.enumerated() {
            guard let seen = answer.seen, untrue.count < 10 else { continue }
            let right = statuses[index].map { SampleFile.seen($0) }
            if seen != right {
                let words = right.map { "is \($0)" } ?? "is not there"
                untrue.append("'seen' is \(seen), and \(files[index].path) \(words)")
            }
        }
    }
}
