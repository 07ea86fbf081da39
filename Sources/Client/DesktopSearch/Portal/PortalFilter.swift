/// A filter of files that a program offers in its dialog, as the portal has it.
package struct PortalFilter: Hashable, Sendable {
    /// One of the patterns, of which a file must match one.
    package struct Rule: Hashable, Sendable {
        /// A pattern for names: 0, or a media type: 1.
        package let kind: UInt32
        package let text: String

        package init(kind: UInt32, text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// For people.
    package let name: String
    package let rules: [Rule]

    package init(name: String, rules: [Rule]) {
        self.name = name
        self.rules = rules
    }
}
