import Foundation

/// What one part may count at the most: a section of the file `thresholds` beside the package.
///
/// A line of the file is a count and its name, as it is printed here: whoever allows more copies it. A count
/// with no line there fails, and so does a line that nothing was counted for.
package final class Thresholds {
    private let most: [String: Double]
    private var pending: Set<String>
    private var areHeld = true

    /// The section of that name. It ends the program if there is none, or if a line of it is no count.
    package init(_ section: String) {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../thresholds").standardized
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            fatalError("\(file.path) can't be read")
        }
        var most: [String: Double] = [:]
        var isInside = false
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                isInside = line == "[\(section)]"
            } else if isInside {
                let words = line.split(separator: " ", maxSplits: 1)
                guard words.count == 2, let count = Double(words[0]) else {
                    fatalError("\(file.path): no count and its name: \(line)")
                }
                most[String(words[1])] = count
            }
        }
        self.most = most
        pending = Set(most.keys)
        print("[\(section)]")
    }

    /// Prints a count with the threshold of that name; `note` says more of it. An average counts to the
    /// third decimal, upwards.
    package func hold(_ count: Double, _ name: String, note: String = "") {
        let count = (count * 1000).rounded(.up) / 1000
        pending.remove(name)
        let verdict: String
        switch most[name] {
        case nil:
            verdict = "FAILED: no threshold"
            areHeld = false
        case let bound? where count > bound:
            verdict = "FAILED: at most \(number(bound))"
            areHeld = false
        case let bound?:
            verdict = count < bound ? "(≤ \(number(bound)))" : ""
        }
        let shown = count == count.rounded() ? "\(Int(count))" : "\(count)"
        print([shown + " " + name, note, verdict].filter { !$0.isEmpty }.joined(separator: "  "))
    }

    /// Whether each count kept its threshold, and each threshold had its count.
    package func areKept() -> Bool {
        for name in pending.sorted() {
            print("FAILED: nothing was counted for: \(name)")
            areHeld = false
        }
        return areHeld
    }
}
