import DirectoryWatching
import EventLoops
import PickerModel
import TestSupport
import Testing

@Suite("Progress of scans")
struct ScanProgressTests {
    private static let folders = 12

    /// A tree of 13 folders and 24 files, which is read in slices of three entries; each file takes 100 ms.
    private func slowTree() throws -> WatchFixture {
        var limits = WatchLimits()
        limits.entriesPerSlice = 3
        limits.entriesInline = 3
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<Self.folders {
            fixture.root.makeFolder("d\(number)")
            fixture.root.write("d\(number)/a", "1")
            fixture.root.write("d\(number)/b", "1")
        }
        fixture.access.scanFault = { [unowned fixture] _ in
            fixture.loop.spend(.milliseconds(100))
            return nil
        }
        return fixture
    }

    /// The reports of progress: at the interval, and at the end.
    private func progress(
        _ reports: [WatchReport]
    ) -> (underWay: [ScanCounts], ended: [ScanCounts]) {
        var underWay: [ScanCounts] = []
        var ended: [ScanCounts] = []
        for report in reports {
            switch report {
            case .progress(let roots): underWay += roots.map(\.counts)
            case .progressEnded(let roots): ended += roots.map(\.counts)
            default: break
            }
        }
        return (underWay, ended)
    }

    private func time(of fixture: WatchFixture, since start: MonotonicInstant) -> Duration {
        .nanoseconds(fixture.loop.now.nanoseconds - start.nanoseconds)
    }

    private func expect(_ reports: [WatchReport], within time: Duration) {
        let (underWay, ended) = progress(reports)
        #expect(underWay.count >= 4 && Duration.milliseconds(250) * underWay.count <= time)
        #expect(underWay.map(\.folders) == underWay.map(\.folders).sorted())
        for counts in underWay {
            #expect(counts.foldersWaiting > 0, "a report between two folders that are read")
            #expect(counts.folders + counts.foldersWaiting <= Self.folders + 1)
        }
        let end = ScanCounts(
            documents: 2 * Self.folders, folders: Self.folders + 1, foldersWaiting: 0)
        #expect(ended == [end])
    }

    @Test("A long first scan is reported four times a second, and once at its end")
    func first() throws {
        let fixture = try slowTree()
        let start = fixture.loop.now
        try fixture.watcher.setRoots([fixture.root.path])
        #expect(fixture.status?.progress == ScanCounts(documents: 0, folders: 0, foldersWaiting: 1))
        fixture.loop.turn()
        expect(fixture.reports, within: time(of: fixture, since: start))
        let finished = WatchReport.scanFinished(root: fixture.root.bytes, documents: 24)
        let end = try #require(fixture.reports.firstIndex(of: finished))
        #expect(progress(Array(fixture.reports[end...])).underWay.isEmpty)
        #expect(fixture.status?.progress == nil && fixture.status?.foldersScanned == 13)
        #expect(fixture.loop.nextTimer == nil, "an idle watcher sets no timer")
        fixture.expectTruth()
    }

    @Test("A scan after lost events counts from the beginning")
    func again() throws {
        let fixture = try slowTree()
        try fixture.start()
        fixture.access.loseQueue = true
        fixture.root.write("d0/a", "12")
        let start = fixture.loop.now
        fixture.loop.turn()
        #expect(fixture.reports.contains(.rescanned(added: 0, removed: 0, changed: 1)))
        expect(fixture.reports, within: time(of: fixture, since: start))
        #expect(fixture.status?.progress == nil && fixture.loop.nextTimer == nil)
    }

    @Test("A root that is given up during its scan leaves nothing; the next scan counts anew")
    func lost() throws {
        let fixture = try slowTree()
        try fixture.watcher.setRoots([fixture.root.path])
        while progress(fixture.reports).underWay.isEmpty { try #require(fixture.loop.runOne()) }
        try fixture.watcher.setRoots([] as [String])
        fixture.loop.turn()
        #expect(fixture.loop.nextTimer == nil && progress(fixture.reports).ended.isEmpty)
        fixture.forget()
        try fixture.watcher.setRoots([fixture.root.path])
        let start = fixture.loop.now
        fixture.loop.turn()
        expect(fixture.reports, within: time(of: fixture, since: start))
    }

    @Test("A short scan is not reported")
    func short() throws {
        let fixture = try slowTree()
        fixture.access.scanFault = nil
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.loop.turn()
        fixture.root.makeFolder("new")
        fixture.root.write("new/file", "1")
        fixture.loop.turn()
        let (underWay, ended) = progress(fixture.reports)
        #expect(underWay.isEmpty && ended.isEmpty)
        fixture.expectTruth()
    }
}
