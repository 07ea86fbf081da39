import MediaTypes
import Testing

@Suite struct MediaTypeTableTests {
    private static let list = """
        # A comment, and an empty line.

        80:text/html:*.html
        60:application/x-sharedlib:*.so.[0-9]*
        60:text/x-python:*.py
        50:text/x-c++src:*.C:cs
        50:text/x-csrc:*.c:cs
        50:text/plain:*.txt
        50:text/plain:*,v
        50:application/gzip:*.gz
        50:application/x-compressed-tar:*.tar.gz
        50:application/x-trash:*~
        50:application/x-core:core:cs
        50:application/x-core:core
        50:text/x-makefile:makefile
        50:text/x-troff:*.[1-9]
        50:video/mpeg:[0-9][0-9].vdr
        50:text/markdown:*.md
        10:text/x-makefile:makefile.*
        10:text/x-readme:readme*
        """

    @Test(
        "a name has the type of its best glob",
        arguments: [
            ("a.txt", "text/plain"), ("A.TXT", "text/plain"), (".txt", "text/plain"),
            ("txt", octets), ("", octets), (".", octets), ("a.", octets), ("a.txt ", octets),
            ("a.gz", "application/gzip"), ("a.tar.gz", "application/x-compressed-tar"),
            ("a.TAR.gz", "application/x-compressed-tar"),
            (".tar.gz", "application/x-compressed-tar"), ("tar.gz", "application/gzip"),
            ("a.c", "text/x-csrc"), ("a.C", "text/x-c++src"), ("core", "application/x-core"),
            ("Core", octets), ("core.txt", "text/plain"), ("Makefile", "text/x-makefile"),
            ("Makefile.in", "text/x-makefile"), ("makefile.txt", "text/plain"),
            ("README", "text/x-readme"), ("README.md", "text/markdown"),
            ("a.txt~", "application/x-trash"), ("~", "application/x-trash"),
            ("a,v", "text/plain"), ("ls.1", "text/x-troff"), ("ls.10", octets),
            ("lib.so.1", "application/x-sharedlib"), ("lib.so.1.2", "application/x-sharedlib"),
            ("lib.so", octets), ("so.1", "text/x-troff"), ("12.vdr", "video/mpeg"),
            ("1a.vdr", octets), ("lib.so.1.py", "text/x-python"),
            ("lib.so.1.html", "text/html"), ("ä.txt", "text/plain"), ("a.tät", octets),
        ])
    func best(name: String, type: String) {
        #expect(MediaTypeTable([Self.list]).type(name) == type)
    }

    @Test("names need not be text")
    func bytes() {
        let table = MediaTypeTable([Self.list])
        #expect(table.type([0xFF, 0xC3] + Array(".txt".utf8)) == "text/plain")
        #expect(table.type([0xFF]) == octets)
        #expect(table.type([UInt8](repeating: 0x41, count: 70_000)) == octets)
    }

    @Test("texts are sorted by bytes, and found again")
    func texts() {
        let table = MediaTypeTable([Self.list], fallback: "a/Z z\na/a a")
        #expect(
            table.texts
                == table.texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(table.texts.starts(with: ["a/Z", "a/a", octets]) == false)
        #expect(table.texts.prefix(2) == ["a/Z", "a/a"])
        for (index, text) in table.texts.enumerated() {
            #expect(table.index(ofType: text) == UInt16(index))
        }
        #expect(table.index(ofType: "a/b") == nil)
        #expect(table.texts[Int(table.unknown)] == octets)
        #expect(table.leftOut.total == 0)
    }

    @Test("without files there is the fallback alone; without any, two types")
    func nothing() {
        #expect(MediaTypeTable([]).texts == [octets, "inode/directory"])
        #expect(MediaTypeTable([""]).type("a.txt") == octets)
        let table = MediaTypeTable([], fallback: "text/plain txt\napplication/x gz tar.gz\n")
        #expect(table.type("a.TXT") == "text/plain")
        #expect(table.type("a.tar.gz") == "application/x")
    }

    @Test("names win over ends and these over others; then weight, length and case decide")
    func ranks() {
        #expect(MediaTypeTable(["50:a/long:*.b.c\n51:a/heavy:*.c"]).type("a.b.c") == "a/heavy")
        #expect(MediaTypeTable(["50:a/long:*.b.c\n50:a/short:*.c"]).type("a.b.c") == "a/long")
        #expect(MediaTypeTable(["50:a/any:*.c\n50:a/cased:*.C:cs"]).type("a.C") == "a/cased")
        #expect(MediaTypeTable(["51:a/any:*.c\n50:a/cased:*.C:cs"]).type("a.C") == "a/any")
        #expect(MediaTypeTable(["100:a/odd:[a]b.c\n0:a/end:*.c"]).type("ab.c") == "a/end")
        #expect(MediaTypeTable(["50:a/odd:?b*\n51:a/heavy:a*"]).type("ab.c") == "a/heavy")
        #expect(MediaTypeTable(["50:a/odd:?b*\n50:a/long:[a]*"]).type("ab.c") == "a/long")
        #expect(MediaTypeTable(["100:a/end:*.c\n0:a/name:b.c"]).type("b.c") == "a/name")
        #expect(MediaTypeTable(["50:a/one:b.c\n60:a/two:b.c"]).type("b.c") == "a/two")
    }

