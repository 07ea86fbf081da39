/// What a terminal can do.
package struct TerminalFeatures: Hashable, Sendable {
    package var hasColor: Bool
    package var hasTrueColor: Bool
    package var hasSynchronizedOutput: Bool

    package init(
        hasColor: Bool = true, hasTrueColor: Bool = false, hasSynchronizedOutput: Bool = false
    ) {
        self.hasColor = hasColor
        self.hasTrueColor = hasTrueColor
        self.hasSynchronizedOutput = hasSynchronizedOutput
    }
}
