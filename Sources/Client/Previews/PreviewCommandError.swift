/// A command for previews that can't be meant so.
package struct PreviewCommandError: Error, Hashable {
    private let text: String

    init(_ text: String) { self.text = text }
}

extension PreviewCommandError: CustomStringConvertible {
    package var description: String { text }
}
