// The scans whose folders threads read: what is being read, and what waits to be checked.
//
// A thread reads one part of a folder at a time, and the next one only on request. So all that is under way is
// bounded: the folders, which are open, by a limit of their own; what waits by a limit of entries, beyond which no
// folder is begun, and by two parts for each folder.
//
// A part is as old as its reading. Names that events and checks have touched since the scan began are noted: what the
// part says about them is older than what the tree has.
//
// Invariants: each folder has a part that waits, or is being read; a part is read once; the entries that wait are
// counted; the open folders are no more than the limit. A scan that has ended while its folder is being read counts as
// an open folder until the answer comes, which is dropped.

package import PickerModel
package import SystemInterface

/// A request for the next part of a folder.
package struct FolderRequest: Sendable {
    /// Of the request: the answer has the same.
    package let number: Int
    /// Open, at the position behind the last part.
    package let folder: DescriptorBox
    /// Which of its entries are not to be read.
    package let filter: NameFilter?
}

/// A part of a folder that was read.
package struct FolderAnswer: Sendable {
    package let number: Int
    package let part: FolderPart
    /// The names of the part, if the thread has prepared them.
    let names: PreparedNames?

    package init(number: Int, part: FolderPart, names: PreparedNames? = nil) {
        precondition(names == nil || names?.count == part.batch.count)
        self.number = number
        self.part = part
        self.names = names
    }
}

/// A scan's share of `ScansElsewhere`.
struct ReadingElsewhere {
    fileprivate let descriptor: DescriptorBox
    fileprivate var parts: [FolderAnswer] = []
    fileprivate var isBeingRead = false
    /// What is left of the folder after the last part that was read, and after the one being checked.
    fileprivate var restToRead = FolderPart.Rest.more
    fileprivate(set) var rest = FolderPart.Rest.more
    /// The scan is over, complete or not.
    fileprivate(set) var hasEnded = false
    fileprivate var touched: Set<[UInt8]> = []
    fileprivate var isAllTouched = false

    fileprivate init(_ descriptor: DescriptorBox) {
        self.descriptor = descriptor
    }

    /// Whether the tree knows nothing newer than the parts.
    var hasNothingTouched: Bool { !isAllTouched && touched.isEmpty }

    /// Whether the tree may know something newer about that name than the parts.
    func isTouched(_ name: [UInt8]) -> Bool {
        isAllTouched || !touched.isEmpty && touched.contains(name)
    }
}

/// All scans whose folders threads read.
struct ScansElsewhere {
    let folderLimit: Int
    let entryLimit: Int
    let touchedLimit: Int
    private var scans: [ObjectIdentifier: RunningScan] = [:]
    /// The scans whose folders are being read, by the number of the request.
    private var requests: [Int: RunningScan] = [:]
    private var lastNumber = 0
    private var lastPart = 0
    /// For names that no thread has prepared.
    private var scratch = PreparedNames.Scratch()
    /// Requests of scans that have ended.
    private var endedRequests = 0
    /// Scans with parts, in the order of their turns. The first one may have been checked in part.
    private var ready: [RunningScan] = []
    /// The number of entries that were read and not given up by `endPart`.
    private(set) var entryCount = 0
    /// Descriptors or memory ran out: no folder is begun before all are closed.
    var isShort = false

    /// - Parameters:
    ///   - folderLimit: The most open folders.
    ///   - entryLimit: The number of waiting entries above which no folder is begun.
    ///   - touchedLimit: The most names noted for a folder; beyond this, all its entries count as touched.
    init(folderLimit: Int = 32, entryLimit: Int = 8192, touchedLimit: Int = 4096) {
        precondition(folderLimit > 0 && entryLimit > 0)
        self.folderLimit = folderLimit
        self.entryLimit = entryLimit
        self.touchedLimit = touchedLimit
    }

    var isEmpty: Bool { scans.isEmpty }
    var running: [RunningScan] { Array(scans.values) }
    var openFolders: Int { scans.count + endedRequests }
    /// Whether the next folder waits until those that are open are closed.
    var isWaitingForRoom: Bool { isShort && openFolders > 0 }
    /// Whether something waits to be checked.
    var hasParts: Bool { !ready.isEmpty }
    /// Whether another folder may be begun.
    var hasRoom: Bool {
        entryCount < entryLimit && (isShort ? openFolders == 0 : openFolders < folderLimit)
    }

    /// Adds a scan, and takes its folder from its reader.
    /// - Returns: the request for the first part.
    mutating func add(_ scan: RunningScan) -> FolderRequest {
        guard let reader = scan.reader.take() else { preconditionFailure("read elsewhere already") }
        precondition(hasRoom, "more folders are open than the limit")
        isShort = false
        scan.batch = FolderBatch()
        scan.names = nil
        scan.next = 0
        scan.elsewhere = ReadingElsewhere(DescriptorBox(reader.intoFolder()))
        scans[ObjectIdentifier(scan.folder)] = scan
        return request(scan)
    }

    private mutating func request(_ scan: RunningScan) -> FolderRequest {
        guard let descriptor = scan.elsewhere?.descriptor else {
            preconditionFailure("read on the loop")
        }
        lastNumber += 1
        scan.elsewhere?.isBeingRead = true
        requests[lastNumber] = scan
        return FolderRequest(number: lastNumber, folder: descriptor, filter: scan.filter)
    }

