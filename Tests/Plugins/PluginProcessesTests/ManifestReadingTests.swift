import JSONText
import PluginProcesses
import TestSupport
import Testing

@Suite struct ManifestReadingTests {
    private func read(_ text: String) throws -> ProcessManifest {
        try ProcessManifest(reading: Array(text.utf8))
    }

    @Test("every member of a manifest is read")
    func everything() throws {
        let manifest = try read(ExampleManifest.text)
        #expect(manifest.id == "image")
        #expect(manifest.name == "Image facts")
        #expect(manifest.version == "1.2.0")
        #expect(manifest.api == 1...1)
        #expect(manifest.exec == ["./image-facts", "--quiet"])
        #expect(manifest.requiredFiles == ["/bin/sh"])
        #expect(manifest.topics == ["image.unreadable"])
        #expect(manifest.needs.network && manifest.needs.jit)
        #expect(manifest.needs.write == ["roots", "/var/tmp/x"])
        #expect(manifest.needs.read == .home)
        #expect(manifest.limits.memoryMiB == 512)
        #expect(manifest.limits.tasks == 8)
        #expect(manifest.limits.callMs == 500)
        #expect(manifest.limits.parallel == 2)
        #expect(manifest.keep == .always)
        #expect(manifest.config?.json == ["type": "object", "required": ["depth"]])
    }

    @Test("what a plugin contributes is read, in its order")
    func contributions() throws {
        let manifest = try read(ExampleManifest.text)
        let method = try #require(manifest.methods.first)
        #expect(method.name == "image.palette")
        #expect(method.summary == "Its colours.")
        #expect(method.params.fault(in: ["count": 0])?.at == "count")
        #expect(method.result.json == ["type": "array"])
        #expect(
            manifest.attributes.map(\.name) == ["image.width", "image.taken", "image.tracked"])
        #expect(manifest.attributes.map(\.type) == [.integer, .time, .boolean])
        #expect(manifest.attributes.map(\.group) == ["header", "header", "default"])
        #expect(manifest.attributes[0].documents == ["suffix", ["jpg", "png"]])
        #expect(manifest.attributes[2].documents == nil)
        #expect(manifest.sources.map(\.name) == ["albums"])
        #expect(manifest.sources.map(\.title) == ["Albums"])
        let action = try #require(manifest.actions.first)
        #expect(action.id == "wallpaper")
        #expect(action.title == "Set as wallpaper")
        #expect(action.items == ["attr", "image.width", "ge", 1920])
        #expect(!action.takesMany && action.writes)
    }

    @Test("what is not given has its usual value; null and unknown members count as not given")
    func usualValues() throws {
        let nulls =
            #", "methods": null, "limits": {"tasks": null}, "keep": null, "new": {"a": [1]}"#
        for text in [ExampleManifest.least(), ExampleManifest.least(nulls)] {
            let manifest = try read(text)
            #expect(manifest.methods.isEmpty && manifest.topics.isEmpty)
            #expect(manifest.attributes.isEmpty && manifest.sources.isEmpty)
            #expect(manifest.actions.isEmpty && manifest.requiredFiles.isEmpty)
            #expect(manifest.limits == .usual)
            #expect(manifest.needs.read == .roots)
            #expect(!manifest.needs.network && !manifest.needs.jit && manifest.needs.write.isEmpty)
            #expect(manifest.keep == .demand)
            #expect(manifest.config == nil)
        }
        #expect(ProcessManifest.Limits.usual.memoryMiB == 256)
        #expect(ProcessManifest.Limits.usual.tasks == 16)
        #expect(ProcessManifest.Limits.usual.callMs == 2000)
        #expect(ProcessManifest.Limits.usual.parallel == 1)
    }

    @Test("a byte order mark, CR LF, CR and blanks around are read over")
    func lineEnds() throws {
        let plain = try read(ExampleManifest.text)
        for end in ["\r\n", "\r"] {
            let text = ExampleManifest.text.replacing("\n", with: end)
            #expect(try read("\u{FEFF}\(end) \(text)\(end)") == plain)
        }
    }

    @Test("a line is counted once, however it ends")
    func countedLines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ExampleManifest.text.replacing("\n", with: end)
                .replacing("\"always\"", with: "\"sometimes\"")
            let fault = #expect(throws: ManifestFault.self) { try read("\u{FEFF}" + text) }
            #expect(fault?.line == 24)
        }
    }

    @Test("a manifest of other versions of the interface is read, and not compatible")
    func versions() throws {
        let text = ExampleManifest.text.replacing(#""max": 1"#, with: #""max": 3"#)
        let manifest = try read(text)
        #expect(manifest.api == 1...3)
        #expect(manifest.isCompatible(with: 1) && manifest.isCompatible(with: 3))
        #expect(!manifest.isCompatible(with: 4) && !manifest.isCompatible(with: 0))
    }

    @Test("a fault behind the versions of the interface says what they are")
    func versionsOfFaults() {
        let newer = ExampleManifest.text
            .replacing(#""min": 1, "max": 1"#, with: #""min": 2, "max": 5"#)
            .replacing(#""time""#, with: #""duration""#)
        #expect(#expect(throws: ManifestFault.self) { try read(newer) }?.api == 2...5)
        let none = ExampleManifest.text.replacing(#""min": 1"#, with: #""min": 0"#)
        #expect(#expect(throws: ManifestFault.self) { try read(none) }?.api == nil)
    }

    @Test("manifests are equal if they say the same")
    func equality() throws {
        let one = try read(ExampleManifest.text)
        let blanks = ExampleManifest.text.replacing("\n", with: " \n\t")
        #expect(try read(blanks) == one)
        let other = ExampleManifest.text.replacing(#""minimum": 1"#, with: #""minimum": 2"#)
        #expect(try read(other) != one)
    }
}
