// The progress of scans: reported at an interval, however many folders are read, and once more at the end.
//
// A scan that is over before its first report is not reported. That is nearly every scan: a small tree, a new folder,
// a poll.

import EventLoops
import PickerModel

extension WatchedRoot {
    /// Whether folders of it are being read.
    fileprivate var isBeingRead: Bool { isScanning || progress.foldersWaiting > 0 }
}

extension DirectoryWatcher {
    /// How far the scan of a root has come. The count of folders begins anew with each scan.
    func counts(of root: WatchedRoot) -> ScanCounts {
        let progress = root.progress
        return ScanCounts(
            documents: documentCount(of: root),
            folders: root.isScanning ? progress.foldersScanned : progress.foldersOfScan,
            foldersWaiting: progress.foldersWaiting)
    }

    /// Sets the timer for the next report, unless it is set. If the loop refuses a timer, no progress is reported.
    func armProgressTimer() {
        if let timer = timers[.progress] {
            if !timer.isSet { timer.reschedule(after: limits.progressInterval) }
            return
        }
        timers[.progress] = try? loop.schedule(after: limits.progressInterval) { [weak self] in
            self?.performWhenFree { $0.reportProgress() }
        }
    }

    private func reportProgress() {
        let reading = rootList.filter(\.isBeingRead)
        if reading.isEmpty { return }
        for root in reading { root.isProgressReported = true }
        report(.progress(reading.map { RootProgress(root: $0.path, counts: counts(of: $0)) }))
        armProgressTimer()
    }

    /// Reports the ends of scans whose progress was reported. Called after each piece of work.
    /// - Complexity: O(roots).
    func endProgress() {
        guard let timer = timers[.progress] else { return }
        let ended = rootList.filter { $0.isProgressReported && !$0.isBeingRead }
        if !ended.isEmpty {
            for root in ended { root.isProgressReported = false }
            report(
                .progressEnded(
                    ended.map { RootProgress(root: $0.path, counts: counts(of: $0)) }))
        }
        if timer.isSet, scans.isIdle, !rootList.contains(where: \.isBeingRead) {
            timer.unschedule()
        }
    }
}
