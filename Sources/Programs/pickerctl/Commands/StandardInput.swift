import SystemInterface

enum StandardInput {
    /// A request is a line of at most 1 MiB, so more can't be sent.
    static let longest = 1 << 20

    /// Reads all of standard input; `purpose` is for error messages.
    static func text(for purpose: String) throws(CommandError) -> String {
        let box = DescriptorBox(OwnedDescriptor(adopting: 0))
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        reading: while true {
            do {
                switch try box.descriptor.read(into: &buffer) {
                case .bytes(let count): all += buffer[..<count]
                case .closed: break reading
                case .wouldBlock: box.descriptor.waitUntilReadable(milliseconds: nil)
                }
            } catch {
                throw CommandError("cannot read \(purpose) from standard input: \(error.code)")
            }
            if all.count > longest {
                throw CommandError("\(purpose) is longer than \(longest) bytes")
            }
        }
        guard let text = String(validating: all, as: UTF8.self) else {
            throw CommandError("\(purpose) is not UTF-8")
        }
        return text
    }
}
