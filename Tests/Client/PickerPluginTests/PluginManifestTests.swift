import JSONText
import PickerPlugin
import SystemInterface
import TestSupport
import Testing

@Suite struct PluginManifestTests {
    private func problem(_ text: String) -> String? {
        do {
            _ = try PluginManifest(reading: Array(text.utf8))
            return nil
        } catch {
            return error.text
        }
    }

    @Test("the least manifest is read, and one of the tests")
    func read() {
        #expect(problem(#"{"id":"x","version":"1","api":{"min":1,"max":1}}"#) == nil)
        #expect(problem(sampleManifest) == nil)
    }

    @Test(
        "a faulty manifest is refused with what is wrong",
        arguments: [
            ("", "it is not JSON"), ("[]", "it is not an object"), ("{}", #""id" must be a text"#),
            (#"{"id":"x","version":""}"#, #""version" must be a text"#),
            (#"{"id":"x","version":"1","api":1}"#, #""api" must be an object"#),
            (with(#""methods":1"#), #""methods" must be an array of objects"#),
            (with(#""methods":[{"name":"y.z"}]"#), "y.z is not the plugin's own"),
            (with(#""topics":[1]"#), #""topics" must be an array of texts"#),
            (with(#""attributes":[{"name":"a.b","type":"date"}]"#), #"has the type "date""#),
            (
                with(
                    #""attributes":[{"name":"a.b","type":"text"},{"name":"a.b","type":"text"}]"#),
                "a.b is there twice"
            ),
            (
                with(
                    "\"attributes\":["
                        + (0..<65).map { #"{"name":"a.b\#($0)","type":"text"}"# }
                        .joined(separator: ",") + "]"), "it has 65 attributes"
            ),
            (with("\"x\":\"" + String(repeating: "y", count: 66_000) + "\""), "longer than 65536"),
        ])
    func faults(_ text: String, _ part: String) {
        #expect(problem(text)?.contains(part) == true, "\(problem(text) ?? "no fault")")
    }

    private static func with(_ member: String) -> String {
        #"{"id":"x","version":"1","api":{"min":1,"max":1},\#(member)}"#
    }

    @Test("what the program has must be in the manifest")
    func lacking() throws {
        let manifest = try PluginManifest(reading: Array(Self.with(#""topics":[]"#).utf8))
        for parts in [
            PluginParts(groups: [Group("header") { _ in .none }]),
            PluginParts(methods: [Method("x.y") { $0.parameters }]),
            PluginParts(actions: [Action("go") { _, _ in }]),
            PluginParts(sources: [Source("all") { [] }]),
        ] {
            #expect(throws: PluginError.self) { try parts.check(against: manifest) }
        }
        try PluginParts().check(against: manifest)
    }

    @Test("a file that is missing, or no file, is told with its path")
    func noFile() throws {
        let folder = try TemporaryFolder()
        for path in [folder.rawPath("plugin.json"), folder.rawPath] {
            do {
                _ = try PluginManifest(at: path)
                Issue.record("it was read")
            } catch {
                #expect(error.code == .manifest)
                #expect(error.message.hasPrefix("\(path): "))
            }
        }
    }
}
