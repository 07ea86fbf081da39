// A daemon that one test starts.

import Foundation
import Glibc
import SystemInterface
import TestSupport

/// A `pickerd` of a test's own. It is ended when this goes.
final class DaemonUnderTest {
    enum Failure: Error { case notServing(String) }

    let process: SpawnedProcess
    let socket: String

    /// Starts `pickerd` with these arguments. Unless `waits` is false, returns when its socket
    /// takes connections. It has the built-in types, unless the environment says where lists are.
    init(
        _ arguments: [String], socket: String, environment: [String: String] = [:],
        under wrapper: [String] = [], waits: Bool = true
    ) throws {
        self.socket = socket
        let command =
            wrapper + [try SpawnedProcess.built("pickerd")] + arguments + ["--socket", socket]
        process = try SpawnedProcess(
            command[0], Array(command.dropFirst()),
            environment: ["XDG_DATA_DIRS": "/none"].merging(environment) { $1 })
        if waits { try waitUntilServing() }
    }

    func waitUntilServing() throws {
        let isServing = waitUntil {
            (try? UnixSocket.connect(to: RawPath(socket))) != nil || !process.isRunning
        }
        guard isServing, process.isRunning else {
            throw Failure.notServing(process.standardError)
        }
    }

    func connect() throws -> TestConnection {
        try TestConnection(to: socket)
    }

    /// Memory in RAM, in KiB.
    var residentKilobytes: Int { kilobytes("VmRSS:") }

    /// The most so far.
    var mostResidentKilobytes: Int { kilobytes("VmHWM:") }

    private func kilobytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8))
        let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Whether it watches all that it wants to watch, and no thread works for it.
    var isAtRest: Bool {
        let process = "/proc/\(process.pid)"
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: process + "/task")) ?? []
        let names = (try? FileManager.default.contentsOfDirectory(atPath: process + "/fd")) ?? []
        let queues = names.filter { name in
            let link = "\(process)/fd/\(name)"
            return (try? FileManager.default.destinationOfSymbolicLink(atPath: link))
                == "anon_inode:inotify"
        }
        return threads.count == 1
            && queues.allSatisfy { name in
                let text = try? String(contentsOfFile: "\(process)/fdinfo/\(name)", encoding: .utf8)
                return text?.contains("inotify wd:") ?? false
            }
    }

    /// How many descriptors are open, but for the loop's timer: that is made when the first one is set,
    /// which may be before or after a test has counted.
    var descriptorCount: Int {
        let folder = "/proc/\(process.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            return target != nil && target != "anon_inode:[timerfd]"
        }
    }
}

/// A daemon with a folder to serve, and a place for its socket beside it.
final class ServedFolder {
    let place: TemporaryFolder
    let folder: RealFolder
    let daemon: DaemonUnderTest

    /// Serves a new folder, which `prepare` fills before the daemon starts.
    init(
        arguments: [String] = [], settings: String? = nil,
        prepare: (RealFolder, TemporaryFolder) throws -> Void = { _, _ in }
    ) throws {
        place = try TemporaryFolder()
        try place.makeFolder("root")
        folder = RealFolder(place.path("root"))
        try prepare(folder, place)
        var arguments = arguments
        if let settings {
            try place.write("config.toml", settings)
            arguments += ["--config", place.path("config.toml")]
        }
        daemon = try DaemonUnderTest(
            arguments + [place.path("root")], socket: place.path("pickerd.sock"))
    }
}
