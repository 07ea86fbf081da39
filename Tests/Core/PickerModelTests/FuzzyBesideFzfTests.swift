// Fuzzy search beside fzf itself, where that is installed (Debian: fzf).
//
// `PICKERD_FZF_QUERIES` is the number of queries for each kind of names (25). `PICKERD_FZF_NAMES`, such as
// 1000000, is the number of names to measure the speed with, in a release build: `swift test -c release`.

import Foundation
import PickerModel
import TestSupport
import Testing

private enum Fzf {
    static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/fzf")

    static func number(_ variable: String) -> Int? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    /// The lines of a file that match, best first.
    static func filter(_ query: String, _ path: String) throws -> [Substring] {
        let process = try SpawnedProcess(
            "/bin/sh", ["-c", #"exec fzf --filter "$1" < "$2""#, "sh", query, path],
            environment: ["PATH": "/usr/bin:/bin"])
        let end = process.waitForExit()
        try #require(end == .exited(code: 0) || end == .exited(code: 1))
        return process.standardOutput.split(separator: "\n")
    }
}

@Suite(.enabled(if: Fzf.isThere)) struct FuzzyBesideFzfTests {
    /// In names with letters like ß and œ, ours finds and counts two letters where fzf has one; and fzf ignores
    /// accents only of queries without any.
    @Test("the best ten of 20,000 names are those of fzf", arguments: [0, 2])
    func bestTen(foreign: Int) throws {
        let seed = SeededNumbers.seed()
        var texts = SeededFileNames(seed: seed, foreign: foreign)
        let names = (0..<20_000).map { _ in texts.name() }
        let folder = try TemporaryFolder()
        try folder.write("names", names.joined(separator: "\n"))
        let letters = names.map { LetterSet(of: Array(FoldedName($0).searchBytes).span) }

        var same = 0
        var others: [String: Int] = [:]
        let count = Fzf.number("PICKERD_FZF_QUERIES") ?? 25
        for _ in 0..<count {
            let (text, kind) = texts.query(of: names)
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            var found: [(rank: FuzzyRank, index: Int)] = []
            for index in names.indices where letters[index].contains(matcher.query.letters) {
                if let rank = matcher.rank(name: names[index], folder: "") {
                    found.append((rank, index))
                }
            }
            found.sort { $0 < $1 }
            let ours = found.prefix(10).map { names[$0.index] }
            let theirs = try Fzf.filter(text, folder.path("names")).prefix(10)
            if theirs.elementsEqual(ours, by: { $0 == $1 }) {
                same += 1
            } else {
                others[kind, default: 0] += 1
            }
        }
        print(
            "\(same) of \(count) best tens are fzf's with \(foreign) % foreign words; not \(others)"
        )
        // Of 500 about 488 are the same with foreign words; of a few queries, chance may take several.
        let least = foreign > 0 && count < 500 ? 80 : 95
        #expect(same * 100 >= count * least, "seed \(seed)")
    }

    @Test("Figures", .enabled(if: Fzf.number("PICKERD_FZF_NAMES") != nil))
    func figures() throws {
        let count = try #require(Fzf.number("PICKERD_FZF_NAMES"))
        var texts = SeededFileNames(seed: 1, foreign: 2)
        let names = (0..<count).map { _ in texts.name() }
        let folder = try TemporaryFolder()
        try folder.write("names", names.joined(separator: "\n"))
        // As they lie in one array, one behind another.
        var folded: [UInt8] = []
        var cased: [UInt8] = []
        var ends: [Int] = []
        var letters: [LetterSet] = []
        for name in names {
            let bytes = Array(FoldedName(name).searchBytes)
            letters.append(LetterSet(of: bytes.span))
            folded += bytes
            cased += FoldedName.casedBytes(of: name)
            ends.append(folded.count)
        }
        for text in ["q", "tax", "budget", "presentation", "rpt2024", "'tax", "!tax bud"] {
            var matcher = FuzzyMatcher(try #require(try FuzzyQuery.parse(text)))
            var found = 0
            let start = ProcessorTime.ofThread()
            for index in ends.indices where letters[index].contains(matcher.query.letters) {
                let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
                let rank = matcher.rank(
                    name: folded.span.extracting(range), casedName: cased.span.extracting(range))
                if rank != nil { found += 1 }
            }
            let ours = ProcessorTime.ofThread() - start
            var theirCount = 0
            let theirs = try ContinuousClock().measure {
                theirCount = try Fzf.filter(text, folder.path("names")).count
            }
            print(
                "'\(text)': \(found) of \(count) in \(ours) of one thread,",
                "\(Int(Double(count) / (ours / .seconds(1)))) a second; fzf: \(theirCount) in \(theirs)"
            )
        }
    }
}
