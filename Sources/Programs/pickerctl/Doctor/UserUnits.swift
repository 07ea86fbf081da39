// The systemd units of the daemon, as systemctl shows them.

import Glibc
import SystemInterface

/// The units of the user's service manager.
package struct UserUnits: Hashable, Sendable {
    /// The state of a unit: the properties that systemctl(1) shows.
    package struct Unit: Hashable, Sendable {
        fileprivate let properties: [String: String]

        package init(_ properties: [String: String]) { self.properties = properties }

        private subscript(name: String) -> String { properties[name] ?? "" }

        package var load: String { self["LoadState"] }
        package var active: String { self["ActiveState"] }
        package var sub: String { self["SubState"] }
        package var file: String { self["UnitFileState"] }
        package var result: String { self["Result"] }
        package var fragment: String { self["FragmentPath"] }
        /// The path that a socket unit listens at, if it is one.
        package var listen: String? {
            let end = " (Stream)"
            let value = self["Listen"]
            return value.hasSuffix(end) ? String(value.dropLast(end.count)) : nil
        }

        /// Such as `active (listening), enabled`.
        var text: String {
            if load == "not-found" { return "not installed" }
            if load != "loaded" { return load }
            var text = sub.isEmpty ? active : "\(active) (\(sub))"
            if !file.isEmpty { text += ", \(file)" }
            if !result.isEmpty, result != "success" { text += ", result \(result)" }
            return text
        }
    }

    package static let socketName = "pickerd.socket"
    package static let serviceName = "pickerd.service"

    package let socket: Unit
    package let service: Unit

    /// Reads what `systemctl show` prints: a block of lines for each unit, with an empty line between; nil if one of the
    /// units is not there.
    package init?(parsing text: String) {
        var units: [String: Unit] = [:]
        var properties: [String: String] = [:]
        // A last empty line ends the last block.
        for line in (text + "\n\n").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                if let id = properties["Id"] { units[id] = Unit(properties) }
                properties = [:]
            } else if let sign = line.firstIndex(of: "=") {
                properties[String(line[..<sign])] = String(line[line.index(after: sign)...])
            }
        }
        guard let socket = units[Self.socketName], let service = units[Self.serviceName] else {
            return nil
        }
        self.socket = socket
        self.service = service
    }
}

// MARK: - Asking

extension UserUnits {
    /// Why systemd could not be asked.
    package struct Unavailable: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let properties =
        "Id,LoadState,ActiveState,SubState,UnitFileState,Result,FragmentPath,Listen"
    /// The time that systemctl may take.
    private static let seconds = 3
    private static let mostOutput = 64 << 10

    /// Runs systemctl.
    package static func ask() throws(Unavailable) -> UserUnits {
        guard let program = program() else {
            throw Unavailable(description: "there is no systemctl here")
        }
        let text: String
        do throws(SystemError) {
            text = try output(of: program)
        } catch {
            throw Unavailable(
                description: error.code == .wouldBlock
                    ? "systemctl did not answer within \(seconds) s" : "\(error)")
        }
        if let units = UserUnits(parsing: text) { return units }
        let line = text.split(separator: "\n").first.map(String.init)
        throw Unavailable(description: line ?? "systemctl shows no units")
    }

    /// The first systemctl in PATH.
    private static func program() -> String? {
        let path = CurrentProcess.environment("PATH") ?? "/usr/bin:/bin"
        for folder in path.split(separator: ":") where folder.hasPrefix("/") {
            let program = "\(folder)/systemctl"
            let status = try? FileStatus.of(RawPath(program), followingLinks: true)
            if let status, status.kind == .regular, status.permissions & 0o111 != 0 {
                return program
            }
        }
        return nil
    }

