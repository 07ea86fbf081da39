import Glibc
package import PickerClient
import SystemInterface

// Starts pickers in terminals.
//
// A service manager that ends this program's service would end what is in it, and a terminal may come to have other
// windows of the user. So there each one has a scope of its own.

/// Starts programs in terminals, and tells when what was started has ended.
package final class TerminalStarter {
    private let loop: PollLoop
    private let setting: String?
    private let socket: String
    private let environment: [String: String]
    private var running: [Int32: (watch: PollWatch, descriptor: DescriptorBox)] = [:]
    private var count = 0

    /// Starts none yet.
    ///
    /// - Parameters:
    ///   - loop: the loop on which ends are seen.
    ///   - setting: the terminal that the user wants.
    ///   - socket: that of the daemon.
    ///   - environment: the variables.
    package init(
        on loop: PollLoop, setting: String?, socket: String, environment: [String: String]
    ) {
        self.loop = loop
        self.setting = setting
        self.socket = socket
        self.environment = environment
    }

    /// Starts `pickerctl` with these arguments in a terminal.
    package func start(
        _ arguments: [String], as kind: String, _ ended: @escaping (_ fault: String?) -> Void
    ) throws(TerminalError) -> Int32 {
        try start([pickerctl] + arguments, kind, ended)
    }

    /// Starts a script of the shell in a terminal, with `pickerctl` as `$0`.
    package func start(
        script: String, _ arguments: [String], as kind: String,
        _ ended: @escaping (_ fault: String?) -> Void
    ) throws(TerminalError) -> Int32 {
        try start(["/bin/sh", "-c", script, pickerctl] + arguments, kind, ended)
    }

    /// `ended` is called once, with what was wrong.
    ///
    /// - Returns: the process, which leads a group.
    /// - Throws: why nothing was started.
    private func start(
        _ command: [String], _ kind: String, _ ended: @escaping (_ fault: String?) -> Void
    ) throws(TerminalError) -> Int32 {
        let terminal = try TerminalChoice(setting: setting, environment: environment) {
            programPath($0)
        }
        // No word ends the arguments of a process.
        let words = (scope(kind) + terminal.words + command).map { $0.filter { $0 != "\0" } }
        var variables = environment
        for name in ["INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID"] {
            variables[name] = nil
        }
        variables["PICKERD_SOCKET"] = socket
        let program = ChildProcess(
            RawPath(words[0]), arguments: Array(words.dropFirst()), environment: variables)
        let name = terminal.words[0]
        do throws(SystemError) {
            let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
            let pid = try program.start(
                input: nothing.number, output: nothing.number, error: STDERR_FILENO)
            let end = DescriptorBox(try ChildProcess.watch(pid))
            let watch = loop.watch(end.number, for: .readable) { [weak self] _ in
                self?.reap(pid, name, ended)
            }
            running[pid] = (watch, end)
            return pid
        } catch {
            throw TerminalError("\(error)")
        }
    }

    private func reap(_ pid: Int32, _ name: String, _ ended: (String?) -> Void) {
        guard let end = try? ChildProcess.end(of: pid) else { return }
        running.removeValue(forKey: pid)?.watch.cancel()
        switch end {
        case .exited(0): ended(nil)
        case .exited(let status): ended("'\(name)' has ended with status \(status)")
        case .killed(let signal): ended("'\(name)' was ended by signal \(signal)")
        }
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
    private func scope(_ kind: String) -> [String] {
        guard environment["INVOCATION_ID"] != nil, let run = programPath("systemd-run") else {
            return []
        }
        count += 1
        let unit = "app-pickerd-\(kind)-\(CurrentProcess.pid)-\(count)"
        return [
            run, "--user", "--scope", "--collect", "--quiet", "--slice=app.slice",
            "--unit=\(unit).scope", "--",
        ]
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
