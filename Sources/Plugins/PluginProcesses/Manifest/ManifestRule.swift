internal import JSONText

/// What a member of a manifest must be: in words, and as the function that reads it.
struct ManifestRule<Value> {
    /// For "must be …".
    let right: String
    /// Nil for any other value.
    let read: (JSONView) -> Value?

    init(_ right: String, _ read: @escaping (JSONView) -> Value?) {
        self.right = right
        self.read = read
    }
}

extension ManifestRule<Bool> {
    static var flag: Self { Self("true or false") { $0.boolValue } }
}

extension ManifestRule<Int> {
    static func integer(in range: ClosedRange<Int>) -> Self {
        Self("an integer from \(range.lowerBound) to \(range.upperBound)") { view in
            view.integerValue.flatMap { Int(exactly: $0) }.flatMap {
                range.contains($0) ? $0 : nil
            }
        }
    }
}

extension ManifestRule<String> {
    /// A text for people.
    static func text(atMost bytes: Int) -> Self {
        Self("a text of 1 to \(bytes) bytes without control characters") { view in
            guard let text = view.stringValue, 1...bytes ~= text.utf8.count else { return nil }
            let hasControls = text.unicodeScalars.contains {
                $0.properties.generalCategory == .control
            }
            return hasControls ? nil : text
        }
    }

    /// A part of a command line, or a path.
    static func argument(_ right: String, where isRight: @escaping (String) -> Bool) -> Self {
        let most = ManifestWords.longestArgument
        return Self("\(right), \(most) bytes at most and without NUL") { view in
            guard let text = view.stringValue, text.utf8.count <= most, !text.utf8.contains(0),
                isRight(text)
            else { return nil }
            return text
        }
    }

    /// A string of a certain form.
    static func form(_ right: String, _ isRight: @escaping (String) -> Bool) -> Self {
        Self(right) { view in view.stringValue.flatMap { isRight($0) ? $0 : nil } }
    }

    static var word: Self { form(ManifestWords.wordRule, ManifestWords.isWord) }
}

extension ManifestRule where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words of an enumeration.
    static var choice: Self {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        return Self("one of \(words)") { $0.stringValue.flatMap(Value.init(rawValue:)) }
    }
}
