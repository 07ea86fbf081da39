import PickerClient
import SystemInterface

/// A file that is replaced every millisecond, by files of the same kind and another length.
final class FileReplacement {
    /// More versions are not needed.
    private static let mostVersions = 4096

    let file: SampleFile
    /// What a plugin may have seen.
    private(set) var versions: [[Int64]] = []
    private let trial: PluginTrial
    private let name: [UInt8]
    private let content: [UInt8]
    private var timer: PollTimer?

    init(
        _ suffix: String, _ group: String, in trial: PluginTrial
    ) throws(SystemError) {
        self.trial = trial
        let content = SampleContent.of(suffix: suffix)
        name = Array("\(group)-replaced.\(suffix)".utf8)
        self.content = content.bytes
        file = trial.samples.file(name, content.type)
        try replace()
        schedule()
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func schedule() {
        timer = trial.loop.schedule(after: .milliseconds(1)) { [weak self] in
            guard let self, versions.count < Self.mostVersions, (try? replace()) != nil else {
                return
            }
            schedule()
        }
    }

    private func replace() throws(SystemError) {
        let padding = [UInt8](repeating: UInt8(ascii: "\n"), count: versions.count % 97)
        try trial.samples.folder.replace(name, with: content + padding)
        // Nobody but this program changes it, so this is the one that was just put there.
        versions.append(SampleFile.seen(try FileStatus.of(file.path)))
    }
}
