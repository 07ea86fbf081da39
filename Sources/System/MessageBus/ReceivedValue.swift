// A property's value in an answer.

/// A value that was read from a message.
package enum ReceivedValue: Hashable, Sendable {
    case text(String)
    /// A number of any size; that of a job; 0 or 1.
    case number(Int64)
    case texts([String])

    package var text: String? {
        if case .text(let text) = self { return text }
        return nil
    }

    package var number: Int64? {
        if case .number(let number) = self { return number }
        return nil
    }

    package var texts: [String]? {
        if case .texts(let texts) = self { return texts }
        return nil
    }
}
