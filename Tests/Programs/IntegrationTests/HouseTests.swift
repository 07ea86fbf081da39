// The sources keep to the plan of the house: no plugin knows another, and the core knows none.

import Foundation
import Testing

@Suite struct HouseTests {
    private static var root: URL {
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }

    /// The Swift files below a folder, and what they hold.
    private static func sources(_ folder: String) throws -> [(name: String, text: String)] {
        let base = root.appending(path: "Sources/" + folder)
        let paths = try #require(
            FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil))
        var found: [(name: String, text: String)] = []
        for case let url as URL in paths where url.pathExtension == "swift" {
            found.append(
                (url.lastPathComponent, try String(contentsOf: url, encoding: .utf8)))
        }
        #expect(!found.isEmpty, "\(folder)")
        return found
    }

    private static func plugins() throws -> [String] {
        let folder = root.appending(path: "Sources/Plugins")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("Plugin") }.sorted()
    }

    /// What names one of these plugins: its module or class, or words about it.
    private static func naming(of plugins: [String]) throws -> Regex<AnyRegexOutput> {
        let names = plugins.joined(separator: "|")
        let words = plugins.map { $0.dropLast("Plugin".count).lowercased() }.joined(separator: "|")
        return try Regex("\\b(\(names))\\b|\\b(?i)(\(words)) plugin\\b")
    }

    @Test("nothing in Core, System and Libraries names a plugin, nor does pickerd but in one list")
    func coreNamesNone() throws {
        let plugins = try Self.plugins()
        #expect(plugins.count >= 6)
        let naming = try Self.naming(of: plugins)
        for district in ["Core", "System", "Libraries", "Programs/pickerd"] {
            for file in try Self.sources(district) {
                var text = file.text
                if file.name == "Daemon.swift" {
                    // The imports, and the list itself.
                    text = text.replacing(/(?m)^internal import \w+Plugin\n/, with: "")
                    text = text.replacing(/-> \[any Plugin\] \{[^}]*\}/, with: "")
                }
                let found = text.firstMatch(of: naming).map { String(text[$0.range]) }
                #expect(found == nil, "\(file.name) names a plugin")
            }
        }
        #expect("the Items plugin".firstMatch(of: naming) != nil)
        #expect("import ItemsPlugin".firstMatch(of: naming) != nil)
    }

    @Test("no plugin imports another, nor do their shared targets")
    func apart() throws {
        let plugins = try Self.plugins()
        let folder = Self.root.appending(path: "Sources/Plugins")
        for target in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            for file in try Self.sources("Plugins/" + target) {
                for plugin in plugins {
                    #expect(
                        !file.text.contains("import \(plugin)\n"), "\(file.name) of \(target)")
                }
            }
        }
    }

    @Test("the path of a saved file in architecture.md stops at functions that exist")
    func walk() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "contrib/architecture.md"), encoding: .utf8)
        let sections = page.split(separator: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix("The path of a saved file\n") })
        let row = /\| (\d+) \| `([\w+]+\.swift)` \| `(\w+)` \|/
        let stops = section.matches(of: row)
        #expect(stops.compactMap { Int($0.1) } == Array(1...stops.count))
        let rows = section.components(separatedBy: "\n| ").count - 2
        #expect(rows == stops.count, "a row is not understood")
        let all = try ["Libraries", "Core", "Plugins"].flatMap { try Self.sources($0) }
        for stop in stops {
            let files = all.filter { $0.name == stop.2 }
            #expect(files.count == 1, "\(stop.2)")
            let has = files.contains { $0.text.range(of: "func \(stop.3)(") != nil }
            #expect(has, "\(stop.2) has no function \(stop.3)")
        }
    }

    @Test("each type and target that architecture.md names is in the sources")
    func namedTypes() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "contrib/architecture.md"), encoding: .utf8)
        // Words in capitals are messages of systemd and the like.
        let names = Set(page.matches(of: /`([A-Z][A-Za-z]*[a-z][A-Za-z]*)`/).map { String($0.1) })
        #expect(names.count > 50)
        let all =
            try ["Libraries", "System", "Core", "Plugins", "Client", "Programs"]
            .flatMap { try Self.sources($0) }
            + Self.sources("../Tests")
        let manifest = try String(
            contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        // Once for all names: to look for each in all of the sources takes long in a debug build.
        var words = Set<[UInt8]>()
        for (name, text) in all + [("Package.swift", manifest)] {
            let isOther = { (byte: UInt8) in !(0x41...0x5A ~= byte || 0x61...0x7A ~= byte) }
            for word in text.utf8.split(whereSeparator: isOther) where word.count > 2 {
                words.insert(Array(word))
            }
            words.insert(Array(name.utf8.dropLast(".swift".utf8.count)))
        }
        let unknown = names.filter { !words.contains(Array($0.utf8)) }
        #expect(unknown.sorted() == [])
    }

    @Test("errors that leave a module have one shape: structs that describe themselves")
    func errors() throws {
        // Line by line: a regex takes minutes for all sources in a debug build.
        let lines = try ["Libraries", "System", "Core", "Plugins", "Client", "Programs"]
            .flatMap { try Self.sources($0) }
            .flatMap { $0.text.components(separatedBy: "\n") }
        let described = lines.filter { $0.range(of: "CustomStringConvertible") != nil }
        var names: [String] = []
        for line in lines where line.range(of: ": Error") != nil {
            let words = line.split { !$0.isLetter }
            guard words.count > 3, ["public", "package"].contains(words[0]), words[3] == "Error"
            else { continue }
            #expect(words[1] == "struct", "\(line)")
            names.append(String(words[2]))
        }
        #expect(names.count >= 15, "\(names)")
        for name in names {
            let isDescribed = described.contains { $0.range(of: " \(name): ") != nil }
            #expect(isDescribed, "\(name) has no description")
        }
    }

    @Test("the core has no method, setting or topic of a plugin")
    func coreHasNoNames() throws {
        // Lists and layouts tell of themselves by messages that both ends of the wire have.
        let messages = Set(["ItemsDelta.swift", "ItemsReset.swift", "LayoutMessages.swift"])
        let name = /"(documents|items|events|feed|statistics|layouts?|watch)\.[a-z]+"/
        for district in ["Core", "Programs/pickerd"] {
            for file in try Self.sources(district) where !messages.contains(file.name) {
                let found = file.text.firstMatch(of: name).map { String($0.output.0) }
                #expect(found == nil, "\(file.name)")
            }
        }
    }
}
