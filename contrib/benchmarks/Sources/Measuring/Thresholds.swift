import Foundation

/// The maximum counts of one part: a section of the file `thresholds` beside the package.
///
/// A line of the file is a count and its name, as printed here; to allow more, copy the printed line. A count
/// without a line fails, and so does a line without a count.
package final class Thresholds {
    private let most: [String: Double]
    private var pending: Set<String>
    private var areHeld = true

    /// The section with this name. It exits the program if there is none, or if a line is invalid.
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

    /// Prints a count with the threshold of that name and an explanatory `note`. An average is rounded up to the
    /// third decimal.
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
