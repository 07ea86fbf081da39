internal import SystemInterface

// The fields of documents in a `Where`. Each field has its own type, so that the compiler knows the valid
// comparisons: `$0.size > "x"` has no operator.

/// A member of a document, to be compared with a `Value`.
public struct DocumentField<Value>: Sendable {
    /// The attribute's name, for fields that are attributes.
    var attribute = ""
}

/// The name of a file. Only distinguishes fields.
public enum DocumentName {}

/// The path of a file below its root. Only distinguishes fields.
public enum DocumentPath {}

/// The members of a document in a ``Where``.
public struct DocumentFields: Sendable {
    /// In bytes.
    public let size = DocumentField<Int>()
    /// The time of the last change of content.
    public let modified = DocumentField<Timestamp>()
    /// The type of the file, derived from its name.
    public let type = DocumentField<DocumentType>()
    /// The file's name.
    public let name = DocumentField<DocumentName>()
    /// The path, relative to the root.
    public let path = DocumentField<DocumentPath>()

    /// Whether the document is liked.
    public var liked: PickerFilter { .liked }
    /// Whether the document is hidden: its name, or that of a folder below the root, begins with a dot.
    public var hidden: PickerFilter { .hidden }

    /// Whether the document is dropped. Dropped documents are only in lists that ask for them.
    public var dropped: PickerFilter { .dropped }

    /// An attribute that a plugin contributes: `$0[.imageWidth] > 4000`.
    public subscript(name: AttributeName) -> DocumentField<AttributeValue> {
        attribute(name.text)
    }

    /// An attribute that a plugin contributes, such as `pdf.pages`. The daemon refuses unknown names.
    public func attribute(_ name: String) -> DocumentField<AttributeValue> {
        DocumentField(attribute: name)
    }
}

/// The name of an attribute that a plugin contributes. Others are added in an extension:
///
///     extension AttributeName { static let pages: AttributeName = "pdf.pages" }
public struct AttributeName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name as the daemon has it.
    public let text: String

    /// An attribute of this name.
    public init(_ text: String) { self.text = text }
    /// An attribute of this name.
    public init(stringLiteral text: String) { self.text = text }

    /// Of images, in pixels.
    public static let imageWidth: AttributeName = "image.width"
    /// Of images, in pixels.
    public static let imageHeight: AttributeName = "image.height"
    /// The time when a picture was taken, in seconds since 1970.
    public static let imageTaken: AttributeName = "image.taken"
    /// Make and model.
    public static let imageCamera: AttributeName = "image.camera"
    /// Whether a picture says where it was taken.
    public static let imageGPS: AttributeName = "image.gps"
    /// Whether a picture has a mark that a social network put into it.
    public static let imageTracked: AttributeName = "image.tracked"
    /// What git says of a file.
    public static let gitState: AttributeName = "git.state"
}

/// A moment, in seconds since 1970.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds since 1970 UTC, with their fraction.
    public let seconds: Double

    /// A moment; a number that is not finite stands for 1970.
    public init(_ seconds: Double) { self.seconds = seconds.isFinite ? seconds : 0 }

    /// The present moment, by the system's clock.
    public static var now: Timestamp { Timestamp(SystemClock.wallSeconds()) }

    /// The moment that long ago, by the system's clock.
    public static func ago(_ duration: Duration) -> Timestamp { .now - duration }

    /// The moment that many times 24 hours ago, by the system's clock.
    public static func daysAgo(_ days: Int) -> Timestamp {
        Timestamp(Timestamp.now.seconds - Double(days) * 86_400)
    }

    /// The moment that much earlier.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(moment.seconds - duration.inSeconds)
    }

    /// Whether the first is the earlier one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.seconds < right.seconds
    }
}

// MARK: - What can be compared with what

extension DocumentField where Value == Int {
    private static func compared(
        _ comparison: PickerFilter.Comparison, _ bytes: Int
    ) -> PickerFilter {
        if let size = UInt64(exactly: bytes) { return .size(comparison, size) }
        // Every size is above a number below 0.
        return [.greater, .atLeast, .notEqual].contains(comparison) ? .everything : .nothing
    }

