import JSONText
import PickerModel
import TestSupport
import Testing

@testable import ProcessesPlugin

/// The plugin host with a plugin that reads files, and batches that the test passes to it.
final class ExtractionFixture {
    let house: HouseFixture
    private(set) var outcomes: [Int: ReadingOutcome] = [:]
    private var lastNumber = 0
    private var greeted: ScriptedLauncher.Process?

    static let attributes = """
        "attributes":[{"name":"image.width","type":"integer","group":"header"},\
        {"name":"image.ratio","type":"number","group":"header"},\
        {"name":"image.taken","type":"time","group":"header"},\
        {"name":"image.camera","type":"text","group":"header"},\
        {"name":"image.gps","type":"boolean","group":"header"},\
        {"name":"image.faces","type":"integer","group":"whole"}],"limits":{"callMs":2000},\
        "methods":[{"name":"image.look"}]
        """

    init(version: UInt64 = 1) throws {
        house = try HouseFixture()
        house.find(try HouseFixture.found("image", Self.attributes, version: version))
    }

    func reader(_ group: String = "header") throws -> HostedReader {
        try #require(
            house.documents.attributes.offers.first { $0.group == group }?.reader
                as? HostedReader)
    }

    /// Passes a batch of files to the plugin.
    /// - Returns: the number under which its outcome is told.
    func read(
        _ paths: [[UInt8]], _ group: String = "header", isUrgent: Bool = false,
        isBackground: Bool = false, isAlone: Bool = false
    ) throws -> Int {
        lastNumber += 1
        let number = lastNumber
        let files = paths.enumerated().map { index, path in
            ReadingBatch.File(key: "f\(index)", path: path, type: "image/jpeg", size: 7)
        }
        let wanted = group == "header" ? ["image.width"] : ["image.faces"]
        try reader(group).read(
            ReadingBatch(
                group: group, wanted: wanted, isUrgent: isUrgent, isBackground: isBackground,
                isAlone: isAlone, files: files)
        ) { [weak self] outcome in
            guard let self else { return }
            #expect(outcomes[number] == nil, "it is answered once")
            outcomes[number] = outcome
        }
        house.loop.turn()
        return number
    }

    func read(
        _ count: Int, _ group: String = "header", isBackground: Bool = false, isAlone: Bool = false
    ) throws -> Int {
        try read(
            (0..<count).map { Array("/r/\($0).jpg".utf8) }, group, isBackground: isBackground,
            isAlone: isAlone)
    }

    /// A process that is ready, and has been asked for the batches that wait.
    @discardableResult
    func ready() throws -> ScriptedLauncher.Process {
        let process = try house.greet()
        greeted = process
        return process
    }

    /// The requests to read files that the process has been sent since the last call.
    func asked(_ process: ScriptedLauncher.Process) -> [JSONValue] {
        house.loop.turn()
        return process.read().filter { $0["method"] == "attributes.extract" }
    }

    func answer(_ request: JSONValue, _ files: JSONValue, of process: ScriptedLauncher.Process) {
        process.send(["id": request["id"] ?? .null, "result": ["files": files]])
        house.loop.turn()
    }

    /// Passes one file to the plugin, which answers this for it.
    func answer(_ file: String) throws -> ReadingOutcome.Answer {
        let number = try read(1)
        let running = try greeted ?? ready()
        let request = try #require(asked(running).last)
        answer(request, try JSONValue(parsing: Array("[\(file)]".utf8)), of: running)
        guard case .answers(let answers)? = outcomes[number], answers.count == 1 else {
            Issue.record("\(outcomes[number].map { "\($0)" } ?? "no outcome")")
            return .later
        }
        return answers[0]
    }
}

extension ReadingOutcome {
    var isEnd: Bool { if case .ended = self { true } else { false } }
    var isFault: Bool { if case .ended(isFault: true) = self { true } else { false } }
    var isRefused: Bool { if case .refused = self { true } else { false } }

    /// The answers, as far as there are any.
    var answers: [Answer] { if case .answers(let answers) = self { answers } else { [] } }
}
