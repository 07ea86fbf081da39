/// Topic literals in code, which must be valid.
extension Topic: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let topic = try? Topic(validating: text) else {
            preconditionFailure("'\(text)' is no topic")
        }
        self = topic
    }
}