    /// What it prints, errors included.
    /// - Throws: `wouldBlock` if it takes too long; it is ended then.
    private static func output(of program: String) throws(SystemError) -> String {
        var environment = CurrentProcess.environment()
        environment["LC_ALL"] = "C"
        environment["SYSTEMD_COLORS"] = "0"
        let child = ChildProcess(
            RawPath(program),
            arguments: [
                "--user", "--no-pager", "show", socketName, serviceName, "-p", properties,
            ], environment: environment)
        // A pair of sockets rather than a pipe: it never blocks.
        let (reading, end) = try UnixSocket.pair().boxed()
        var writing: DescriptorBox? = consume end
        let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDONLY)
        let output = writing?.number ?? 1
        let pid = try child.start(input: nothing.number, output: output, error: output)
        // Reading ends with the child's end only if ours is closed.
        writing = nil
        defer {
            ChildProcess.signal(SIGKILL, group: pid)
            // It ends now; its status is of no interest.
            _ = try? ChildProcess.end(of: pid)
        }
        return try read(reading)
    }

    private static func read(_ box: DescriptorBox) throws(SystemError) -> String {
        let deadline = SystemClock.monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while text.count < mostOutput {
            switch try box.descriptor.read(into: &buffer) {
            case .bytes(let count): text += buffer[..<count]
            case .closed: return String(decoding: text, as: UTF8.self)
            case .wouldBlock:
                let left = (deadline - SystemClock.monotonicNanoseconds()) / 1_000_000
                if left <= 0 { throw SystemError(.wouldBlock, operation: "read") }
                box.descriptor.waitUntilReadable(milliseconds: Int32(left) + 1)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

// MARK: - Advice

extension UserUnits {
    private static let enable = "systemctl --user enable --now pickerd.socket"

    /// What there is to say of the units if no daemon listens at `path`, and what to do about that. `byHand` is the
    /// command that starts a daemon there.
    package static func advice(
        _ answer: Result<UserUnits, Unavailable>, on path: String?, byHand: String
    ) -> (check: Check, steps: [String]) {
        switch answer {
        case .failure(let error):
            return (
                Check("unit", .note, "systemd does not show the units: \(error)"),
                ["start a daemon: \(byHand)"]
            )
        case .success(let units): return units.advice(on: path, byHand)
        }
    }

    private func advice(
        on path: String?, _ byHand: String
    ) -> (check: Check, steps: [String]) {
        var text = "\(Self.socketName) is \(socket.text); \(Self.serviceName) is \(service.text)"
        if !socket.fragment.isEmpty { text += "; from '\(socket.fragment)'" }
        func found(_ state: Check.State, _ steps: [String]) -> (check: Check, steps: [String]) {
            (Check("unit", state, text), steps + ["or, without systemd: \(byHand)"])
        }
        switch (socket.load, socket.active) {
        case ("not-found", _):
            return (
                Check("unit", .note, text),
                [
                    "start a daemon: \(byHand)",
                    "or install the units by contrib/install of the sources, then: "
                        + "systemctl --user daemon-reload && \(Self.enable)",
                ]
            )
        case ("masked", _):
            return found(
                .problem, ["systemctl --user unmask pickerd.socket pickerd.service", Self.enable])
        case ("loaded", _) where socket.active == "failed" || service.active == "failed":
            return found(
                .problem,
                [
                    "see why: journalctl --user -u pickerd.service -n 20",
                    "then: systemctl --user reset-failed pickerd.socket pickerd.service && "
                        + "systemctl --user start pickerd.socket",
                ])
        case ("loaded", "active"):
            if let listen = socket.listen, listen != path {
                text += "; it listens at '\(listen)'"
                return found(.note, ["use that one: pickerctl --socket \(listen)"])
            }
            return found(.problem, ["systemctl --user restart pickerd.socket"])
        case ("loaded", _):
            let isEnabled = socket.file.hasPrefix("enabled")
            let start = isEnabled ? "systemctl --user start pickerd.socket" : Self.enable
            if let listen = socket.listen, listen != path {
                text += "; it would listen at '\(listen)'"
                return found(.note, [start + " and then: pickerctl --socket \(listen)"])
            }
            return found(.note, [start])
        default:
            return found(.problem, ["see why: systemctl --user status pickerd.socket"])
        }
    }
}
