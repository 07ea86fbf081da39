/// Why an image can't be shown: the end of a sentence about it.
package struct ImageFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    static let isCut = ImageFault("it is cut off")
    static let isDamaged = ImageFault("it is damaged")
}
