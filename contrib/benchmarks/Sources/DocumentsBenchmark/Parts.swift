import CAllocations
import CPlainSearch
import Glibc
import Measuring
import PickerModel

let million = 1_000_000

/// The names and times of a million documents, in bytes as a scan has them.
@MainActor let sample: (names: [[UInt8]], facts: [DocumentFacts]) = {
    var names = Names()
    var texts: [[UInt8]] = []
    var facts: [DocumentFacts] = []
    for number in 0..<million {
        texts.append(Array(names.name(number).utf8))
        let time = names.time()
        facts.append(
            DocumentFacts(
                size: UInt64(100 + number % 9000),
                modified: FileTime(seconds: time.seconds, nanoseconds: time.nanoseconds), device: 1,
                inode: UInt64(number)))
    }
    return (texts, facts)
}()

/// A table with the first of the sample's documents, a hundred to a folder.
@MainActor func makeTable(_ count: Int, reserving: Bool = true) throws -> DocumentTable {
    let table = DocumentTable()
    if reserving {
        let bytes = sample.names.prefix(count).reduce(0) { $0 + $1.count }
        try table.reserve(rows: count, nameBytes: bytes)
    }
    let root = try table.folders.add(Array("/home/user".utf8).span, in: nil)
    var folder = root
    for number in 0..<count {
        if number % 100 == 0 {
            folder = try table.folders.add(Array("folder \(number / 100)".utf8).span, in: root)
        }
        let name = sample.names[number]
        try table.put(
            KeyNumber(minted: UInt64(number)), in: folder, named: name.span,
            facts: sample.facts[number])
    }
    return table
}

/// The resident memory, in bytes.
private func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    // The line has room, and is ended by a zero.
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let words = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        .split(separator: UInt8(ascii: " "))
    let pages = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
    return pages * Int(getpagesize())
}

@MainActor func measureTable() throws {
    let bytes = sample.names.reduce(0) { $0 + $1.count }
    report("names: bytes each", Double(bytes) / Double(million), unit: "B")
    let before = residentBytes()
    var table = try makeTable(million)
    let resident = Double(residentBytes() - before) / Double(million)
    report("resident memory of a document, room reserved", resident, unit: "B")
    report(
        "bytes in use of a document, room reserved", Double(table.bytesInUse) / Double(million),
        unit: "B", bound: 110)
    table = DocumentTable()
    table = try makeTable(million, reserving: false)
    report(
        "bytes in use of a document, room made as needed",
        Double(table.bytesInUse) / Double(million), unit: "B")
    table = DocumentTable()

    var inserts: [Double] = []
    var grown: [Double] = []
    for _ in 0..<5 {
        inserts.append(try seconds { table = try makeTable(million) } * 1e9 / Double(million))
        grown.append(
            try seconds { table = try makeTable(million, reserving: false) } * 1e9
                / Double(million))
    }
    report("insert, with folding, room reserved", inserts, unit: "ns")
    report("insert, with folding, room made as needed", grown, unit: "ns")
    let folds = (0..<5).map { _ in
        var total = 0
        let time = seconds {
            for name in sample.names {
                total += FoldedName(String(decoding: name, as: UTF8.self)).searchBytes.count
            }
        }
        precondition(total > 0)
        return time * 1e9 / Double(million)
    }
    report("folding alone, as objects do it", folds, unit: "ns")
    try measureChanges(of: table)
}

@MainActor private func measureChanges(of table: DocumentTable) throws {
    var changes: [Double] = []
    var lookups: [Double] = []
    for round in 0..<5 {
        let count = 100_000
        changes.append(
            try seconds {
                for index in 0..<count {
                    let key = KeyNumber(minted: UInt64(index * 7 % million))
                    guard let row = table.row(of: key) else { continue }
                    var facts = table.facts(of: row)
                    facts.size += UInt64(round)
                    _ = try table.change(row, facts: facts)
                }
                table.releaseFreedRows()
            } * 1e9 / Double(count))
        var found = 0
        lookups.append(
            seconds {
                for index in 0..<count {
                    let key = KeyNumber(minted: UInt64(index * 7919 % million))
                    if table.row(of: key) != nil { found += 1 }
                }
            } * 1e9 / Double(count))
        precondition(found == count)
    }
    report("change of size, with release", changes, unit: "ns")
    report("lookup by key", lookups, unit: "ns")
    var longest = 0.0
    for row in table.current where row % 2 == 0 { table.remove(DocumentRow(UInt32(row))) }
    table.releaseFreedRows()
    var isComplete = false
    while !isComplete {
        longest = max(longest, seconds { isComplete = table.compact(budget: 200_000) })
    }
    report("compaction, after half was removed: longest step", longest * 1e3, unit: "ms", bound: 2)
    report("bytes in use then", Double(table.bytesInUse) / Double(table.count), unit: "B")
}

