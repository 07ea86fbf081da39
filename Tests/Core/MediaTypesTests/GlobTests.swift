import MediaTypes
import Testing

@Suite struct GlobTests {
    private func matches(_ pattern: String, _ name: String, flags: String = "") -> Bool {
        MediaTypeTable(["50:a/b:\(pattern):\(flags)"]).type(name) == "a/b"
    }

    @Test(
        "patterns match as fnmatch(3) says",
        arguments: [
            ("*", "", false), ("*", "a", true), ("a*", "a", true), ("a*", "ba", false),
            ("*a*", "bab", true), ("*a*", "bb", false), ("**a", "ba", true), ("a*b*c", "abc", true),
            ("a*b*c", "axbxbxc", true), ("a*b*c", "acb", false), ("*ab*ab", "abab", true),
            ("*ab*ab", "ab", false), ("?", "a", true), ("?", "", false), ("?", "ab", false),
            ("?", "€", true), ("??", "€", false), ("*??", "€", false), ("*??", "a€", true),
            ("[!a]", "€", true), ("[!a]", "a", false), ("[^a]", "b", true), ("[^a]", "A", false),
            ("[a-c]", "b", true), ("[a-c]", "C", true), ("[a-c]", "d", false),
            ("[c-a]", "b", false),
            ("[]]", "]", true), ("[!]]", "]", false), ("[!]]", "a", true), ("[a-]", "-", true),
            ("[a-]", "b", false), ("[-a]", "-", true), ("[a", "[a", true), ("[a", "a", false),
            ("[", "[", true), ("*[", "a[", true), (#"\*"#, "*", true), (#"\*"#, "a", false),
            (#"*\?"#, "a?", true), (#"*\?"#, "ab", false), (#"[\]]"#, "]", true),
            (#"[\a-\c]"#, "b", true), (#"\[a]"#, "[A]", true), ("*.[0-9]*", "a.1b", true),
            ("*.é", "a.é", true), ("*.é", "a.É", false), ("a.b*", "A.Bc", true),
            (" a ", " a ", true),
            ("*.a b", "x.A B", true), (" a ", "a", false), ("x*y", "x/y", true), (".*", ".a", true),
            ("[[]a*", "[ab", true), ("*.so.[0-9]*", "so.so.x.so.7", true),
            ("*.so.[0-9]*", "a.so.", false), ("*.so.[0-9]*", ".SO.0", true),
        ])
    func patterns(pattern: String, name: String, isMatch: Bool) {
        #expect(matches(pattern, name) == isMatch)
    }

    @Test(
        "with the flag, case counts",
        arguments: [
            ("*.Ab", "a.Ab", true), ("*.Ab", "a.ab", false), ("Ab", "Ab", true),
            ("Ab", "AB", false),
            ("[a-c]*", "b", true), ("[a-c]*", "B", false), ("A?", "Ab", true), ("A?", "ab", false),
            ("*.So.*", "a.So.b", true), ("*.So.*", "a.SO.b", false),
        ])
    func cases(pattern: String, name: String, isMatch: Bool) {
        #expect(matches(pattern, name, flags: "x,cs:further:fields") == isMatch)
        #expect(matches(pattern, name, flags: "xcs,c s,CS"))
    }

    @Test(
        "what is no pattern, or is left out, is counted",
        arguments: ["", #"a\"#, "[é]", "[!é]", "[[=a=]]", "[[.a.]]"])
    func refused(pattern: String) {
        let table = MediaTypeTable(["50:a/b:\(pattern)"])
        #expect(table.leftOut.malformed == 1)
        #expect(table.texts == [octets, "inode/directory"])
    }
}
