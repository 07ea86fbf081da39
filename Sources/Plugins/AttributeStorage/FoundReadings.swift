package import PickerModel

/// What is known of the files of a question, in their order.
///
/// The values are in one array, as they are asked for thousands of files at once.
package struct FoundReadings: Sendable {
    package enum State: UInt8, Sendable {
        case unknown
        /// It can't be read, and is not to be tried again.
        case failed
        case read
    }

    package private(set) var states: [State]
    /// Those of a file behind those of the one before.
    private var values: [AttributeValue?]
    /// How many attributes were asked for.
    private let width: Int

    /// Nothing is known of so many files.
    package init(files: Int, attributes: Int) {
        states = Array(repeating: .unknown, count: files)
        values = []
        width = attributes
    }

    package var count: Int { states.count }

    /// The values of a file, in the order of the attributes of the question; empty if it has none of them.
    package func values(of file: Int) -> ArraySlice<AttributeValue?> {
        values.isEmpty ? [] : values[file * width..<(file + 1) * width]
    }

    /// Notes that a file can't be read.
    mutating func fail(_ file: Int) { states[file] = .failed }

    /// Takes what is stored of a file; a file whose bytes are no reading stays unknown.
    mutating func take(
        _ bytes: Span<UInt8>, of file: Int, _ wanted: borrowing WantedAttributes
    ) {
        if values.isEmpty { values = Array(repeating: nil, count: states.count * width) }
        let start = file * width
        let isSound = wanted.read(bytes) { place, value in values[start + place] = value }
        if isSound {
            states[file] = .read
        } else {
            for place in start..<start + width { values[place] = nil }
        }
    }
}
