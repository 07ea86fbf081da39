import Glibc
import JSONText
import PickerClient
import SystemInterface

/// Checks of the attributes of one group, on files of all kinds.
struct ExtractionChecks {
    /// How many files are asked about while the memory is watched, and how many before.
    private static let manyFiles = 10_000
    private static let filesBefore = 1_000

    private let extraction: Extraction
    private let group: AttributeGroup

    init(_ group: AttributeGroup) {
        self.group = group
        extraction = Extraction(group)
    }

    var all: [PluginCheck] {
        let kinds = FileFault.allCases.map { broken($0) }
        return [good, whole] + kinds
            + [notUTF8, huge, many, forms, seen, replaced, wanted, twice, cancelled, memory]
    }

    private func check(
        _ name: String, isSteady: Bool = true,
        _ run: @escaping (PluginTrial) throws(NotPassed) -> Void
    ) -> PluginCheck {
        PluginCheck("\(group.name): \(name)", isSteady: isSteady, run)
    }

    /// Makes files; a machine that can't is no fault of the plugin.
    private func made<Value>(
        _ make: () throws(SystemError) -> Value
    ) throws(NotPassed) -> Value {
        do throws(SystemError) {
            return try make()
        } catch {
            throw .skipped("the file can't be made: \(error)")
        }
    }

    private func whole(_ trial: PluginTrial, _ count: Int) throws(NotPassed) -> [SampleFile] {
        let suffixes = group.suffixes.isEmpty ? ["txt"] : group.suffixes
        return try made { () throws(SystemError) in
            var files: [SampleFile] = []
            for index in 0..<count {
                let suffix = suffixes[index % suffixes.count]
                files.append(try trial.samples.whole("\(group.name)-\(index)", suffix))
            }
            return files
        }
    }

    // MARK: Good files

    private var good: PluginCheck {
        check("files are answered in time") { (trial) throws(NotPassed) in
            extraction.isAnswered = nil
            do throws(NotPassed) {
                _ = try extraction.ask(trial, try whole(trial, 4))
            } catch {
                if error.kind == .failed { extraction.isAnswered = false }
                throw error
            }
            extraction.isAnswered = true
        }
    }

    private var whole: PluginCheck {
        check("whole files are read without an error") { (trial) throws(NotPassed) in
            let suffixes = group.suffixes.isEmpty ? ["txt"] : group.suffixes
            let sound = suffixes.filter { SampleContent.of(suffix: $0).isWhole }
            guard !sound.isEmpty else {
                throw .skipped("no file of its kinds is made that is whole for sure")
            }
            let files = try made { () throws(SystemError) in
                try sound.map { suffix throws(SystemError) in
                    try trial.samples.whole("\(group.name)-whole", suffix)
                }
            }
            for (file, answer) in zip(files, try extraction.ask(trial, files)) {
                if case .error(let message) = answer.content {
                    throw .failed("\(file.path): \(message)" + trial.said)
                }
            }
        }
    }

    private var twice: PluginCheck {
        check("the same files have the same values") { (trial) throws(NotPassed) in
            let files = try whole(trial, Extraction.batch) + trial.samples.given(for: group)
            let first = try extraction.ask(trial, files)
            let second = try extraction.ask(trial, files)
            for (index, (one, other)) in zip(first, second).enumerated() {
                if one.content != other.content {
                    throw .failed(
                        "\(files[index].path) has at first \(one.text), and then \(other.text)")
                }
            }
            guard extraction.hadValues else {
                if trial.samples.given.isEmpty {
                    throw .skipped("no made file has values: give files that have, by --files")
                }
                throw .failed("no file has values, of those that were given neither")
            }
        }
    }

    private var wanted: PluginCheck {
        check("only what is wanted is answered") { (trial) throws(NotPassed) in
            guard group.names.count > 1 else { throw .skipped("it has one attribute") }
            let want = [group.names[0]]
            let files = try whole(trial, 4) + trial.samples.given(for: group).prefix(60)
            for answer in try extraction.ask(trial, files, want: want) {
                guard case .values(let values) = answer.content else { continue }
                if values.keys.contains(where: { group.names.contains($0) && !want.contains($0) }) {
                    throw .failed("wanted was \(want[0]) alone, and answered is \(answer.text)")
                }
            }
        }
    }

    // MARK: Other files

    private func broken(_ fault: FileFault) -> PluginCheck {
        check(fault.rule) { (trial) throws(NotPassed) in
            if fault == .unreadable, CurrentProcess.uid == 0 {
                throw .skipped("root may read every file")
            }
            let file = try made { () throws(SystemError) in
                try fault.make(extraction.suffix, group.name, in: trial.samples)
            }
            extraction.failed.insert(fault)
            let answer = try extraction.ask(trial, [file] + (try whole(trial, 1)))[0]
            extraction.failed.remove(fault)
            if fault.hasNoValues, answer.hasValues {
                throw .failed("it has no values to be read, and answered is \(answer.text)")
            }
        }
    }

