/// Where a text is in a name, without regard to case.
enum SoughtText {
    /// The bytes in UTF-8 of its first place; none if it is not there.
    static func ranges(of sought: String, in name: String) -> [Range<Int>] {
        let sought = sought.map { $0.lowercased() }
        let letters = Array(name)
        guard !sought.isEmpty, sought.count <= letters.count else { return [] }
        let folded = letters.map { $0.lowercased() }
        guard
            let start = (0...(folded.count - sought.count)).first(where: {
                folded[$0...].starts(with: sought)
            })
        else { return [] }
        let first = letters[..<start].reduce(0) { $0 + $1.utf8.count }
        let length = letters[start..<(start + sought.count)].reduce(0) { $0 + $1.utf8.count }
        return [first..<(first + length)]
    }
}
