internal import PickerModel

/// The arguments as bytes, by the text that the command-line parser makes of them, in which U+FFFD stands
/// for bytes that are not UTF-8.
struct RawArguments {
    /// By text, in the order of the command line.
    private var bytes: [String: [[UInt8]]] = [:]

    init(_ arguments: [[UInt8]]) {
        let dash = UInt8(ascii: "-")
        for argument in arguments {
            // For an option joined to its value, the value.
            var value = argument[...]
            if argument.starts(with: [dash, dash]), let sign = argument.firstIndex(of: 0x3D) {
                value = argument[(sign + 1)...]
            }
            bytes[String(decoding: value, as: UTF8.self), default: []].append(Array(value))
        }
    }

    /// Whether `text` stands for bytes that are not UTF-8.
    func isUnreadable(_ text: String) -> Bool {
        bytes[text]?.contains { FileName(bytes: $0).rawBytes != nil } ?? false
    }

    /// The next argument with this text. Of two with the same text each is returned once.
    mutating func take(_ text: String) -> FileName {
        guard let first = bytes[text]?.first else { return FileName(text) }
        bytes[text]?.removeFirst()
        return FileName(bytes: first)
    }
}
