import FileRules
import Testing

@Suite struct PatternFaultTests {
    @Test(
        "what is wrong with a pattern of a setting",
        arguments: [
            ("", "is empty"), ("  ", "is empty"), ("!", "has nothing after '!'"),
            ("# a", "is a comment"),
            ("/", "has only slashes"), ("!//", "has only slashes"), ("a\nb", "has a line break"),
            ("a\r", "has a line break"), ("a\0", "has a NUL"), ("a\\", "ends with a backslash"),
            (#"a\/"#, "ends with a backslash"), ("[a", "'[' has no ']'"), ("[]", "'[' has no ']'"),
            (#"[a\]"#, "'[' has no ']'"), ("[[:foo:]]", "no class '[:foo:]'"),
            ("a[/]b", "no name has the bytes in its brackets"), ("a//b", "two slashes in a row"),
            ("./a", "no name is '.' or '..'"), ("a/../b", "no name is '.' or '..'"),
            ("**//a", "two slashes in a row"),
        ])
    func faults(_ pattern: String, _ part: String) throws {
        let fault = try #require(IgnorePatterns.fault(in: pattern))
        #expect(fault.contains(part), "\(fault)")
        // What is refused here matches nothing, or a line break cuts it.
        if !part.contains("NUL"), !part.contains("line break") {
            #expect(IgnorePatterns([pattern]).isEmpty)
        }
    }

    @Test(
        "patterns without a fault",
        arguments: [
            "a", "*.log", "!a", "/a/", "a/**/b", "**", "\\#a", #"\!a"#, "[!a-z]", "[[:digit:]]",
            "a ",
            #"a\ "#, "[]]", "...", ".a", "a/.b", "é", "[a/]", "[z-a]",
        ])
    func faultless(_ pattern: String) {
        #expect(IgnorePatterns.fault(in: pattern) == nil)
        #expect(!IgnorePatterns([pattern]).isEmpty)
    }

    @Test("the greatest length of a pattern")
    func length() throws {
        let longest = String(repeating: "a", count: IgnorePatterns.maxPatternLength)
        #expect(IgnorePatterns.fault(in: longest) == nil)
        let fault = try #require(IgnorePatterns.fault(in: longest + "a"))
        #expect(fault == "has 4097 bytes, and 4096 is the most")
    }
}