    @Test("the copy of a line with a flag does not count, other lines do")
    func copies() {
        #expect(MediaTypeTable(["50:a/b:*.C:cs\n50:a/b:*.C"]).type("a.c") == octets)
        #expect(MediaTypeTable(["50:a/b:*.C\n50:a/b:*.C:cs"]).type("a.c") == octets)
        #expect(MediaTypeTable(["50:a/b:*.C:cs\n51:a/b:*.C"]).type("a.c") == "a/b")
        #expect(MediaTypeTable(["50:a/b:*.C:cs\n50:a/c:*.C"]).type("a.c") == "a/c")
        #expect(MediaTypeTable(["50:a/b:*.C:cs", "50:a/b:*.C"]).type("a.c") == "a/b")
    }

    @Test("of types that nothing decides between, the fallback's is taken, or the first by text")
    func ties() {
        let list = "50:video/x:*.ogg\n50:audio/x:*.ogg\n50:text/x:*.ogg"
        #expect(MediaTypeTable([list]).type("a.ogg") == "audio/x")
        #expect(MediaTypeTable([list], fallback: "text/x ogg").type("a.ogg") == "text/x")
        #expect(MediaTypeTable([list], fallback: "b/b ogg").type("a.ogg") == "audio/x")
        #expect(
            MediaTypeTable([list], fallback: "b/b ogg", aliases: "b/b video/x").type("a.ogg")
                == "video/x")
    }

    @Test("an earlier file wins with the same pattern, whatever the weights")
    func precedence() {
        let own = "50:a/own:*.key\n50:a/own:*.KEY:cs"
        let system = "80:a/system:*.key\n80:a/system:*.x.key\n80:a/other:other"
        let table = MediaTypeTable([own, system], fallback: "a/fallback key new")
        #expect(table.type("a.key") == "a/own")
        #expect(table.type("a.x.key") == "a/system")
        #expect(table.type("other") == "a/other")
        #expect(table.type("a.new") == "a/fallback")
        #expect(MediaTypeTable([system, own]).type("a.key") == "a/system")
    }

    @Test("a type may refuse the globs of later files, not its own")
    func noGlobs() {
        let own = "0:text/x-diff:__NOGLOBS__\n50:text/x-diff:*.diff"
        let system = "50:text/x-diff:*.patch\n50:a/b:*.patch\n50:a/c:*.c"
        let table = MediaTypeTable([own, system], fallback: "text/x-diff rej")
        #expect(table.type("a.diff") == "text/x-diff")
        #expect(table.type("a.patch") == "a/b")
        #expect(table.type("a.rej") == octets)
        #expect(MediaTypeTable([system, own]).type("a.patch") == "a/b")
        #expect(MediaTypeTable([system, own]).type("a.diff") == "text/x-diff")
    }

    @Test("aliases are replaced by what they stand for, one step")
    func aliases() {
        let table = MediaTypeTable(
            ["50:a/old:*.x\n50:a/older:*.y"], fallback: "a/old z",
            aliases: "a/old a/new\na/older a/old\na/old a/second")
        #expect(table.type("a.x") == "a/new")
        #expect(table.type("a.y") == "a/old")
        #expect(table.type("a.z") == "a/new")
    }

    @Test("icons come from the lists, or from the type")
    func icons() {
        let table = MediaTypeTable(
            MediaTypeTable.Files(
                globs: [Array("50:application/x+y:*.x\n50:text/plain:*.txt".utf8)],
                icons: [Array("text/plain:my-text".utf8), Array("text/plain:other\n".utf8)],
                genericIcons: [
                    Array("application/x+y:package-x-generic\ntext/plain:../x\na/b:\n".utf8)
                ]), fallback: "")
        let text = table.index("a.txt")
        let other = table.index("a.x")
        #expect(table.icon(of: text) == "my-text")
        #expect(table.genericIcon(of: text) == "text-x-generic")
        #expect(table.icon(of: other) == "application-x+y")
        #expect(table.genericIcon(of: other) == "package-x-generic")
        #expect(table.icon(of: table.unknown) == "application-octet-stream")
        #expect(table.genericIcon(of: table.unknown) == "application-x-generic")
        #expect(table.leftOut.malformed == 2)
    }
}
