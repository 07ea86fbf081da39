/// What the daemon says that it has of a source: `a1:17`.
struct SourceToken {
    let epoch: String?
    /// -1 if it has none.
    let revision: Int64

    init(_ token: String?) {
        guard let token, let colon = token.lastIndex(of: ":") else {
            (epoch, revision) = (nil, -1)
            return
        }
        epoch = String(token[..<colon])
        let digits = token[token.index(after: colon)...]
        guard digits.utf8.count < 16, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            revision = -1
            return
        }
        revision = Int64(digits) ?? -1
    }
}
