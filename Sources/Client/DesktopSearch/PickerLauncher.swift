import Glibc
package import PickerClient
import SystemInterface

// Starts pickers in terminals, which outlive this program.
//
// A service manager that ends this program's service would end what is in it, so there a picker has a scope of its own.

/// Starts `pickerctl pick` in a terminal, and opens what is picked.
package final class PickerLauncher {
    /// The most pickers that run at once.
    package static let most = 8

    private let loop: PollLoop
    private let setting: String?
    private let socket: String
    private let environment: [String: String]
    private let log: (String) -> Void
    private var running: [Int32: (watch: PollWatch, descriptor: DescriptorBox)] = [:]
    private var count = 0

    /// Starts none yet.
    ///
    /// - Parameters:
    ///   - loop: the loop on which the ends of pickers are seen.
    ///   - setting: the terminal that the user wants.
    ///   - socket: that of the daemon.
    ///   - environment: the variables.
    ///   - log: tells what has gone wrong.
    package init(
        on loop: PollLoop, setting: String?, socket: String, environment: [String: String],
        log: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.setting = setting
        self.socket = socket
        self.environment = environment
        self.log = log
    }

    /// Starts a picker with these words typed; says in the log why it can't.
    package func launch(_ terms: [String]) {
        guard running.count < Self.most else {
            return log("no picker was started: \(Self.most) of them run already")
        }
        do throws(TerminalError) {
            let terminal = try TerminalChoice(setting: setting, environment: environment) {
                programPath($0)
            }
            let words = scope() + terminal.words + Self.command(pickerctl, terms)
            try start(words)
        } catch {
            log("no picker was started: \(error)")
        }
    }

    /// What a terminal runs. Paths go from one to the other with a NUL behind each, so any name is opened.
    static func command(_ pickerctl: String, _ terms: [String]) -> [String] {
        let script = "\"$0\" pick -0 -- \"$@\" | xargs -0r \"$0\" open --"
        // No word ends the arguments of a process, and none is longer than its terminal can pass on.
        let terms = terms.prefix(DesktopQuery.mostTerms).map { $0.filter { $0 != "\0" } }
        return ["/bin/sh", "-c", script, pickerctl] + terms
    }

    /// That beside this program, else the one on the path.
    private var pickerctl: String {
        if let own = CurrentProcess.program, let slash = own.bytes.lastIndex(of: 0x2F) {
            let beside = own.bytes[...slash] + Array("pickerctl".utf8)
            if let path = String(validating: beside, as: UTF8.self), isProgram(path) { return path }
        }
        return "pickerctl"
    }

    /// What puts a program into a scope of its own, under a service manager.
    private func scope() -> [String] {
        guard environment["INVOCATION_ID"] != nil, let run = programPath("systemd-run") else {
            return []
        }
        count += 1
        let unit = "app-pickerd-pick-\(CurrentProcess.pid)-\(count)"
        return [
            run, "--user", "--scope", "--collect", "--quiet", "--slice=app.slice",
            "--unit=\(unit).scope", "--",
        ]
    }

    private func start(_ words: [String]) throws(TerminalError) {
        var variables = environment
        for name in ["INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID"] {
            variables[name] = nil
        }
        variables["PICKERD_SOCKET"] = socket
        let program = ChildProcess(
            RawPath(words[0]), arguments: Array(words.dropFirst()), environment: variables)
        do throws(SystemError) {
            let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
            let pid = try program.start(
                input: nothing.number, output: nothing.number, error: STDERR_FILENO)
            let end = DescriptorBox(try ChildProcess.watch(pid))
            let watch = loop.watch(end.number, for: .readable) { [weak self] _ in
                self?.reap(pid, words[0])
            }
            running[pid] = (watch, end)
        } catch {
            throw TerminalError("\(error)")
        }
    }

    private func reap(_ pid: Int32, _ name: String) {
        guard let end = try? ChildProcess.end(of: pid) else { return }
        running.removeValue(forKey: pid)?.watch.cancel()
        switch end {
        case .exited(0): break
        case .exited(let status): log("'\(name)' has ended with status \(status)")
        case .killed(let signal): log("'\(name)' was ended by signal \(signal)")
        }
    }

    private func programPath(_ name: String) -> String? {
        if name.contains("/") { return isProgram(name) ? name : nil }
        let folders = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(name)"
            if isProgram(path) { return path }
        }
        return nil
    }

    private func isProgram(_ path: String) -> Bool {
        guard let status = try? FileStatus.of(RawPath(path), followingLinks: true) else {
            return false
        }
        return status.kind == .regular && status.permissions & 0o111 != 0
    }
}