    /// Documents of exactly this size.
    public static func == (field: Self, bytes: Int) -> PickerFilter { compared(.equal, bytes) }
    /// Documents of another size.
    public static func != (field: Self, bytes: Int) -> PickerFilter { compared(.notEqual, bytes) }
    /// Larger documents.
    public static func > (field: Self, bytes: Int) -> PickerFilter { compared(.greater, bytes) }
    /// Documents at least as large.
    public static func >= (field: Self, bytes: Int) -> PickerFilter { compared(.atLeast, bytes) }
    /// Smaller documents.
    public static func < (field: Self, bytes: Int) -> PickerFilter { compared(.less, bytes) }
    /// Documents at most as large.
    public static func <= (field: Self, bytes: Int) -> PickerFilter { compared(.atMost, bytes) }
}

extension DocumentField where Value == Timestamp {
    /// Documents changed at exactly that moment.
    public static func == (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.equal, moment.seconds)
    }
    /// Documents changed at another moment.
    public static func != (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.notEqual, moment.seconds)
    }
    /// Documents changed later.
    public static func > (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.greater, moment.seconds)
    }
    /// Documents changed at that moment or later.
    public static func >= (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.atLeast, moment.seconds)
    }
    /// Documents changed before.
    public static func < (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.less, moment.seconds)
    }
    /// Documents changed at that moment or before.
    public static func <= (field: Self, moment: Timestamp) -> PickerFilter {
        .modified(.atMost, moment.seconds)
    }
}

extension DocumentField where Value == DocumentType {
    /// Documents of that type.
    public static func == (field: Self, type: DocumentType) -> PickerFilter {
        .suffix(type.suffixes)
    }
    /// Documents of other types.
    public static func != (field: Self, type: DocumentType) -> PickerFilter {
        !.suffix(type.suffixes)
    }

    /// Documents of one of these types.
    public func isOne(of types: [DocumentType]) -> PickerFilter {
        .suffix(types.flatMap(\.suffixes))
    }
}

extension DocumentField where Value == DocumentName {
    /// Documents with exactly that name.
    public static func == (field: Self, name: String) -> PickerFilter { .name(name) }
    /// Documents with other names.
    public static func != (field: Self, name: String) -> PickerFilter { !.name(name) }

    /// Documents whose names match a glob pattern such as `*.txt`.
    public func matches(_ pattern: String, ignoringCase: Bool = false) -> PickerFilter {
        .match(pattern, ignoringCase: ignoringCase)
    }
}

extension DocumentField where Value == DocumentPath {
    /// Documents whose paths match a glob pattern such as `drafts/**`.
    public func matches(_ pattern: String) -> PickerFilter { .path(pattern) }
}

extension DocumentField where Value == AttributeValue {
    /// Documents of which the attribute has that value.
    public static func == (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .equal, value)
    }
    /// Documents of which the attribute has another value.
    public static func != (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .notEqual, value)
    }
    /// Documents of which the attribute is greater.
    public static func > (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .greater, value)
    }
    /// Documents of which the attribute is that value or greater.
    public static func >= (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .atLeast, value)
    }
    /// Documents of which the attribute is a text that contains another, ignoring case and accents.
    public func contains(_ text: String) -> PickerFilter { .attribute(attribute, .contains, text) }
    /// Documents of which the attribute is a text that begins with another, ignoring case and accents.
    public func hasPrefix(_ text: String) -> PickerFilter { .attribute(attribute, .prefix, text) }
    /// Documents of which the attribute is known.
    public var isKnown: PickerFilter { .isKnown(attribute) }
    /// Documents of which the attribute is less.
    public static func < (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .less, value)
    }
    /// Documents of which the attribute is that value or less.
    public static func <= (field: Self, value: AttributeValue) -> PickerFilter {
        .attribute(field.attribute, .atMost, value)
    }
}
