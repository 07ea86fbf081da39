import Foundation
import MediaTypes
import Testing

private let folder = "/usr/share/mime/"

private func contents(_ name: String) -> [UInt8] {
    FileManager.default.contents(atPath: folder + name).map(Array.init) ?? []
}

@Suite(.enabled(if: FileManager.default.fileExists(atPath: folder + "globs2")))
struct SystemListTests {
    /// Made once, as it takes a while without optimisation.
    private static let table = MediaTypeTable(
        MediaTypeTable.Files(
            globs: [contents("globs2")], aliases: [contents("aliases")],
            icons: [contents("icons")], genericIcons: [contents("generic-icons")]),
        fallback: "")

    @Test("the list of the system is read without loss")
    func whole() {
        #expect(Self.table.leftOut.total == 0)
        #expect(Self.table.texts.count > 500)
    }

    @Test("a name made from a glob has a type that the list gives such names")
    func each() {
        var byPattern: [String: Set<String>] = [:]
        let lines = String(decoding: contents("globs2"), as: UTF8.self).split(separator: "\n")
        for line in lines where !line.hasPrefix("#") {
            let fields = line.split(separator: ":").map(String.init)
            byPattern[fields[2], default: []].insert(fields[1])
        }
        for (pattern, types) in byPattern where !pattern.dropFirst().contains("*") {
            if pattern.contains("[") { continue }
            let name = pattern.replacingOccurrences(of: "*", with: "x")
            #expect(types.contains(Self.table.type(name)), "\(pattern)")
        }
    }

    @Test(
        "well-known names have their types",
        arguments: [
            ("a.pdf", "application/pdf"), ("a.tar.gz", "application/x-compressed-tar"),
            ("a.C", "text/x-c++src"), ("a.c", "text/x-csrc"), ("IMG.JPG", "image/jpeg"),
            ("Makefile", "text/x-makefile"), ("README", "text/x-readme"),
            ("libc.so.6", "application/x-sharedlib"), ("a.txt~", "application/x-trash"),
        ])
    func known(name: String, type: String) {
        #expect(Self.table.type(name) == type)
    }

    @Test("archives have the icon of packages")
    func icons() {
        let type = Self.table.index("a.tar.gz")
        #expect(Self.table.icon(of: type) == "application-x-compressed-tar")
        #expect(Self.table.genericIcon(of: type) == "package-x-generic")
    }
}
