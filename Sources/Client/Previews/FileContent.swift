package import Picking

/// What was read of a file.
package struct FileContent: Sendable {
    package var content: PreviewContent
    /// Whether it is an image that this program can't draw, and there is a program that may; then the content is what is
    /// shown if that can't either.
    package var isForImageProgram: Bool

    package init(_ content: PreviewContent, isForImageProgram: Bool = false) {
        self.content = content
        self.isForImageProgram = isForImageProgram
    }
}
