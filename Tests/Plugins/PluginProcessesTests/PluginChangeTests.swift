import Foundation
import PluginProcesses
import SystemInterface
import TestSupport
import Testing

@Suite struct PluginChangeTests {
    private let folder: TemporaryFolder
    private let plugins: PluginFolder

    init() throws {
        folder = try TemporaryFolder()
        plugins = try PluginFolder(folder)
        try plugins.add("image")
        for name in ["plugin.json", "run"] {
            folder.setModified("plugins/image/\(name)", seconds: 1)
        }
    }

    private func fingerprint() throws -> UInt64 { try #require(plugins.only()).fingerprint }

    @Test("the fingerprint stays while nothing is changed, or only in folders of the plugin")
    func unchanged() throws {
        let before = try fingerprint()
        #expect(try fingerprint() == before)
        try folder.makeFolder("plugins/image/__pycache__")
        try folder.write("plugins/image/__pycache__/x.pyc")
        #expect(try fingerprint() == before)
    }

    @Test("the fingerprint changes when the program is rewritten in place, or renamed over")
    func program() throws {
        var before = try fingerprint()
        func changes(_ change: () throws -> Void) throws -> Bool {
            try change()
            let after = try fingerprint()
            defer { before = after }
            return after != before
        }
        // Of the same length.
        let text = "#!/bin/no\n"
        #expect(try changes { try plugins.write("image/run", text, mode: 0o755) })
        #expect(try changes { folder.setModified("plugins/image/run", seconds: 1) })
        // As long and as old as the other: only the inode differs.
        try plugins.write("new", text, mode: 0o755)
        folder.setModified("plugins/new", seconds: 1)
        #expect(
            try changes {
                try OwnedDescriptor.openFolder(folder.rawPath("plugins"))
                    .renameFile(Array("new".utf8), to: Array("image/run".utf8))
            })
        #expect(try changes { folder.setModified("plugins/image/run", seconds: 1, nanoseconds: 1) })
        #expect(try changes { plugins.setMode("image/run", 0o700) })
    }

    @Test(
        "the fingerprint changes with each regular file in the folder, and with a program elsewhere"
    )
    func files() throws {
        var seen: Set<UInt64> = [try fingerprint()]
        func isNew() throws -> Bool { seen.insert(try fingerprint()).inserted }
        try plugins.write("image/main.py", "1")
        #expect(try isNew())
        try folder.move("plugins/image/main.py", to: "plugins/image/mine.py")
        #expect(try isNew())
        try folder.write("elsewhere", "#!/bin/sh\n")
        try folder.makeLink("plugins/image/linked.py", to: folder.path("elsewhere"))
        #expect(try isNew())
        folder.setModified("elsewhere", seconds: 5)
        #expect(try isNew())
        try folder.remove("plugins/image/linked.py")
        #expect(try !isNew())
        // Outside, by its absolute path.
        let manifest = PluginFolder.manifest("image", exec: folder.path("elsewhere"))
        try plugins.write("image/plugin.json", manifest)
        #expect(try isNew())
        folder.setModified("elsewhere", seconds: 6)
        #expect(try isNew())
    }

    @Test("a faulty manifest has a fingerprint, too, that changes when it is mended")
    func faulty() throws {
        try plugins.write("image/plugin.json", "{")
        let faulty = try fingerprint()
        try plugins.write("image/plugin.json", PluginFolder.manifest("image"))
        #expect(try fingerprint() != faulty)
    }

    @Test("plugins that come and go while they are looked at are usable, missing or not listed")
    func removedMeanwhile() throws {
        let place = folder.path("plugins")
        let aside = folder.path("aside")
        let isDone = DoneFlag()
        let mover = Thread {
            while !isDone.isSet {
                try? FileManager.default.moveItem(atPath: "\(place)/image", toPath: aside)
                try? FileManager.default.moveItem(
                    atPath: "\(aside)/plugin.json", toPath: "\(aside)/moved")
                try? FileManager.default.moveItem(atPath: aside, toPath: "\(place)/image")
                try? FileManager.default.moveItem(
                    atPath: "\(place)/image/moved", toPath: "\(place)/image/plugin.json")
            }
            isDone.end()
        }
        mover.start()
        for _ in 0..<testRounds(500) {
            let listing = plugins.scan()
            #expect(listing.faults == [])
            #expect(listing.plugins.count <= 1)
            for plugin in listing.plugins where plugin.manifest == nil {
                let isGone =
                    plugin.reason.contains("No such file")
                    || plugin.reason.hasSuffix("is missing")
                    || plugin.reason == "it has no plugin.json"
                #expect(isGone, "\(plugin.reason)")
            }
        }
        isDone.set()
        #expect(waitUntil { isDone.hasEnded })
    }
}
