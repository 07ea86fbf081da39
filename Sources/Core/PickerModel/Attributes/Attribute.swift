/// An attribute of documents, such as `image.width`, in one directory of attributes: the values are of one type.
///
/// A name whose type changes is another attribute. Names are in the `AttributeDirectory`.
package struct Attribute: Hashable, Sendable {
    /// What the values are.
    package enum Kind: String, CaseIterable, Sendable {
        case boolean
        /// Of 64 bits, with sign.
        case integer
        /// Never NaN or infinite.
        case number
        /// Seconds since 1970 UTC.
        case time
        /// At most `AttributeValue.longestText` bytes of UTF-8.
        case text
    }

    package let number: UInt16
    package let kind: Kind

    init(number: UInt16, kind: Kind) {
        self.number = number
        self.kind = kind
    }
}