    private var notUTF8: PluginCheck {
        check("a name that is not UTF-8 is that of any file") { (trial) throws(NotPassed) in
            let content = SampleContent.of(suffix: extraction.suffix)
            let name = Array("\(group.name)-".utf8) + [0xFF] + Array(".\(extraction.suffix)".utf8)
            let file = try made { () throws(SystemError) in
                try trial.samples.make(name, .file(content.bytes), content.type)
            }
            let answers = try extraction.ask(trial, [file] + (try whole(trial, 1)))
            if answers[0].content != answers[1].content {
                throw .failed(
                    "given by pathB64 it has \(answers[0].text), and by path \(answers[1].text)")
            }
        }
    }

    private var huge: PluginCheck {
        check("a file of 5 GB is answered in time") { (trial) throws(NotPassed) in
            let content = SampleContent.of(suffix: extraction.suffix)
            let name = Array("\(group.name)-huge.\(extraction.suffix)".utf8)
            let file = try made { () throws(SystemError) in
                try trial.samples.make(
                    name, .sparse(content.bytes, size: SampleFiles.hugeSize), content.type)
            }
            _ = try extraction.ask(trial, [file])
        }
    }

    private var many: PluginCheck {
        check("256 files of all kinds are answered, each in its place") {
            (trial) throws(NotPassed) in
            var files = try whole(trial, 240)
            for (index, fault) in FileFault.allCases.enumerated()
            where !extraction.failed.contains(fault) {
                let file = try made { () throws(SystemError) in
                    try fault.make(extraction.suffix, group.name, in: trial.samples)
                }
                files.insert(file, at: index * 31)
            }
            files += trial.samples.given(for: group)
            files += Array(files.prefix(256 - min(256, files.count)))
            let answers = try extraction.ask(trial, files)
            let alone = try extraction.ask(trial, [files[1], files[100], files[255]])
            for (answer, index) in zip(alone, [1, 100, 255]) {
                if answer.content != answers[index].content {
                    throw .failed(
                        "\(files[index].path) has alone \(answer.text), and among others "
                            + answers[index].text)
                }
            }
        }
    }

    // MARK: All answers so far

    private var forms: PluginCheck {
        check("answers have the form and the types that plugin.json says") {
            (_) throws(NotPassed) in
            if extraction.isAnswered == false { throw .skipped("good files are not answered") }
            if !extraction.faults.isEmpty {
                throw .failed(extraction.faults.joined(separator: "\n"))
            }
        }
    }

    private var seen: PluginCheck {
        check("'seen' is the file that was read") { (_) throws(NotPassed) in
            if extraction.isAnswered == false { throw .skipped("good files are not answered") }
            if !extraction.untrue.isEmpty {
                throw .failed(extraction.untrue.joined(separator: "\n"))
            }
        }
    }

    // MARK: What changes, ends and grows

    private var replaced: PluginCheck {
        check(
            "a file that is replaced while it is read has no values of another", isSteady: false
        ) { (trial) throws(NotPassed) in
            guard extraction.untrue.isEmpty else { throw .skipped("'seen' is not true anyway") }
            let change = try made { () throws(SystemError) in
                try FileReplacement(extraction.suffix, group.name, in: trial)
            }
            defer { change.stop() }
            let files = [SampleFile](repeating: change.file, count: Extraction.batch)
            for _ in 0..<4 {
                for answer in try extraction.ask(trial, files, isSteady: false) {
                    guard answer.hasValues, let seen = answer.seen else { continue }
                    if !change.versions.contains(seen) {
                        throw .failed("'seen' is \(seen), which none of its versions was")
                    }
                }
            }
        }
    }

    private var cancelled: PluginCheck {
        check("an extraction that is cancelled is over within 3 s", isSteady: false) {
            (trial) throws(NotPassed) in
            if extraction.isAnswered == false { throw .skipped("good files are not answered") }
            let params = extraction.params(try whole(trial, Extraction.batch))
            let plugin = try trial.serving()
            let ids = (0..<8).map { _ in
                let request = plugin.request("attributes.extract", params)
                plugin.send(request.line)
                return request.id
            }
            for id in ids { plugin.notify("$/cancel", ["id": .integer(id)]) }
            for id in ids {
                let answer = plugin.answer(to: id, within: .seconds(3))
                switch answer {
                case .result, .refused: continue
                case .silence, .ended:
                    throw .failed(PluginTrial.text(answer, "a cancelled request") + trial.said)
                }
            }
        }
    }

    private var memory: PluginCheck {
        check("10,000 files take less than 10 % more memory", isSteady: false) {
            (trial) throws(NotPassed) in
            let files = try whole(trial, Extraction.batch)
            func ask(_ count: Int) throws(NotPassed) {
                var asked = 0
                while asked < count {
                    _ = try extraction.ask(trial, files)
                    asked += files.count
                }
            }
            try ask(Self.filesBefore)
            guard let pid = try trial.serving().guardPid,
                let before = ProcessMemory.ofPlugin(behind: pid)
            else { throw .skipped("the memory of its process can't be read here") }
            try ask(Self.manyFiles)
            guard let after = ProcessMemory.ofPlugin(behind: pid) else {
                throw .skipped("the memory of its process can't be read any more")
            }
            let words = "\(before) KiB before, \(after) KiB after"
            if Double(after) >= Double(before) * 1.1 { throw .failed(words) }
        }
    }
}