/// The folded names in one piece, a line each: what a plain search reads.
@MainActor private func folded() -> [UInt8] {
    var text: [UInt8] = []
    for name in sample.names {
        text.append(contentsOf: FoldedName(String(decoding: name, as: UTF8.self)).searchBytes)
        text.append(10)
    }
    return text
}

/// The lines that contain the needle, by the C library.
private func plainCount(_ needle: String, in text: [UInt8]) -> Int {
    let bytes = Array(needle.utf8)
    // The sizes are those of the arrays.
    return unsafe Int(plain_search(text, text.count, bytes, bytes.count))
}

@MainActor func measureSearch() throws -> Bool {
    let table = try makeTable(million)
    let text = folded()
    var good = true
    for needle in ["q", "tax", "budget", "presentation", "nothing like it"] {
        guard let search = try NameSearch.parse(needle) else { continue }
        let plain = plainCount(needle, in: text)
        let plainTimes = (0..<9).map { _ in seconds { _ = plainCount(needle, in: text) } * 1e3 }
        report("'\(needle)': C library, \(plain) lines", plainTimes, unit: "ms")
        for instructions in SearchInstructions.available {
            var result = RowBitset(bound: table.rowEnd)
            let times = (0..<9).map { _ in
                seconds {
                    table.search(
                        search, blocks: 0..<table.blockCount, result: &result,
                        instructions: instructions)
                } * 1e3
            }
            report(
                "'\(needle)': \(instructions)", times, unit: "ms",
                bound: instructions == .best ? 6 : nil)
            let missing = Double(abs(plain - result.count))
            good = check("'\(needle)': rows missing or too many", missing, atMost: 0) && good
        }
    }
    var wider = RowBitset()
    var result = RowBitset(bound: table.rowEnd)
    guard let base = try NameSearch.parse("budge"), let search = try NameSearch.parse("budget")
    else { return false }
    table.search(base, blocks: 0..<table.blockCount, result: &wider)
    let times = (0..<9).map { _ in
        seconds {
            table.search(search, blocks: 0..<table.blockCount, in: wider, result: &result)
        } * 1e3
    }
    report("'budget' among the \(wider.count) with 'budge'", times, unit: "ms", bound: 1)
    return good
}

@MainActor func measureOrders() throws {
    let table = try makeTable(million)
    for (keys, bound) in [
        (["modified"], 32.0), (["name"], 270), (["-size", "name"], 300), (["path"], 300),
        (["-path"], 300),
    ] {
        let order = try SortOrder(keys: keys)
        var times: [Double] = []
        for _ in 0..<5 {
            times.append(
                seconds {
                    let ordering = RowOrdering(table.current, of: table, by: order)
                    _ = ordering.advance(budget: .max)
                } * 1e3)
        }
        report("sort by \(keys.joined(separator: ", "))", times, unit: "ms", bound: bound)
        var longest = 0.0
        var slices = 0
        let ordering = RowOrdering(table.current, of: table, by: order)
        var isDone = false
        while !isDone {
            longest = max(longest, seconds { isDone = ordering.advance(budget: 20_000) })
            slices += 1
        }
        report("  the longest of \(slices) slices of 20,000 steps", longest * 1e3, unit: "ms")
        let first = (0..<5).map { _ in
            seconds { _ = table.firstRows(100, by: order) } * 1e3
        }
        report("  the first 100", first, unit: "ms")
    }
}

@MainActor func checkCounts() throws -> Bool {
    let thresholds = Thresholds("documents")
    let count = 20_000
    let table = try makeTable(count)
    thresholds.hold(
        Double(table.bytesInUse) / Double(count), "bytes: a document among \(count)")
    for number in 0..<1000 {
        if let row = table.row(of: KeyNumber(minted: UInt64(number))) { table.remove(row) }
    }
    table.releaseFreedRows()
    let folder = try table.folders.add(Array("other".utf8).span, in: nil)
    var before = allocation_count()
    for number in 0..<1000 where sample.names[number].allSatisfy({ $0 < 0x80 }) {
        let name = sample.names[number]
        try table.put(
            KeyNumber(minted: UInt64(number)), in: folder, named: name.span,
            facts: sample.facts[number])
    }
    thresholds.hold(
        Double(allocation_count() - before), "allocations: 1000 insertions of names in ASCII")
    guard let search = try NameSearch.parse("budget") else { return false }
    var result = RowBitset(bound: table.rowEnd)
    before = allocation_count()
    let steps = table.search(search, blocks: 0..<table.blockCount, result: &result)
    thresholds.hold(Double(allocation_count() - before), "allocations: a search")
    thresholds.hold(Double(steps) / Double(count), "steps: a search, for each document")
    return thresholds.areKept()
}
