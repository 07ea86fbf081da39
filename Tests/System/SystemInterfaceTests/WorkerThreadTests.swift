import Foundation
import TestSupport
import Testing

@testable import SystemInterface

@Suite struct WorkerThreadTests {
    @Test("only processors that a thread may use are counted, and what it starts may use no others")
    func processors() async {
        let counts = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let all = WorkerThread.processorCount
                #expect(useOneProcessor())
                let one = WorkerThread.processorCount
                do {
                    try WorkerThread.start {
                        continuation.resume(returning: [all, one, WorkerThread.processorCount])
                    }
                } catch {
                    Issue.record(error)
                    continuation.resume(returning: [])
                }
            }
        }
        #expect(counts.count == 3 && counts[0] >= 1 && counts.dropFirst() == [1, 1])
    }
}
