// Random histories of marked files over several runs of a daemon, compared with a plain model.

import Observables
import PickerModel
import Testing

/// The files of a folder, with the expected marks of each.
private struct Account {
    struct File {
        var key: String
        var inode: UInt64
        var size: UInt64
        var seconds: Int64
        var marks: Marks = []
    }

    var files: [String: File] = [:]
    /// Marks that wait at the paths of their files.
    var gone: [String: Marks] = [:]
    var freeInodes: [UInt64] = []
    private var lastNumber: Int64 = 0

    mutating func number() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Unique content; possibly with an inode that another file had.
    mutating func makeFile(
        at path: String, key: String, _ random: inout SeededNumbers
    ) -> File {
        let number = number()
        let used = freeInodes.indices.randomElement(using: &random)
        let inode =
            used != nil && Bool.random(using: &random)
            ? freeInodes.remove(at: used ?? 0) : UInt64(1_000_000 + number)
        // The mark that waits at the path is this file's.
        return File(
            key: key, inode: inode, size: UInt64(number % 3), seconds: number,
            marks: gone.removeValue(forKey: path) ?? [])
    }

    func document(_ path: String) -> Document? {
        files[path].map { file in
            Document(
                key: file.key, root: "/r", path: FileName(path), size: file.size,
                modified: FileTime(seconds: file.seconds), inode: file.inode)
        }
    }
}

@Suite struct RandomMarksTests {
    private static let paths = (0..<12).map { "p\($0)" }

    @Test("Whatever happens to files, with and without a daemon, their marks are as expected")
    func lives() {
        let seed = SeededNumbers.seed()
        var random = SeededNumbers(seed: seed)
        for life in 0..<40 {
            var account = Account()
            var marked = MarkedStore()
            marked.documents.marks.settle()
            var keys = 0
            for step in 0..<120 {
                let place: Comment = "seed \(seed), life \(life), step \(step)"
                if Int.random(in: 0..<12, using: &random) == 0 {
                    offline(&account, &random)
                    marked = restart(&account, marked.stored, &keys, &random)
                } else {
                    online(&account, &marked, &keys, &random)
                    marked.flush()
                }
                compare(account, marked, place)
                if Bool.random(using: &random) { marked.documents.releaseFreedRows() }
            }
        }
    }

    private func compare(_ account: Account, _ marked: MarkedStore, _ place: Comment) {
        for (path, file) in account.files {
            let document = marked.documents[key: file.key]
            #expect(document?.path.text == path, place)
            #expect(
                marked.documents.marks.marks(of: file.key) == file.marks,
                "\(place): \(path) \(file)")
            #expect(document?.isLiked == file.marks.contains(.liked), place)
        }
        let listed = account.files.filter { !$0.value.marks.contains(.dropped) }.keys.sorted()
        #expect(marked.listed == listed, place)
        for range in DocumentRange.allCases {
            let rows = marked.documents.documents(in: range).value
            #expect(marked.documents.bits(in: range).sorted() == rows.map(\.index).sorted(), place)
        }
        let wanted = account.files.values.map(\.marks) + account.gone.values
        #expect(
            marked.stored.values.map(\.marks.rawValue).sorted()
                == wanted.map(\.rawValue).filter { $0 != 0 }.sorted(), place)
    }

    // MARK: With a daemon

    private func online(
        _ account: inout Account, _ marked: inout MarkedStore, _ keys: inout Int,
        _ random: inout SeededNumbers
    ) {
        guard let path = Self.paths.randomElement(using: &random) else { return }
        guard let file = account.files[path], let old = account.document(path) else {
            keys += 1
            account.files[path] = account.makeFile(at: path, key: "k\(keys)", &random)
            marked.documents.apply(inserted: [account.document(path)].compactMap(\.self))
            return
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            account.files[path] = nil
            account.freeInodes.append(file.inode)
            if !file.marks.isEmpty { account.gone[path] = file.marks }
            marked.documents.apply(removed: [old])
        case 1:
            // Saved: in place, or by a rename of another file over it.
            let number = account.number()
            account.files[path]?.seconds = number
            if Bool.random(using: &random) {
                account.freeInodes.append(file.inode)
                account.files[path]?.inode = UInt64(2_000_000 + number)
            }
            marked.documents.apply(
                removed: [old], inserted: [account.document(path)].compactMap(\.self))
        case 2, 3:
            guard
                let target = Self.paths.filter({ account.files[$0] == nil })
                    .randomElement(using: &random)
            else { return }
            account.files[path] = nil
            account.files[target] = file
            let waiting = account.gone.removeValue(forKey: target)
            // A file without a mark takes that of its path; one with a mark ends it.
            if let waiting, file.marks.isEmpty { account.files[target]?.marks = waiting }
            marked.documents.apply(
                removed: [old], inserted: [account.document(target)].compactMap(\.self))
        case 4: mark(path, .like(nil), .liked, &account, &marked)
        case 5: mark(path, .like(true), .liked, &account, &marked)
        case 6:
            account.files[path]?.marks.insert(.dropped)
            marked.wish(.drop, file.key)
        default:
            account.files[path]?.marks.remove(.dropped)
            marked.wish(.restore, file.key)
        }
    }

    private func mark(
        _ path: String, _ wish: MarkWish, _ mark: Marks, _ account: inout Account,
        _ marked: inout MarkedStore
    ) {
        guard let file = account.files[path] else { return }
        if wish == .like(nil), file.marks.contains(.liked) {
            account.files[path]?.marks.remove(.liked)
        } else {
            account.files[path]?.marks.insert(.liked)
        }
        marked.wish(wish, file.key)
    }

    // MARK: Without

    /// Up to three files are renamed, saved, removed, or renamed and replaced.
    private func offline(_ account: inout Account, _ random: inout SeededNumbers) {
        let chosen = account.files.keys.sorted().shuffled(using: &random).prefix(3)
        for path in chosen {
            guard let file = account.files[path] else { continue }
            let free = Self.paths.filter { account.files[$0] == nil && account.gone[$0] == nil }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                // A new path that no mark waits for, and perhaps another file at the old one.
                guard let target = free.randomElement(using: &random) else { continue }
                account.files[path] = nil
                account.files[target] = file
                if Bool.random(using: &random) {
                    account.files[path] = account.makeFile(at: path, key: "", &random)
                }
            case 1:
                let number = account.number()
                account.files[path]?.seconds = number
                if Bool.random(using: &random) {
                    account.files[path]?.inode = UInt64(3_000_000 + number)
                }
            case 2:
                account.files[path] = nil
                if !file.marks.isEmpty { account.gone[path] = file.marks }
            default: break
            }
        }
    }

    private func restart(
        _ account: inout Account, _ stored: [Int64: StoredMark], _ keys: inout Int,
        _ random: inout SeededNumbers
    ) -> MarkedStore {
        var next = MarkedStore(stored)
        for path in account.files.keys.sorted().shuffled(using: &random) {
            keys += 1
            account.files[path]?.key = "k\(keys)"
            next.documents.apply(inserted: [account.document(path)].compactMap(\.self))
            next.flush()
        }
        next.documents.marks.settle()
        next.flush()
        return next
    }
}
