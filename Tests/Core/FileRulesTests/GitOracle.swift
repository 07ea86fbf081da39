// What git says of paths: `git check-ignore`.

import Foundation
import Glibc
import TestSupport

/// An empty repository and the trees that git is asked about.
final class GitOracle {
    struct Answer: Equatable, CustomStringConvertible {
        /// The ignore file that decides; empty if none does.
        let file: [UInt8]
        let line: Int
        let pattern: [UInt8]

        var description: String {
            "\(String(decoding: file, as: UTF8.self)):\(line): \(String(decoding: pattern, as: UTF8.self))"
        }
    }

    struct Failed: Error {
        let arguments: [String]
        let status: Int32
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try run(["init", "-q", "--template=", folder.path("repository")], in: folder.path)
    }

    /// Makes folders and ignore files, without the other files, which git does not look for.
    func makeTree(_ name: String, _ folders: [[UInt8]], _ ignoreFiles: [[UInt8]: [UInt8]]) throws {
        try folder.makeFolder(name)
        let root = Array(folder.path(name).utf8)
        for path in folders {
            // The array is a C string for the length of the call.
            let made = unsafe mkdir(
                (root + "/".utf8 + path + [0]).map { CChar(bitPattern: $0) }, 0o755)
            if made != 0 { throw Failed(arguments: ["mkdir"], status: errno) }
        }
        for (path, text) in ignoreFiles {
            var file = root + "/".utf8
            if !path.isEmpty { file += path + "/".utf8 }
            file += ".gitignore".utf8
            file.append(0)
            // As above.
            guard let stream = unsafe fopen(file.map { CChar(bitPattern: $0) }, "wb") else {
                throw Failed(arguments: ["fopen"], status: errno)
            }
            // The array's own bytes and count.
            let count = unsafe fwrite(text, 1, text.count, stream)
            let closed = unsafe fclose(stream)
            if count != text.count || closed != 0 {
                throw Failed(arguments: ["fwrite"], status: errno)
            }
        }
    }

    /// What decides for each path of a tree.
    func answers(_ name: String, _ paths: [[UInt8]]) throws -> [Answer] {
        let input = folder.path("\(name).in")
        try Data(paths.flatMap { $0 + [0] }).write(to: URL(fileURLWithPath: input))
        let output = try run(
            ["check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"], in: folder.path(name),
            input)
        let fields = output.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        guard fields.count == 4 * paths.count + 1 else {
            throw Failed(arguments: ["\(fields.count) fields"], status: 0)
        }
        return paths.indices.map { index in
            Answer(
                file: fields[4 * index],
                line: Int(String(decoding: fields[4 * index + 1], as: UTF8.self)) ?? 0,
                pattern: fields[4 * index + 2])
        }
    }

    @discardableResult
    private func run(
        _ arguments: [String], in current: String, _ input: String = "/dev/null"
    ) throws -> [UInt8] {
        let output = folder.path("output")
        try Data().write(to: URL(fileURLWithPath: output))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: current)
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
        environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
        environment["GIT_CONFIG_SYSTEM"] = "/dev/null"
        if arguments.first != "init" {
            environment["GIT_DIR"] = folder.path("repository/.git")
            environment["GIT_WORK_TREE"] = current
        }
        process.environment = environment
        process.standardInput = FileHandle(forReadingAtPath: input)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        process.waitUntilExit()
        // 1: no path is ignored.
        guard process.terminationReason == .exit, process.terminationStatus <= 1 else {
            throw Failed(arguments: arguments, status: process.terminationStatus)
        }
        return Array(try Data(contentsOf: URL(fileURLWithPath: output)))
    }
}
