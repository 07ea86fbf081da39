/// Topics that stand in the code, which must be sound.
extension Topic: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let topic = try? Topic(validating: text) else {
            preconditionFailure("'\(text)' is no topic")
        }
        self = topic
    }
}
