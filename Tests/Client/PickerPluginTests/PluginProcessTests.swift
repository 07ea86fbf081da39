import Foundation
import Glibc
import JSONText
import SystemInterface
import TestSupport
import Testing

/// The end of a plugin's process, its memory, and what it prints.
@Suite struct PluginProcessTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("plugin.json", sampleManifest)
        let (sample, place) = (try SpawnedProcess.built("SamplePlugin"), folder.path("sample"))
        // A file that is written can't be run by this process, nor while a child of another test has its descriptor.
        do {
            try FileManager.default.linkItem(atPath: sample, toPath: place)
        } catch {
            try FileManager.default.copyItem(atPath: sample, toPath: place)
        }
    }

    private func start(greets: Bool = true) throws -> (SpawnedProcess, ScriptedDaemon) {
        let (ours, theirs) = try UnixSocket.pair().boxed()
        let process = try SpawnedProcess(folder.path("sample"), passing: [theirs.number])
        let daemon = ScriptedDaemon(adopting: ours)
        if greets { _ = try daemon.hello() }
        return (process, daemon)
    }

    @Test("what is printed, by whatever means, goes to the standard error")
    func prints() throws {
        let (process, daemon) = try start()
        try folder.write("a", "text")
        #expect(try daemon.extract("text", [folder.rawPath("a")])[0]["values"] != nil)
        daemon.hangUp()
        #expect(process.waitForExit() == .exited(code: 0))
        #expect(process.standardError == ">the beginning\nreading a\nthe end\n")
        #expect(process.standardOutput == "")
    }

    @Test("the end of the socket is the end, whatever runs", arguments: ["", "{}", "looks"])
    func hangUp(_ spinning: String) throws {
        let (process, daemon) = try start()
        try spin(daemon, process, spinning)
        let began = ContinuousClock.now
        daemon.hangUp()
        #expect(process.waitForExit() == .exited(code: 0))
        // Two seconds, and what an overloaded machine adds.
        #expect(ContinuousClock.now - began < .seconds(spinning == "{}" ? 10 : 5))
        #expect(process.standardError.hasSuffix("the end\n") == (spinning != "{}"))
    }

    @Test("SIGTERM is the end, whatever runs", arguments: ["", "{}", "looks"])
    func terminate(_ spinning: String) throws {
        let (process, daemon) = try start()
        try spin(daemon, process, spinning)
        process.kill(SIGTERM)
        #expect(process.waitForExit() == .exited(code: 0))
        #expect(process.standardError.hasSuffix("the end\n") == (spinning != "{}"))
        try daemon.waitForEnd()
    }

    private func spin(
        _ daemon: ScriptedDaemon, _ process: SpawnedProcess, _ kind: String
    ) throws {
        if kind.isEmpty { return }
        try daemon.ask("sample.spin", kind == "looks" ? ["cancellable": true] : [:])
        #expect(waitUntil { process.standardError.contains("spinning") })
    }

    @Test("without a daemon it says what to do, and without a manifest what is missing")
    func alone() throws {
        let alone = try SpawnedProcess(folder.path("sample"))
        #expect(alone.waitForExit() == .exited(code: 2))
        #expect(alone.standardError.contains("pickerctl plugin run FOLDER"))
        try folder.remove("plugin.json")
        let (process, _) = try start(greets: false)
        #expect(process.waitForExit() == .exited(code: 1))
        #expect(process.standardError.contains("there is no plugin.json beside the program"))
        try folder.write("plugin.json", #"{"id":"x","version":"1","api":{"min":1,"max":1}}"#)
        let (other, _) = try start(greets: false)
        #expect(other.waitForExit() == .exited(code: 1))
        #expect(other.standardError.contains(#"has the group of attributes "text""#))
    }

    @Test("the same 10,000 files again take no more memory and no descriptors")
    func memory() throws {
        let (process, daemon) = try start()
        let paths = try (0..<500).map { number in
            try folder.write("\(number)", String(repeating: "x", count: number * 40))
            return folder.rawPath("\(number)")
        }
        func run(_ times: Int) throws -> Int {
            for _ in 0..<times {
                for start in stride(from: 0, to: paths.count, by: 50) {
                    let answers = try daemon.extract("text", Array(paths[start..<start + 50]))
                    #expect(answers.count == 50)
                }
            }
            let statm = try String(contentsOfFile: "/proc/\(process.pid)/statm", encoding: .utf8)
            return try #require(Int(statm.split(separator: " ")[1]))
        }
        // Other tests of this process may have left descriptors of theirs to it.
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").count
        }
        let before = try run(4)
        let opened = try descriptors()
        let after = try run(20)
        #expect(Double(after) < 1.1 * Double(before))
        #expect(try descriptors() == opened)
    }

    @Test("a program is run, up to its limits, and pings are answered meanwhile")
    func tools() throws {
        let (process, daemon) = try start()
        defer { withExtendedLifetime(process) {} }
        func run(_ words: JSONValue...) throws -> JSONValue {
            try daemon.request("sample.run", ["words": .array(words)])
        }
        #expect(try run("/bin/echo", "a b") == ["status": "0", "output": "a b\n"])
        #expect(try run("/bin/sh", "-c", "exit 3") == ["status": "3", "output": ""])
        #expect(try run("/bin/sh", "-c", "kill -9 $$") == ["status": "-9", "output": ""])
        #expect(try run("/bin/sh", "-c", "echo $HOME; read x") == ["status": "1", "output": "\n"])
        let slow = try daemon.ask("sample.run", ["words": ["/bin/sleep", "1000"]])
        #expect(try daemon.request("plugin.ping") == [:])
        #expect(
            try daemon.error(of: slow)["message"]?.stringValue?.contains("took longer") == true)
        let loud = try daemon.error("sample.run", ["words": ["/usr/bin/yes"]])
        #expect(loud["message"]?.stringValue?.contains("printed more than 1000 bytes") == true)
        let missing = try daemon.error("sample.run", ["words": ["/bin/none"]])
        #expect(missing["message"]?.stringValue?.contains("ENOENT") == true)
        let cancelled = try daemon.ask("sample.run", ["words": ["/bin/sleep", "1000"]])
        try daemon.send(#"{"method":"$/cancel","params":{"id":\#(cancelled)}}"#)
        #expect(try daemon.error(of: cancelled)["code"] == 1002)
    }
}
