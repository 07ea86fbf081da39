import SystemInterface
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("Where plugins are is watched") struct FolderWatchTests {
    private let folder: TemporaryFolder
    private let loop = FakeLoop()
    private let changes = Changes()

    private final class Changes {
        var count = 0
    }

    init() throws { folder = try TemporaryFolder() }

    /// Watches these places and folders of plugins, below the test's folder.
    private func watch(_ places: [String], _ folders: [String] = []) throws -> PluginFolderWatch {
        try PluginFolderWatch(
            places.map { folder.rawPath($0) }, folders.map { folder.rawPath($0) }, on: loop
        ) { [changes] in changes.count += 1 }
    }

    /// How many changes were told since the last call.
    private var told: Int {
        loop.advance(by: PluginFolderWatch.rest)
        defer { changes.count = 0 }
        return changes.count
    }

    @Test("above a place that is not there, only the name that is missing counts")
    func missing() throws {
        try folder.makeFolder("share")
        let watch = try watch(["share/pickerd/plugins", "share/pickerd/plugins"])
        for number in 0..<200 { try folder.write("share/busy \(number)") }
        try folder.makeFolder("share/pickerd2")
        try folder.write("elsewhere")
        #expect(told == 0)
        // Not looked at before the rest is over.
        try folder.write("share/more")
        loop.turn()
        try folder.makeFolder("share/pickerd")
        loop.turn()
        #expect(changes.count == 0)
        #expect(told == 1)
        withExtendedLifetime(watch) {}
    }

    @Test("two places may wait for different names in one folder, and a third may be that folder")
    func several() throws {
        do {
            let watch = try watch(["a/plugins", "b/plugins"])
            try folder.write("c")
            #expect(told == 0)
            try folder.makeFolder("b")
            #expect(told == 1)
            try folder.makeFolder("a")
            #expect(told == 1)
            withExtendedLifetime(watch) {}
        }
        let watch = try watch(["a", "a/x/plugins"])
        try folder.makeFolder("a/any")
        #expect(told == 1)
        withExtendedLifetime(watch) {}
    }

    @Test(
        "in a place and in the folder of a plugin everything counts, and so does the end of a folder"
    )
    func present() throws {
        try folder.makeFolder("plugins")
        try folder.makeFolder("plugins/image")
        let watch = try watch(["plugins"], ["plugins/image"])
        try folder.write("plugins/image/plugin.json", "{}")
        #expect(told >= 1)
        try folder.makeFolder("plugins/other")
        #expect(told == 1)
        try folder.remove("plugins/image/plugin.json")
        #expect(told == 1)
        withExtendedLifetime(watch) {}
    }
}
