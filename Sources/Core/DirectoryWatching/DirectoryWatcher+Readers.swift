// Scans whose folders threads read.
//
// The loop opens and watches each folder, hands it out, and checks what comes back, in slices. In between, events and
// checks may change the same folder: the names that they touch are noted, and what the threads read about these is not
// used; the disk is asked again. Events that are still in the kernel's queue come later and lead to checks of their
// own.

import EventLoops
import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Starts threads for a scan that takes more than a slice.
    func startReaders() {
        if readers != nil || hasNoReaders || !scans.isForThreads { return }
        readers = access.startReaders(on: loop, limit: limits.foldersElsewhere) { [weak self] in
            self?.take($0)
        }
        hasNoReaders = readers == nil
    }

    /// Ends the threads if no folder is left to read.
    func endReaders() {
        if !scans.isIdle { return }
        hasNoReaders = false
        if readers == nil { return }
        readers?.end()
        readers = nil
        scans.elsewhere.dropRequests()
    }

    private func take(_ answer: FolderAnswer) {
        if let request = scans.elsewhere.take(answer) { readers?.read(request) }
        queueSlice()
    }

    /// Hands out folders, and checks what threads have read.
    /// - Returns: whether a slice's limit was reached.
    func scan(with readers: any FolderReaders) -> Bool {
        let end = loop.now.advanced(by: limits.sliceTime)
        var left = limits.entriesPerSliceElsewhere
        while left > 0, step(with: readers, &left) {
            if loop.now >= end { left = 0 }
        }
        settleChecks()
        return left <= 0
    }

    /// A small piece of a slice.
    /// - Returns: `false` if there is nothing to do before the next answer.
    private func step(with readers: any FolderReaders, _ left: inout Int) -> Bool {
        var piece = min(left, Self.entriesPerClockRead)
        left -= piece
        defer { left += piece }
        if let scan = scans.running {
            // It was begun on the loop, and what it has read is checked first.
            if scan.next < scan.batch.count {
                checkBatch(of: scan, &piece)
            } else if !scan.isRead, scans.elsewhere.hasRoom, let request = scans.handOverRunning() {
                readers.read(request)
            } else {
                step(&piece)
            }
            return true
        }
        let isHandedOut = handOut(to: readers, &piece)
        guard let scan = scans.elsewhere.nextScan() else { return isHandedOut }
        checkBatch(of: scan, &piece)
        if scan.next < scan.batch.count || scan.elsewhere?.hasEnded != false { return true }
        switch scan.elsewhere?.rest {
        case .more:
            if let request = scans.elsewhere.endPart() { readers.read(request) }
        case .unreadable(let code):
            if !scan.isRead {
                (scan.isRead, scan.isWhole) = (true, false)
                handleUnreadable(scan.folder, code)
            }
            if sweep(scan, &piece) { finish(scan) }
        case .end, nil:
            if sweep(scan, &piece) { finish(scan) }
        }
        return true
    }

    /// Entries checked between two reads of the clock.
    static let entriesPerClockRead = 64
    /// Folders opened between two reads of the clock.
    private static let foldersPerClockRead = 8

    /// Opens waiting folders while there is room, and hands them out.
    /// - Returns: whether there was one.
    private func handOut(to readers: any FolderReaders, _ left: inout Int) -> Bool {
        var count = 0
        while left > 0, count < Self.foldersPerClockRead, scans.elsewhere.hasRoom,
            let folder = scans.takeNext()
        {
            count += 1
            left -= 1
            if let scan = open(folder) { readers.read(scans.beginElsewhere(scan)) }
        }
        return count > 0
    }

    /// Whether the tree may know something newer than what a thread has read about a name.
    ///
    /// A file with several names may have been changed through another one since, of which no event tells here.
    func isOutdated(
        _ name: [UInt8], _ finding: FolderBatch.Finding, _ scan: RunningScan
    ) -> Bool {
        if scan.elsewhere == nil { return false }
        if scan.elsewhere?.isTouched(name) == true { return true }
        if case .status(let status) = finding {
            return status.kind == .regular && status.linkCount > 1
        }
        return false
    }
}
