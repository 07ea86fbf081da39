/// Names as people and programs give them, the same in each run.
struct Names {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static let words = [
        "report", "budget", "invoice", "presentation", "meeting", "notes", "draft", "contract",
        "proposal", "summary", "analysis", "project", "schedule", "letter", "photo", "receipt",
        "tax", "statement", "insurance", "medical", "travel", "recipe", "thesis", "chapter",
        "research", "survey", "poster", "design", "holiday", "garden", "kitchen", "manual",
        "Quarterly", "Annual", "Internal", "Marketing", "documentation", "requirements",
        "architecture", "questionnaire", "correspondence", "agenda", "minutes", "roadmap",
        "backlog", "inventory", "catalogue", "brochure", "timetable", "register", "ledger",
        "journal", "diary", "essay", "lecture", "seminar", "workshop", "exercise", "solution",
        "example", "template", "certificate", "licence", "passport", "ticket", "booking",
        "voucher", "estimate", "payment", "refund", "salary", "pension", "mortgage", "lease",
        "warranty", "complaint", "reply", "reminder", "notice", "permit", "drawing", "sketch",
        "blueprint", "portrait", "landscape", "panorama", "wedding", "birthday", "concert",
        "festival", "museum", "library", "hospital", "school", "Überblick", "Résumé", "Straße",
        "東京",
    ]
    private static let suffixes = ["pdf", "docx", "xlsx", "txt", "md", "jpg", "png", "json"]

    private mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % bound
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// The name with this number.
    mutating func name(_ number: Int) -> String {
        let date = [
            String(2005 + below(20)), Self.digits(1 + below(12), 2), Self.digits(1 + below(28), 2),
        ]
        let kind = below(10)
        if kind == 0 { return "IMG_\(date.joined())_\(Self.digits(number % 1_000_000, 6)).jpg" }
        if kind == 1 {
            let time = (0..<3).map { _ in Self.digits(below(60), 2) }.joined(separator: "-")
            return "Screenshot from \(date.joined(separator: "-")) \(time).png"
        }
        var parts = (0..<2 + kind % 2).map { _ in Self.words[below(Self.words.count)] }
        if kind < 7 { parts.append(date.joined(separator: "-")) }
        let suffix = Self.suffixes[below(Self.suffixes.count)]
        return parts.joined(separator: kind < 5 ? " " : "_") + " (\(number % 100_000)).\(suffix)"
    }

    /// A time in nanoseconds.
    mutating func time() -> (seconds: Int64, nanoseconds: UInt32) {
        (1_200_000_000 + Int64(below(500_000_000)), UInt32(below(1_000_000_000)))
    }
}