    /// Adds the answer to a request.
    /// - Returns: the request for the next part, unless there is enough of the folder for now, or nothing left of it.
    mutating func take(_ answer: FolderAnswer) -> FolderRequest? {
        guard let scan = requests.removeValue(forKey: answer.number), let share = scan.elsewhere
        else { return nil }
        if share.hasEnded {
            endedRequests -= 1
            scan.elsewhere = nil
            return nil
        }
        let isFirst = share.parts.isEmpty && !ready.contains { $0 === scan }
        scan.elsewhere?.isBeingRead = false
        scan.elsewhere?.restToRead = answer.part.rest
        scan.elsewhere?.parts.append(answer)
        entryCount += answer.part.batch.count
        if isFirst { ready.append(scan) }
        return isFirst && answer.part.rest == .more ? request(scan) : nil
    }

    /// The scan whose turn it is, with entries to check in its batch; or with none, if it ends without any.
    mutating func nextScan() -> RunningScan? {
        guard let scan = ready.first else { return nil }
        if scan.next == scan.batch.count, let answer = scan.elsewhere?.parts.first {
            scan.elsewhere?.parts.removeFirst()
            scan.elsewhere?.rest = answer.part.rest
            scan.batch = answer.part.batch
            scan.names = answer.names ?? PreparedNames(of: scan.batch, &scratch)
            lastPart += 1
            scan.part = lastPart
            scan.next = 0
        }
        return scan
    }

    /// Ends the turn of the first scan, all of whose batch has been checked.
    /// - Returns: the request for another part, if one is to be read now.
    mutating func endPart() -> FolderRequest? {
        guard let scan = ready.first, let share = scan.elsewhere else { return nil }
        precondition(scan.next == scan.batch.count, "entries are left")
        ready.removeFirst()
        entryCount -= scan.batch.count
        scan.batch = FolderBatch()
        scan.names = nil
        scan.next = 0
        if !share.parts.isEmpty { ready.append(scan) }
        return share.isBeingRead || share.restToRead != .more ? nil : request(scan)
    }

    /// Ends the scan of a folder, if it is one of these; drops its parts.
    mutating func end(_ folder: WatchedFolder) {
        if scans.isEmpty { return }
        guard let scan = scans.removeValue(forKey: ObjectIdentifier(folder)),
            let share = scan.elsewhere
        else { return }
        ready.removeAll { $0 === scan }
        entryCount -= scan.batch.count + share.parts.reduce(0) { $0 + $1.part.batch.count }
        scan.batch = FolderBatch()
        scan.names = nil
        scan.next = 0
        scan.elsewhere?.parts = []
        scan.elsewhere?.hasEnded = true
        if share.isBeingRead { endedRequests += 1 }
    }

    /// Drops the requests of ended scans: their answers do not come any more. No other scan may be left.
    mutating func dropRequests() {
        precondition(isEmpty, "a folder is being read")
        requests = [:]
        endedRequests = 0
    }

    /// Notes that the tree learns about a name otherwise than by the scan of its folder.
    func note(_ name: [UInt8], in folder: WatchedFolder) {
        if scans.isEmpty { return }
        guard let scan = scans[ObjectIdentifier(folder)], scan.elsewhere?.isAllTouched == false
        else { return }
        scan.elsewhere?.touched.insert(name)
        if let count = scan.elsewhere?.touched.count, count > touchedLimit {
            scan.elsewhere?.touched = []
            scan.elsewhere?.isAllTouched = true
        }
    }

    /// In debug builds, traps if a folder is neither read nor waits, or if something is counted wrongly.
    func checkInvariants() {
        #if DEBUG
        precondition(openFolders <= folderLimit, "\(openFolders) folders are open")
        let reading = Set(requests.values.map(ObjectIdentifier.init))
        precondition(reading.count == requests.count, "a folder is read twice at once")
        let turns = Set(ready.map(ObjectIdentifier.init))
        precondition(turns.count == ready.count, "a scan has two turns")
        var entries = 0
        for (folder, scan) in scans {
            precondition(folder == ObjectIdentifier(scan.folder), "another folder's scan")
            guard let share = scan.elsewhere else { preconditionFailure("read on the loop") }
            precondition(!share.hasEnded, "the scan of a folder has ended")
            let isBeingRead = reading.contains(ObjectIdentifier(scan))
            precondition(share.isBeingRead == isBeingRead, "a request is not known")
            let hasTurn = turns.contains(ObjectIdentifier(scan))
            precondition(hasTurn || isBeingRead, "a folder is forgotten")
            precondition(share.parts.count <= 2, "too much of a folder waits")
            entries += scan.batch.count + share.parts.reduce(0) { $0 + $1.part.batch.count }
        }
        precondition(entries == entryCount, "\(entries) entries wait, \(entryCount) are counted")
        let ended = requests.values.count { $0.elsewhere?.hasEnded == true }
        precondition(ended == endedRequests, "\(endedRequests) of \(ended) ended scans are read")
        let isEnded = ready.contains { scans[ObjectIdentifier($0.folder)] !== $0 }
        precondition(!isEnded, "an ended scan has a turn")
        #endif
    }
}
